"""The transcript: one Text that shows the conversation, and grows at its end only.

Its cost per call depends on what the call draws, not on what is already there: no index is computed
from lengths, nothing is searched, and every call is one insert (measured in tests/bench).
"""

import itertools
import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import ttk

from actors.drawing import DrawOp
from tkinfer.ui import tcl
from tkinfer.ui.bands import CARET_IMAGE, Bands, cap_image
from tkinfer.ui.clipping import clip_selection
from tkinfer.ui.codecopy import CodeCopy
from tkinfer.ui.composition import BARE_CAP, CAP, CHROME, FIGURES, HEADING, Composed, Composer
from tkinfer.ui.following import Follower
from tkinfer.ui.palette import Palette
from tkinfer.ui.primary import offer_as_primary
from tkinfer.ui.readonly import make_readonly
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import Tone

USER_NAME = "You"

_TAIL = "tail"
"""Mark: where the next text goes, in front of the caret."""
_FIGURES_PLACE = "figures.place"
"""Mark: behind the author's name of the last answer."""
_SCROLLBAR_WIDTH = 8


class Transcript:
    """Draws messages and answers. `typed` gets what is typed while the transcript has the focus."""

    def __init__(self, parent: tk.Misc, theme: Theme, typed: Callable[[str], None]) -> None:
        self.frame = ttk.Frame(parent)
        self._theme = theme
        self._has_caret = False
        self._composer = Composer()
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
        self._remove_caret()
        self._put(self._composer.user_message(USER_NAME, text))
        self._follower.jump()

    def begin_answer(self, author: str) -> None:
        """Open the place of an answer, with its heading and a caret."""
        self._remove_caret()
        follow = self._follower.at_end()
        self._put(self._composer.answer_heading(author))
        self.text.mark_set(_FIGURES_PLACE, f"{_TAIL} -1c")
        self.text.mark_gravity(_FIGURES_PLACE, "left")
        self.text.mark_gravity(_TAIL, "left")
        self.text.image_create(_TAIL, image=CARET_IMAGE, align="baseline")
        self.text.mark_gravity(_TAIL, "right")
        self._has_caret = True
        self._see_end(follow=follow)

    def draw(self, ops: Sequence[DrawOp]) -> None:
        """Draw at the end of the open answer; composing may raise, and then nothing was drawn."""
        made = self._composer.ops(ops)
        if made.runs:
            follow = self._follower.at_end()
            self._put(made)
            self._see_end(follow=follow)

    def end_answer(self, figures: str, note: str, tone: Tone) -> None:
        """Close the answer; the figures go beside its author."""
        follow = self._follower.at_end()
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

    def clear(self) -> None:
        """Forget the conversation, and every timer of it."""
        self.code.reset()
        self._has_caret = False
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
