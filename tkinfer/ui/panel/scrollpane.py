"""A column of widgets that is higher than its place: scrolled by wheel, bar and focus."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui import tcl
from tkinfer.ui.palette import Palette
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

_WHEEL = 60
"""Design pixels for one step of a mouse wheel."""
_WHEEL_UNIT = 120
"""What Windows and macOS call one step."""
_BAR = 8
_SETTLE_MS = 20
"""What gets the focus may be new, and its place not yet known."""
_SIDE_AIR = 20


class ScrollPane:
    """`inside` is the frame to fill; `fitted` gets its width in pixels whenever that changes."""

    def __init__(self, parent: tk.Misc, theme: Theme, fitted: Callable[[int], None]) -> None:
        px = theme.px
        self._theme = theme
        self._fitted = fitted
        self._width = 0
        self._adopted: set[str] = set()
        self.frame = ttk.Frame(parent)
        self._canvas = tk.Canvas(
            self.frame, borderwidth=0, highlightthickness=0, width=1, height=1, takefocus=False
        )
        self._bar = ttk.Scrollbar(
            self.frame, style="Slim.Vertical.TScrollbar", command=self._scroll_by_bar
        )
        self._tag = f"scrolled{self.frame}"
        self.inside = ttk.Frame(self._canvas, padding=(px(_SIDE_AIR), px(4), 0, px(24)))
        self._holders = [self.inside]
        self._item = self._canvas.create_window(0, 0, anchor="nw", window=self.inside)
        self._canvas.place(relwidth=1, relheight=1)
        self._bar.place(relx=1, x=-px(_BAR + 3), relheight=1)
        self._timers = Timers(self.frame)
        self._canvas.configure(yscrollcommand=self._scrolled)
        self._canvas.bind("<Configure>", self._resized)
        self.inside.bind("<Configure>", lambda _: self._timers.soon("region", self._measure))
        self._bind_wheel()
        theme.on_paint(self._paint)

    @property
    def width(self) -> int:
        """Pixels that rows have, side by side with air and scrollbar; 0 before the first layout."""
        return self._width

    def adopt(self, widget: tk.Misc) -> None:
        """Scroll by the wheel over this widget and all in it, and see to what gets the focus."""
        for child in widget.winfo_children():
            self.adopt(child)
        tags = widget.bindtags()
        if self._tag not in tags:
            widget.bindtags((tags[0], self._tag, *tags[1:]))

    def adopt_new(self) -> None:
        """Adopt the rows that have come since the last time."""
        for holder in self._holders:
            for child in holder.winfo_children():
                if str(child) not in self._adopted:
                    self._adopted.add(str(child))
                    self.adopt(child)

    def hold(self, holder: ttk.Frame) -> None:
        """Rows come into this frame too, which lies in `inside`."""
        self._holders.append(holder)

    def see(self, widget: tk.Misc) -> None:
        """Scroll so far that the widget can be seen."""
        if not widget.winfo_exists():
            return
        height = self._canvas.winfo_height()
        top = widget.winfo_rooty() - self._canvas.winfo_rooty()
        bottom = top + widget.winfo_height()
        air = self._theme.px(24)
        if top < air:
            self._scroll(top - air)
        elif bottom > height - air:
            self._scroll(min(bottom - height + air, top - air))

    def _bind_wheel(self) -> None:
        root = self._theme.root
        root.bind_class(self._tag, "<Button-4>", lambda event: self._wheel(event, -1.0))
        root.bind_class(self._tag, "<Button-5>", lambda event: self._wheel(event, 1.0))
        root.bind_class(
            self._tag,
            "<MouseWheel>",
            lambda event: self._wheel(event, -event.delta / self._unit()),
        )
        root.bind_class(self._tag, "<FocusIn>", self._focused)
        self.adopt(self._canvas)

    def _unit(self) -> int:
        system = str(self._theme.root.tk.call("tk", "windowingsystem"))
        old_mac = system == "aqua" and tk.TkVersion < 9  # noqa: PLR2004 - it counts lines there
        return 1 if old_mac else _WHEEL_UNIT

    def _wheel(self, event: "tk.Event[tk.Misc]", steps: float) -> None:
        if not _scrolls_itself(event.widget):
            self._scroll(round(steps * self._theme.px(_WHEEL)))

    def _focused(self, event: "tk.Event[tk.Misc]") -> None:
        widget = event.widget
        if widget is not self._canvas and widget is not self.inside:
            self._timers.start("see", _SETTLE_MS, lambda: self.see(widget))

    def _scroll_by_bar(self, *how: str) -> None:
        self._canvas.tk.call(str(self._canvas), "yview", *how)

    def _scroll(self, pixels: int) -> None:
        whole = max(self.inside.winfo_height(), 1)
        now = float(self._canvas.canvasy(0))
        self._canvas.yview_moveto(max(now + pixels, 0.0) / whole)

    def _scrolled(self, first: float, last: float) -> None:
        self._bar.set(first, last)
        whole = (float(first), float(last)) == (0.0, 1.0)  # Tk sends them as texts
        self._bar.state(["disabled" if whole else "!disabled"])

    def _resized(self, event: "tk.Event[tk.Canvas]") -> None:
        self._canvas.itemconfigure(self._item, width=event.width)
        width = max(event.width - self._theme.px(2 * _SIDE_AIR), 1)
        if width != self._width:
            self._width = width
            self.inside.configure(padding=self._padding())
            self._fitted(width)
        self._measure()

    def _padding(self) -> tuple[int, int, int, int]:
        px = self._theme.px
        return px(_SIDE_AIR), px(4), px(_SIDE_AIR), px(24)

    def _measure(self) -> None:
        height = max(self.inside.winfo_reqheight(), self._canvas.winfo_height())
        self._canvas.configure(scrollregion=(0, 0, self._canvas.winfo_width(), height))

    def _paint(self, palette: Palette) -> None:
        self._canvas.configure(background=palette.ground["window"])


def _scrolls_itself(widget: tk.Misc) -> bool:
    """Whether the wheel over this widget is its own business: a text that is not all in view."""
    if not isinstance(widget, tk.Text):
        return False
    shares = tcl.strings(widget, widget.tk.call(str(widget), "yview"))
    return tuple(map(float, shares)) != (0.0, 1.0)
