"""One of several values, chosen from a menu."""

import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_end
from tkinfer.ui.palette import Palette
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.popover import Item, Popover, Row
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

_ROW_HEIGHT = 1.7
"""Of a menu's row, in heights of a line."""
_CHROME = 44
"""Pixels of the button that aren't its text: paddings and chevron."""
_WINDOW_AIR = 60


class ChoiceButton:
    """A button that shows what is chosen, and opens the menu of all there is."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        popover: Popover,
        rows: Callable[[], Sequence[Row]],
        *,
        fill: bool = False,
    ) -> None:
        """With `fill` the button is as wide as it may be."""
        self._theme = theme
        self._popover = popover
        self._rows = rows
        self._fill = fill
        self._text = ""
        self._width = 0
        self.button = ttk.Button(
            parent, style="Choice.TButton", compound="right", command=self.open
        )
        self.button.bind("<Down>", lambda _: self.open())
        self.button.bind("<Return>", lambda _: self.button.invoke())
        theme.on_paint(self._paint)
        theme.on_zoom(self._show)

    def show(self, text: str) -> None:
        """What is chosen."""
        if text != self._text:
            self._text = text
            self._show()

    def limit(self, width: int) -> None:
        """Take at most so many pixels."""
        if width != self._width:
            self._width = width
            self._show()

    def open(self) -> None:
        """Show the menu on the side where there is room."""
        self._open(list(self._rows()))

    def _open(self, rows: Sequence[Row]) -> None:
        """A menu longer than the window goes on behind its last row."""
        root = self._theme.root
        line = self._theme.fonts.line(fonts.UI) * _ROW_HEIGHT
        air = self._theme.px(_WINDOW_AIR)
        below = root.winfo_rooty() + root.winfo_height() - self._bottom() - air
        above = self._bottom() - self.button.winfo_height() - root.winfo_rooty() - air
        fit = max(int(max(below, above) / line), 4)
        shown = list(rows)
        if len(shown) > fit:
            rest = shown[fit - 1 :]
            shown = [*shown[: fit - 1], Item(label="More…", action=lambda: self._open(rest))]
        high = len(shown) * line > below and above > below
        self._popover.open_under(self.button, shown, above=high)

    def _bottom(self) -> int:
        return self.button.winfo_rooty() + self.button.winfo_height()

    def _show(self) -> None:
        text = clean_line(self._text)
        if self._width:
            room = self._width - self._theme.px(_CHROME)
            text = elide_end(text, room, self._measure)
            if self._fill:  # the chevron goes to the right edge
                text += " " * max((room - self._measure(text)) // self._measure(" "), 0)
        self.button.configure(text=f"{text}  ")

    def _measure(self, text: str) -> int:
        return self._theme.fonts.measure(fonts.UI, text)

    def _paint(self, palette: Palette) -> None:
        self.button.configure(image=self._theme.icon("chevron", palette.text["dim"]))


class ChoiceRow(FieldRow):
    """A label, and the button on its right. `choices` are values with their words, at each opening.

    What is chosen is applied at once.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        popover: Popover,
        label: str,
        note: str,
        choices: Callable[[], Sequence[tuple[str, Callable[[], None]]]],
        reset: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(parent, theme, label, note, reset)
        self._choices = choices
        self._shown = ""
        self.choice = ChoiceButton(self.frame, theme, popover, self._rows)
        self.choice.button.grid(row=0, column=2, sticky="e")

    def show(self, words: str) -> None:
        """The words of what is chosen."""
        self._shown = words
        self.choice.show(words)

    def fit(self, width: int) -> None:
        super().fit(width)
        self.choice.limit(width * 3 // 5)

    def beside(self) -> int:
        return self.choice.button.winfo_reqwidth()

    def _rows(self) -> list[Row]:
        return [
            Item(label=words, action=choose, checked=words == self._shown)
            for words, choose in self._choices()
        ]
