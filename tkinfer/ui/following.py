"""The transcript's place: it follows the end while the reader is there, else it holds still."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui import tcl
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

_JUMP_AIR = 14
_ZOOM_SETTLES_MS = 50
_THUMB_MS = 50
"""While the end is followed the thumb moves by less than a pixel; drawing it takes 0.3 ms."""
_END = "1.0"


class ReadersPlace:
    """What the reader sees while the text behind a mark is replaced."""

    def __init__(self, text: tk.Text, mark: str) -> None:
        top = str(text.index("@0,0"))
        self._text = text
        self._behind = -1
        """How many indices the uppermost visible one is behind the mark; -1: in front of it."""
        self._y = _line_top(text, top)
        if text.compare(top, ">=", mark):
            counted = text.count(mark, top, "indices")
            self._behind = (counted[0] if isinstance(counted, tuple) else counted) or 0

    @property
    def is_behind(self) -> bool:
        """Whether the mark is above what is visible."""
        return self._behind > 0

    def restore(self, mark: str) -> None:
        """Show the same place behind this mark, as far as the new text reaches. Above the mark
        nothing moved.
        """
        if self._behind < 0:
            return
        text = self._text
        place = str(text.index(f"{mark} +{self._behind} indices"))
        tcl.yview(text, place)
        text.yview_scroll(_line_top(text, place) - self._y, "pixels")


def _line_top(text: tk.Text, index: str) -> int:
    line = text.dlineinfo(index)
    return line[1] if line else 0


class Follower:
    """Knows whether the end is in view, scrolls along with it, and offers the way back to it."""

    def __init__(
        self,
        text: tk.Text,
        scrollbar: ttk.Scrollbar,
        theme: Theme,
        scrolled: Callable[[], None],
    ) -> None:
        """`scrolled` is told when the view has moved."""
        self._tell = scrolled
        self._text = text
        self._scrollbar = scrollbar
        self._theme = theme
        self._at_end = True
        self._selecting = False
        self._shown = False
        self._view = ("0.0", _END)
        self._timers = Timers(text)
        self._jump = ttk.Button(
            text.master,
            text="Jump to latest",
            style="Jump.TButton",
            compound="left",
            command=self.jump,
        )
        tcl.configure(scrollbar, "-command", f"{text} yview")
        tcl.configure(text, "-yscrollcommand", text.register(self._scrolled))
        text.bind("<ButtonPress-1>", self._press, add=True)
        text.bind("<ButtonRelease-1>", self._release, add=True)
        theme.on_paint(lambda palette: self._paint(palette.text["normal"]))

    def at_end(self) -> bool:
        """Whether the view should follow. Ask before inserting: afterwards the end has moved on."""
        if self._text.winfo_height() > 1:  # else it was never laid out, and nothing has scrolled
            self._at_end = self._text.dlineinfo("end-1c") is not None
        # While the mouse draws a selection, scrolling would move the text under the pointer.
        return self._at_end and not self._selecting

    def keep(self) -> None:
        """After a change of size: show the end again if it was shown before."""
        if self._at_end:
            self._text.see("end")

    def keep_after_zoom(self) -> None:
        """The same when the fonts change: Tk lays out anew, and widgets resize, step by step."""
        if self._at_end:
            self._timers.start("zoomed", _ZOOM_SETTLES_MS, self.jump)

    def jump(self) -> None:
        """Go to the end, and follow it from now on."""
        self._text.see("end")
        self._at_end = True
        self._offer(shown=False)

    def reset(self) -> None:
        """The transcript was emptied."""
        self._at_end = True
        self._selecting = False
        self._offer(shown=False)

    def _scrolled(self, first: str, last: str) -> None:
        """Tk's report after each scroll and redraw."""
        following = self._view[1] == last == _END
        self._view = (first, last)
        self._tell()
        if not following:
            self._show_place()
        elif not self._timers.running("place"):
            self._timers.start("place", _THUMB_MS, self._show_place)

    def _show_place(self) -> None:
        """Move the thumb, and offer the way back if the end is out of view."""
        first, last = self._view
        self._scrollbar.set(float(first), float(last))
        if last == _END and not self._shown:
            self._at_end = True
        else:
            # Tk's report is early by a line or so while heights are still computed; wait for idle.
            self._timers.soon("look", self._look)

    def _look(self) -> None:
        self._at_end = self._text.dlineinfo("end-1c") is not None
        self._offer(shown=not self._at_end)

    def _offer(self, *, shown: bool) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        if shown:
            self._jump.place(relx=0.5, rely=1.0, y=-self._theme.px(_JUMP_AIR), anchor="s")
            tcl.raise_above(self._jump)
        else:
            self._jump.place_forget()

    def _press(self, _event: "tk.Event[tk.Text]") -> None:
        self._selecting = True

    def _release(self, _event: "tk.Event[tk.Text]") -> None:
        self._selecting = False

    def _paint(self, colour: str) -> None:
        self._jump.configure(image=self._theme.icon("down", colour, 12))
