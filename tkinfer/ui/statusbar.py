"""The status bar: a dot, words, figures, and the receipt of the last Stop. Nothing is clipped."""

import tkinter as tk
from tkinter import ttk

from actors.turn import Phase
from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_end
from tkinfer.ui.palette import Palette
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import Status

_SEPARATOR = "  ·  "
_GAP = 14
_DOT = 12

_PHASE_COLOURS = {
    Phase.IDLE: "ok",
    Phase.QUEUED: "warning",
    Phase.LOADING: "warning",
    Phase.PREFILL: "accent",
    Phase.DECODE: "accent",
    Phase.DRAWING: "accent",
    Phase.STOPPING: "danger",
}


class StatusBar:
    """Shows a Status in the width there is: figures give way first, from the last on."""

    def __init__(self, parent: tk.Misc, theme: Theme) -> None:
        px = theme.px
        self._theme = theme
        self._status = Status(phase=Phase.IDLE, words="")
        self._width = 0
        self.frame = ttk.Frame(parent)
        self._dot = ttk.Label(self.frame)
        self._words = ttk.Label(self.frame, style="Ok.Status.TLabel")
        self._figures = ttk.Label(self.frame, style="Small.TLabel")
        self._receipt = ttk.Label(self.frame, style="Small.TLabel")
        self._dot.pack(side="left")
        self._words.pack(side="left", padx=(px(4), px(_GAP)))
        self._figures.pack(side="left")
        self._receipt.pack(side="right")
        self.frame.bind("<Configure>", self._resized)
        theme.on_paint(self._paint)
        theme.on_zoom(self._fit)

    def show(self, status: Status) -> None:
        if status != self._status:
            self._status = status
            self._fit()

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        if event.width != self._width:
            self._width = event.width
            self._fit()

    def _fit(self) -> None:
        """Measure the parts and give each what is left. 0.2 ms, a few times a second."""
        status, px = self._status, self._theme.px
        group = _PHASE_COLOURS[status.phase]
        fixed = px(_DOT) + px(4) + px(_GAP) * 2
        room = max(self._width - fixed, 0)
        words = elide_end(clean_line(status.words), room, self._bold)
        room -= self._bold(words)
        figures = [clean_line(figure) for figure in status.figures]
        receipt = clean_line(status.receipt)
        while figures and self._small(_SEPARATOR.join(figures)) + self._small(receipt) > room:
            figures.pop()
        joined = _SEPARATOR.join(figures)
        receipt = elide_end(receipt, room - self._small(joined), self._small) if receipt else ""
        self._dot.configure(image=self._icon(group))
        self._words.configure(text=words, style=f"{group.capitalize()}.Status.TLabel")
        self._figures.configure(text=joined)
        self._receipt.configure(text=receipt)

    def _bold(self, text: str) -> int:
        return self._theme.fonts.measure(fonts.SMALL_BOLD, text)

    def _small(self, text: str) -> int:
        return self._theme.fonts.measure(fonts.SMALL, text)

    def _icon(self, group: str) -> str:
        return self._theme.icon("dot", self._theme.palette.text[group], _DOT)

    def _paint(self, _palette: Palette) -> None:
        self._fit()
