"""Menus as part of the window: rounded, in our own colours on every platform, and ruled by keys."""

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tkinter import ttk
from typing import Literal

from tkinfer.ui import fonts, tcl
from tkinfer.ui.elide import elide_end
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

_LEAST_WIDTH = 220
_MOST_WIDTH = 460
_ROW_PADDING = 10
_GAP = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One row. `checked` is None for rows that aren't choices."""

    label: str
    action: Callable[[], None]
    shortcut: str = ""
    checked: bool | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A dim line above a group of rows."""

    label: str


SEPARATOR = Heading(label="")

Row = Item | Heading
Anchor = Literal["nw", "ne", "sw", "se"]
Break = Literal["break"]


class Popover:
    """At most one menu at a time. Esc, a choice, a click elsewhere or a lost focus close it."""

    def __init__(self, root: tk.Tk, theme: Theme) -> None:
        self._root = root
        self._theme = theme
        self._frame: ttk.Frame | None = None
        self._buttons: list[ttk.Button] = []
        self._focus_before = ""
        self._dismissed_on = ""
        root.bind("<Button>", self._pressed, add=True)
        root.bind("<FocusOut>", self._focus_left, add=True)

    @property
    def is_open(self) -> bool:
        return self._frame is not None

    def open_under(self, opener: tk.Misc, rows: Sequence[Row], *, above: bool = False) -> None:
        """Show below a button, or above it, aligned to its right edge. A press on the button
        closes it again.
        """
        if self._dismissed_on == str(opener):
            self._dismissed_on = ""
            return
        x = opener.winfo_rootx() - self._root.winfo_rootx() + opener.winfo_width()
        y = opener.winfo_rooty() - self._root.winfo_rooty()
        if above:
            self.open_at(x, y - self._theme.px(4), "se", rows)
        else:
            self.open_at(x, y + opener.winfo_height() + self._theme.px(4), "ne", rows)

    def open_at_pointer(self, event: "tk.Event[tk.Misc]", rows: Sequence[Row]) -> None:
        """Show beside the pointer, on the side where there is room."""
        x = event.x_root - self._root.winfo_rootx()
        y = event.y_root - self._root.winfo_rooty()
        right = x > self._root.winfo_width() // 2
        low = y > self._root.winfo_height() // 2
        anchor: Anchor = ("se" if right else "sw") if low else ("ne" if right else "nw")
        self.open_at(x, y, anchor, rows)

    def open_at(self, x: int, y: int, anchor: Anchor, rows: Sequence[Row]) -> None:
        """Show with this corner at a place of the window."""
        self.close()
        px = self._theme.px
        self._focus_before = tcl.focus_path(self._root)
        frame = ttk.Frame(self._root, style="Popover.TFrame", padding=px(6))
        width = self._width(rows)
        for row in rows:
            if isinstance(row, Item):
                self._add_item(frame, row, width)
            elif row.label:
                label = ttk.Label(
                    frame, text=clean_line(row.label), style="Raised.SmallBold.TLabel"
                )
                label.pack(fill="x", padx=px(_ROW_PADDING), pady=(px(6), px(2)))
            else:
                line = ttk.Frame(frame, style="Hair.TFrame", height=px(1))
                line.pack(fill="x", pady=px(5))
        frame.place(x=x, y=y, anchor=anchor)
        tcl.raise_above(frame)
        self._frame = frame
        self._move(0, first=True)

    def close(self) -> None:
        """Take the menu away, and give the focus back unless a click has moved it on."""
        frame, self._frame = self._frame, None
        if frame is None:
            return
        had_focus = tcl.focus_path(self._root).startswith(str(frame))
        self._buttons.clear()
        frame.destroy()
        if had_focus:
            tcl.focus(self._root, self._focus_before)

    def _add_item(self, frame: ttk.Frame, item: Item, width: int) -> None:
        colour = self._theme.palette.text["normal"]
        icon = self._theme.icon("check" if item.checked else "none", colour)
        button = ttk.Button(
            frame,
            text=self._line(item, width),
            style="Row.TButton",
            image=icon if item.checked is not None else "",
            compound="left" if item.checked is not None else "text",
            command=lambda: self._choose(item),
        )
        button.pack(fill="x")
        if not item.enabled:
            button.state(["disabled"])
            return
        button.bind("<Enter>", lambda _: button.focus_set())
        button.bind("<Down>", lambda _: self._move(1))
        button.bind("<Up>", lambda _: self._move(-1))
        button.bind("<Tab>", lambda _: self._move(1))
        button.bind("<<PrevWindow>>", lambda _: self._move(-1))
        button.bind("<Return>", lambda _: button.invoke())
        self._buttons.append(button)

    def _choose(self, item: Item) -> None:
        self.close()
        item.action()

    def _move(self, step: int, *, first: bool = False) -> Break:
        if self._buttons:
            paths = [str(button) for button in self._buttons]
            now = tcl.focus_path(self._root)
            at = 0 if first or now not in paths else (paths.index(now) + step) % len(paths)
            self._buttons[at].focus_set()
        return "break"

    def _width(self, rows: Sequence[Row]) -> int:
        """Pixels of the rows' text: as wide as the longest, within limits."""
        widest = max(
            (self._measure(self._joined(row)) for row in rows if isinstance(row, Item)), default=0
        )
        most = min(self._theme.px(_MOST_WIDTH), self._root.winfo_width() - self._theme.px(80))
        return max(min(widest, most), self._theme.px(_LEAST_WIDTH))

    def _joined(self, item: Item) -> str:
        return clean_line(item.label) + (_GAP + item.shortcut if item.shortcut else "")

    def _line(self, item: Item, width: int) -> str:
        """The label, and the shortcut pushed to the right edge by spaces."""
        if not item.shortcut:
            return elide_end(clean_line(item.label), width, self._measure)
        free = width - self._measure(clean_line(item.label)) - self._measure(item.shortcut)
        return clean_line(item.label) + " " * max(free // self._measure(" "), 2) + item.shortcut

    def _measure(self, text: str) -> int:
        return self._theme.fonts.measure(fonts.UI, text)

    def _pressed(self, event: "tk.Event[tk.Misc]") -> None:
        self._dismissed_on = ""
        if self._frame is not None and not str(event.widget).startswith(str(self._frame)):
            self._dismissed_on = str(event.widget)
            self.close()

    def _focus_left(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self._root and self._frame is not None:
            self.close()
