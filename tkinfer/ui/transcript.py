"""The transcript: one Text that shows the conversation, and grows at its end only.

Its cost per call depends on what the call draws, not on what is already there: no index is computed
from lengths, nothing is searched, and every call is one insert (measured in tests/bench).
"""

import itertools
import tkinter as tk
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from tkinter import ttk

from actors.drawing import DrawOp
from actors.turn import Channel
from tkinfer.ui import tcl
from tkinfer.ui.answerrow import AnswerActions, AnswerRow
from tkinfer.ui.bands import CARET_IMAGE, Bands, cap_image
from tkinfer.ui.clipping import clip_selection
from tkinfer.ui.codecopy import CodeCopy
from tkinfer.ui.composition import (
    BARE_CAP,
    CAP,
    CHROME,
    FIGURES,
    HEADING,
    NOTE,
    Composed,
    Composer,
)
from tkinfer.ui.following import Follower, ReadersPlace
from tkinfer.ui.palette import Palette
from tkinfer.ui.primary import offer_as_primary
from tkinfer.ui.readonly import make_readonly
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import AnswerChoices, Tone

USER_NAME = "You"

_TAIL = "tail"
"""Mark: where the next text goes, in front of the caret."""
_FIGURES_PLACE = "figures.place"
"""Mark: behind the author's name of the last answer."""
_QUESTION, _ANSWER = "question.start", "answer.start"
"""Marks: where the last question begins, and the last answer."""
_SCROLLBAR_WIDTH = 8


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
        self._replacing = False
        self._composer = Composer()
        self._begun: dict[str, Composed] = {}
        """How the transcript stood at each mark."""
        self._image_names = itertools.count()
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
        self.code = CodeCopy(self.text, theme, self._to_clipboard)
        self._row = AnswerRow(self.text, theme, actions)
        scrollbar = ttk.Scrollbar(self.frame, style="Slim.Vertical.TScrollbar")
        self.text.place(relwidth=1, relheight=1)
        scrollbar.place(relx=1, x=-theme.px(_SCROLLBAR_WIDTH + 3), relheight=1)
        self._follower = Follower(self.text, scrollbar, theme)
        self.text.mark_set(_TAIL, "end-1c")
        make_readonly(self.text, copy=self.copy, typed=typed)
        offer_as_primary(self.text)
        self.text.bind("<Configure>", self._resized)
        self._bind_focus_ring()
        theme.on_paint(self._paint)
        theme.on_zoom(self._follower.keep_after_zoom)

    def add_user_message(self, text: str) -> None:
        """Show what the user sent, and go there: it is what the user looks at now."""
        self._make_room(_QUESTION)
        self._put(self._composer.user_message(USER_NAME, text))
        if not self._replacing:
            self._follower.jump()

    def begin_answer(self, author: str) -> None:
        """Open the place of an answer, with its heading and a caret."""
        follow = self._follows()
        self._make_room(_ANSWER)
        self._put(self._composer.answer_heading(author))
        self.text.mark_set(_FIGURES_PLACE, f"{_TAIL} -1c")
        self.text.mark_gravity(_FIGURES_PLACE, "left")
        self.text.mark_gravity(_TAIL, "left")
        self.text.image_create(_TAIL, image=CARET_IMAGE, align="baseline")
        self.text.mark_gravity(_TAIL, "right")
        self._has_caret = True
        self._see_end(follow=follow)

    def show_left_out(self, words: str) -> None:
        """Say under the heading of the open answer what its prompt has no room for."""
        follow = self._follows()
        tags = (CHROME, NOTE, f"{NOTE}.{Tone.WARNING.value}")
        self.text.insert(f"{_FIGURES_PLACE} lineend +1c", f"{clean_line(words)}\n", tags)
        self._see_end(follow=follow)

    def draw(self, ops: Sequence[DrawOp], channel: Channel = Channel.ANSWER) -> None:
        """Draw at the end of the open answer; composing may raise, and then nothing was drawn."""
        thinks = channel is Channel.REASONING
        made = self._composer.reasoning(ops) if thinks else self._composer.ops(ops)
        if made.runs:
            follow = self._follows()
            self._put(made)
            self._see_end(follow=follow)

    def end_answer(self, figures: str, note: str, tone: Tone) -> None:
        """Close the answer; the figures go beside its author."""
        follow = self._follows()
        self._remove_caret()
        if figures and _FIGURES_PLACE in self.text.mark_names():
            tags = (CHROME, HEADING, FIGURES)
            self.text.insert(_FIGURES_PLACE, f"   {clean_line(figures)}", tags)
        self.text.mark_unset(_FIGURES_PLACE)
        self._put(self._composer.answer_end(note, tone.value))
        self._see_end(follow=follow)

    def remove_caret(self) -> None:
        """The answer no longer grows."""
        self._remove_caret()

    def show_choices(self, choices: AnswerChoices | None) -> None:
        """Offer this in a row under the last answer, or nothing."""
        follow = self._follows()
        self._row.remove()
        if choices is not None:
            self._row.show(choices, at_line_start=self._composer.state.at_line_start)
        self._see_end(follow=follow)

    @contextmanager
    def replacing_answer(self) -> Generator[None]:
        """Take the last answer away; what is drawn within stands in its place.

        The reader's place is kept, unless the new answer is one that grows: that is what the user
        has just asked for, and looks at. The cost is that of the two answers, not of the chat.
        """
        with self._replace_from(_ANSWER):
            yield

    @contextmanager
    def replacing_exchange(self) -> Generator[None]:
        """The same with the last question and its answer."""
        with self._replace_from(_QUESTION):
            yield

    @contextmanager
    def _replace_from(self, mark: str) -> Generator[None]:
        # At the end of a long answer one stays at the end, where the row is that was clicked.
        place = ReadersPlace(self.text, mark)
        to_end = self._follower.at_end() and place.is_behind
        self._row.remove()
        self._remove_caret()
        self.code.settle()
        self.text.delete(mark, _TAIL)
        self._composer.state = self._begun[mark]
        self._replacing = True
        try:
            yield
        finally:
            self._replacing = False
            if to_end or self._has_caret:
                self._follower.jump()
            else:
                place.restore()

    def clear(self) -> None:
        """Forget the conversation, and every timer of it."""
        self.code.reset()
        self._row.forget()
        self._has_caret = False
        self._begun.clear()
        self.text.mark_unset(_FIGURES_PLACE)
        self.text.delete("1.0", "end")
        self.text.mark_set(_TAIL, "end-1c")
        self._composer = Composer()
        self._follower.reset()

    def copy(self) -> None:
        """Take the selection to the clipboard, if there is one."""
        if selected := clip_selection(self.text):
            self._to_clipboard(selected)

    def select_all(self) -> None:
        self.text.tag_add("sel", "1.0", "end-1c")
        self.text.focus_set()

    def _put(self, made: Composed) -> None:
        """Insert what was composed: one call, and two more for each band that begins or ends."""
        if made.takes_back_cr:
            self.text.delete(f"{_TAIL} -1c")
        if made.runs:
            flat = [part for run in made.runs for part in run]
            self.text.insert(_TAIL, *flat)  # pyright: ignore[reportArgumentType] - s, tags, s, tags
        for tag in made.caps:
            place = tcl.first_of_range(self.text, BARE_CAP)
            # Tk compares a new image's name with all others (until 8.6.14, ticket 737abf); names
            # that differ in their first characters make that cheap: 0.1 ms at 8,000, not 1.1 ms.
            name = f"{next(self._image_names):08x}"[::-1]
            self.text.image_create(place, image=cap_image(tag), name=name)
            self.text.tag_remove(BARE_CAP, f"{place} +1c")
            for own in (CHROME, CAP, tag):
                self.text.tag_add(own, place)
        self._composer.drawn(made)

    def _make_room(self, mark: str) -> None:
        """The next message begins here: nothing that only the last one has may stand below it."""
        self._row.remove()
        self._remove_caret()
        self.text.mark_set(mark, _TAIL)
        self.text.mark_gravity(mark, "left")
        self._begun[mark] = self._composer.state

    def _follows(self) -> bool:
        """Whether the view is to go along with what is drawn next; ask before it is drawn."""
        return not self._replacing and self._follower.at_end()

    def _see_end(self, *, follow: bool) -> None:
        if follow:
            self.text.see("end")

    def _remove_caret(self) -> None:
        if self._has_caret:
            self.text.delete(_TAIL)
        self._has_caret = False

    def _to_clipboard(self, text: str) -> None:
        self.text.clipboard_clear()
        self.text.clipboard_append(text)

    def _resized(self, event: "tk.Event[tk.Text]") -> None:
        self._bands.resize(event.width)
        self._follower.keep()

    def _bind_focus_ring(self) -> None:
        """Show the ring only when the focus came by keyboard, as Tk's traversal announces it."""

        def ring(colour: str) -> None:
            self.text.configure(highlightcolor=colour)

        self.text.bind("<<TraverseIn>>", lambda _: ring(self._theme.palette.text["accent"]))
        self.text.bind("<FocusOut>", lambda _: ring(self._theme.palette.ground["window"]))

    def _paint(self, palette: Palette) -> None:
        window = palette.ground["window"]
        self.text.configure(highlightbackground=window, highlightcolor=window)
