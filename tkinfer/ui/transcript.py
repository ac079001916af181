"""The transcript: one Text that shows the conversation.

Its cost per call depends on what the call draws, not on what is already there: no index is computed
from lengths, nothing is searched, and every call is one insert (measured in tests/bench).
"""

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import replace
from tkinter import ttk
from typing import Final

from actors.drawing import DrawOp
from actors.turn import Channel
from tkinfer.ui import tagdata, tcl
from tkinfer.ui.answerrow import AnswerActions, AnswerRow
from tkinfer.ui.bands import CARET_IMAGE, Bands
from tkinfer.ui.clicks import make_clickable, place_of
from tkinfer.ui.clipping import clip, clip_selection
from tkinfer.ui.codecopy import CodeCopy
from tkinfer.ui.codepaint import CodePaint
from tkinfer.ui.composition import REASONING_HEAD, Composer
from tkinfer.ui.filling import Filling
from tkinfer.ui.following import Follower, ReadersPlace
from tkinfer.ui.markdownstyles import MarkdownStyles
from tkinfer.ui.messagerows import NORMAL, Manner, MessageRows, Shown
from tkinfer.ui.openanswer import OpenAnswer
from tkinfer.ui.palette import Palette
from tkinfer.ui.primary import offer_as_primary
from tkinfer.ui.readonly import make_readonly
from tkinfer.ui.tables import TableSetter
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import AnswerChoices, Entry, History, Tone
from tkinfer.ui.writer import Writer

USER_NAME: Final = "You"

_TAIL: Final = "tail"
"""Mark: where the next text goes, in front of the caret."""
_SCROLLBAR_WIDTH: Final = 8
_NEAR_EDGE: Final = 60


class Transcript:
    """Draws messages and answers. `typed` gets what is typed while the transcript has the focus."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        typed: Callable[[str], None],
        actions: AnswerActions,
    ) -> None:
        self.frame = ttk.Frame(parent)
        self._theme = theme
        self._has_caret = False
        self._choices: AnswerChoices | None = None
        self.text = tk.Text(
            self.frame,
            wrap="word",
            undo=False,
            insertofftime=0,
            insertwidth=0,
            borderwidth=0,
            highlightthickness=theme.px(1),
            pady=0,
            cursor="xterm",
            exportselection=False,
            width=1,
            height=1,
        )
        self._bands = Bands(self.text, theme)
        self._styles = MarkdownStyles(self.text, theme)
        self._setter = TableSetter(self._styles.measure, theme.px)
        self.code = CodeCopy(self.text, theme, self._to_clipboard)
        self._colours = CodePaint(self.text)
        self._row = AnswerRow(self.text, theme, actions)
        scrollbar = ttk.Scrollbar(self.frame, style="Slim.Vertical.TScrollbar")
        self.text.place(relwidth=1, relheight=1)
        scrollbar.place(relx=1, x=-theme.px(_SCROLLBAR_WIDTH + 3), relheight=1)
        self._follower = Follower(self.text, scrollbar, theme, self._scrolled)
        self.text.mark_set(_TAIL, "end-1c")
        self.rows = MessageRows(self.text, _TAIL)
        self.filling = Filling(
            self.text,
            self.rows,
            self._follower,
            tail=_TAIL,
            make_writer=self._make_writer,
            painted=self._painted,
            redraw=self._repaint,
        )
        self._scroll_watchers: list[Callable[[], None]] = [self.filling.look, self._colours.look]
        self._answer: OpenAnswer | None = None
        make_clickable(self.text, REASONING_HEAD, lambda e: self.toggle_thoughts(place_of(e)))
        make_readonly(self.text, copy=self.copy, typed=typed, to_start=self._to_start)
        offer_as_primary(self.text, self.selected)
        self.text.bind("<Configure>", self._resized)
        self._bind_focus_ring()
        theme.on_paint(self._paint)
        theme.on_zoom(self._zoomed)

    # ---- the chat ---------------------------------------------------------------------------

    def show_history(self, history: History, at: int | None = None) -> None:
        """Show this chat in place of what is there: its end, or the message `at`."""
        self._empty()
        self.filling.reset(history)
        if at is None or at >= len(history):
            self.filling.show_end()
            self._follower.jump()
        else:
            self.filling.show(at)

    def redraw_from(self, index: int) -> None:
        """Draw the messages from this one on anew."""
        history = self.filling.history
        row = self.rows.of(index)
        mark = row.start if row is not None else _TAIL
        place = ReadersPlace(self.text, mark)
        # At the end of a long answer one stays at the end, where the row is that was clicked.
        to_end = self._follower.at_end() and place.is_behind
        self._choices = None
        self._make_room()
        self.filling.forget_from(index)
        for number in range(len(self.rows), len(history)):
            self._draw_last(history.entry(number))
        if to_end or self._has_caret:
            self._follower.jump()
        elif (row := self.rows.of(index)) is not None:
            place.restore(row.start)

    def add_user_message(self, text: str) -> None:
        """Show what the user sent, and go there: it is what the user looks at now."""
        self._choices = None
        self._make_room()
        self._draw_last(Entry(author=USER_NAME, text=text, is_user=True))
        self._follower.jump()

    def begin_answer(self, author: str) -> None:
        """Open the place of an answer, with its heading and a caret."""
        follow = self._follower.at_end()
        self._choices = None
        self._make_room()
        self._draw_last(Entry(author=author, text="", grows=True))
        self._see_end(follow=follow)

    # ---- the open answer --------------------------------------------------------------------

    def show_left_out(self, words: str) -> None:
        """Say under the heading of the open answer what its prompt has no room for."""
        if self._answer is not None:
            follow = self._follower.at_end()
            self._answer.show_left_out(words)
            self._see_end(follow=follow)

    def show_thinking(self, seconds: float, *, over: bool) -> None:
        """Say how long the model of the open answer thinks, or has thought."""
        if self._answer is not None:
            self._answer.tell_thinking(seconds, over=over)

    def draw(self, ops: Sequence[DrawOp], channel: Channel = Channel.ANSWER) -> None:
        """Draw at the end of the open answer; composing may raise, and then nothing was drawn."""
        if self._answer is not None:
            self._finish_last()
            follow = self._follower.at_end()
            if self._answer.draw(ops, channel):
                self._see_end(follow=follow)

    def end_answer(self, figures: str, note: str, tone: Tone) -> None:
        """Close the answer; the figures go beside its author."""
        if self._answer is None:
            return
        self._finish_last()
        follow = self._follower.at_end()
        self._remove_caret()
        self._answer.end(figures, note, tone)
        self._close_answer()
        self._see_end(follow=follow)
        self.filling.look()

    def remove_caret(self) -> None:
        """The answer no longer grows."""
        self._remove_caret()

    def show_choices(self, choices: AnswerChoices | None) -> None:
        """Offer this in a row under the last answer, or nothing."""
        follow = self._follower.at_end()
        self._choices = choices
        self._show_row()
        self._see_end(follow=follow)

    # ---- what the user does -----------------------------------------------------------------

    def copy(self) -> None:
        """Take the selection to the clipboard, if there is one."""
        if selected := self.selected():
            self._to_clipboard(selected)

    def select_all(self) -> None:
        self.text.tag_add("sel", "1.0", "end-1c")
        self.text.focus_set()

    def selected(self) -> str:
        """What is selected, as a copy of it would be."""
        return clip_selection(self.text, self.rows, self.filling.history)

    def on_scroll(self, scrolled: Callable[[], None]) -> None:
        """Call this when the view has moved."""
        self._scroll_watchers.append(scrolled)

    def first_visible(self) -> int:
        """The number of the first message in view."""
        visible = self.filling.visible()
        return visible[0].index if visible else 0

    def bring_into_view(self, place: str) -> None:
        """Show this place with some lines around it, unless it is in view."""
        line = self.text.dlineinfo(place)
        if line is None or line[1] < self._theme.px(_NEAR_EDGE):
            tcl.yview(self.text, place)
            self.text.yview_scroll(-self.text.winfo_height() // 3, "pixels")

    def finish(self, row: Shown) -> None:
        """Draw the rest of this message, if it is not drawn to its end."""
        if self.filling.paints(row):
            self.filling.finish()

    @property
    def is_busy(self) -> bool:
        """Whether an answer is being made."""
        return self._answer is not None

    def is_open(self, row: Shown) -> bool:
        """Whether this message is the answer that is being made."""
        return self._answer is not None and row is self._answer.row

    def figures_of(self, row: Shown) -> str:
        """A message's figures, in words."""
        history = self.filling.history
        return history.entry(row.index).figures if row.index < len(history) else ""

    def message_at(self, place: str) -> Shown | None:
        """The message that stands there."""
        row = self.rows.at(place) if self.text.compare(place, "<", _TAIL) else None
        return row if isinstance(row, Shown) else None

    def message_words(self, row: Shown) -> str:
        """A message as it is shown."""
        return clip(self.text, row.start, self.rows.end_of(row)).strip("\n")

    def toggle_thoughts(self, place: str) -> None:
        """Open or close the reasoning of the message that stands there."""
        row = self.message_at(place)
        if row is not None and row.thoughts is not None:
            row.thoughts.toggle()
            row.manner = replace(row.manner, thoughts_open=row.thoughts.is_open)

    def toggle_raw(self, row: Shown) -> None:
        """Show a message as it was written, or as it is meant."""
        if not self.is_open(row):
            row.manner = replace(row.manner, raw=not row.manner.raw)
            self._repaint(row)

    # ---- inside -----------------------------------------------------------------------------

    def _repaint(self, row: Shown) -> None:
        """Draw a message anew where it stands."""
        if row is not self.rows.rows[-1]:
            self.filling.repaint(row)
            return
        place = ReadersPlace(self.text, row.start)
        self._make_room()
        self.filling.forget_from(row.index)
        new = self._draw_last(self.filling.history.entry(row.index), row.manner)
        self._show_row()
        place.restore(new.start)

    def _draw_last(self, entry: Entry, manner: Manner = NORMAL) -> Shown:
        """Draw a message behind all others."""
        self._close_answer()
        row = self.filling.paint_last(entry, manner)
        if entry.grows:
            self._put_caret()
        return row

    def _make_writer(self, row: Shown, entry: Entry, end: str) -> Writer:
        composer = Composer(self._setter, plain=not entry.grows)
        writer = Writer(self.text, composer, end, self._styles.configure_stops)
        if entry.grows:
            self._answer = OpenAnswer(self.text, row, writer)
        return writer

    def _painted(self, row: Shown, entry: Entry, writer: Writer) -> None:
        """A message of the history is drawn to its end."""
        if entry.grows:
            self.text.mark_gravity(row.start, "left")
            return
        writer.close()
        self._colours.look()
        if row is self.rows.rows[-1]:
            self._show_row()

    def _finish_last(self) -> None:
        if self.filling.paints_last:
            self.filling.finish()

    def _close_answer(self) -> None:
        """No answer is open any more."""
        if self._answer is not None:
            self._answer.close()
            self.rows.settle(self._answer.row)
        self._answer = None

    def _make_room(self) -> None:
        """The next message begins here: nothing that only the last one has may stand below it."""
        self._finish_last()
        self._row.remove()
        self._remove_caret()
        self.code.settle()

    def _show_row(self) -> None:
        self._row.remove()
        if self._choices is not None and not self.filling.paints_last:
            self._row.show(self._choices, at_line_start=True)

    def _empty(self) -> None:
        self.code.reset()
        self._colours.reset()
        self._row.forget()
        self._has_caret = False
        self._close_answer()
        self._choices = None
        self.text.delete("1.0", "end")
        if data := list(filter(tagdata.is_data, self.text.tag_names())):
            self.text.tag_delete(*data)
        self.text.mark_set(_TAIL, "end-1c")
        self._follower.reset()

    def _see_end(self, *, follow: bool) -> None:
        if follow:
            self.text.see("end")

    def _put_caret(self) -> None:
        if not self._has_caret:
            self.text.mark_gravity(_TAIL, "left")
            self.text.image_create(_TAIL, image=CARET_IMAGE, align="baseline")
            self.text.mark_gravity(_TAIL, "right")
            self._has_caret = True

    def _remove_caret(self) -> None:
        if self._has_caret:
            self.text.delete(_TAIL)
        self._has_caret = False

    def _to_clipboard(self, text: str) -> None:
        self.text.clipboard_clear()
        self.text.clipboard_append(text)

    def _to_start(self) -> None:
        if len(self.rows):
            self.filling.show(0)
        self.text.yview_moveto(0.0)

    def _scrolled(self) -> None:
        for watcher in self._scroll_watchers:
            watcher()

    def _resized(self, event: "tk.Event[tk.Text]") -> None:
        if self._bands.resize(event.width):
            self._tables_changed()
        self._follower.keep()

    def _zoomed(self) -> None:
        self._tables_changed()
        self._follower.keep_after_zoom()

    def _tables_changed(self) -> None:
        """Tables are to be set for another width, or for other fonts."""
        self._setter.content = self._bands.content
        for row in self.rows.shown:
            row.stale = row.stale or row.has_table
        self.filling.look()

    def _bind_focus_ring(self) -> None:
        """Show the ring only when the focus came by keyboard, as Tk's traversal announces it."""

        def ring(colour: str) -> None:
            self.text.configure(highlightcolor=colour)

        self.text.bind("<<TraverseIn>>", lambda _: ring(self._theme.palette.text["accent"]))
        self.text.bind("<FocusOut>", lambda _: ring(self._theme.palette.ground["window"]))

    def _paint(self, palette: Palette) -> None:
        window = palette.ground["window"]
        self.text.configure(highlightbackground=window, highlightcolor=window)
