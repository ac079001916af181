"""Notices above the composer: what happened, what to do next, and the details on demand."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.readonly import make_readonly
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers
from tkinfer.ui.view import Notice

_MOST_SHOWN = 3
_MOST_DETAIL_LINES = 8
BRIEF_MS = 15_000

_ICON_COLOURS = {"plain": "accent", "warning": "warning", "error": "danger"}


class NoticeArea:
    """Shows the newest notices, oldest on top. The same notice is not shown twice."""

    def __init__(self, parent: tk.Misc, theme: Theme) -> None:
        self.frame = ttk.Frame(parent)
        self._theme = theme
        self._bars: dict[Notice, _NoticeBar] = {}
        # An empty frame keeps the height of its last child; the spacer lets it shrink to nothing.
        ttk.Frame(self.frame, height=1).pack()
        theme.on_paint(lambda _: self._repaint())

    def show(self, notice: Notice) -> None:
        if notice in self._bars:
            self.close(notice)
        while len(self._bars) >= _MOST_SHOWN:
            self.close(next(iter(self._bars)))
        self._bars[notice] = _NoticeBar(
            self.frame, self._theme, notice, close=lambda: self.close(notice)
        )

    def close(self, notice: Notice) -> None:
        """Take a notice away, if it is still there."""
        if (bar := self._bars.pop(notice, None)) is not None:
            bar.frame.destroy()

    def close_newest(self) -> bool:
        """Take the last one away. False: there is none."""
        if not self._bars:
            return False
        self.close(next(reversed(self._bars)))
        return True

    def _repaint(self) -> None:
        for bar in self._bars.values():
            bar.paint()


class _NoticeBar:
    """One notice. `close` takes it away."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, notice: Notice, close: Callable[[], None]
    ) -> None:
        px = theme.px
        self._theme = theme
        self._notice = notice
        self._detail: tk.Text | None = None
        tone = notice.tone.value.capitalize()
        padding = (px(14), px(9), px(8), px(9))
        self.frame = ttk.Frame(parent, style=f"Notice{tone}.TFrame", padding=padding)
        self._dot = ttk.Label(self.frame, style=f"{tone}.TLabel")
        self._what = ttk.Label(self.frame, text=clean(notice.what), style=f"{tone}.Bold.TLabel")
        self._next = ttk.Label(self.frame, text=clean(notice.next_step), style=f"{tone}.TLabel")
        self._buttons = ttk.Frame(self.frame, style=f"{tone}Flat.TFrame")
        button = f"Notice{tone}.TButton"
        action = notice.action
        self._action = ttk.Button(
            self._buttons,
            text=clean_line(action.label) if action is not None else "",
            style=button,
            command=self._act,
        )
        self._close_bar = close
        self._toggle = ttk.Button(
            self._buttons, text="Details", style=button, command=self._toggle_detail
        )
        self._copy = ttk.Button(self._buttons, text="Copy", style=button, command=self._copy_detail)
        self._close = ttk.Button(self._buttons, style=button, command=close)
        self._lay_out()
        self.paint()

    def paint(self) -> None:
        palette = self._theme.palette
        colour = palette.text[_ICON_COLOURS[self._notice.tone.value]]
        self._dot.configure(image=self._theme.icon("dot", colour, 12))
        self._close.configure(image=self._theme.icon("close", palette.text["normal"]))
        if self._detail is not None:
            self._paint_detail(self._detail)

    def _lay_out(self) -> None:
        px = self._theme.px
        self.frame.columnconfigure(1, weight=1)
        self._dot.grid(row=0, column=0, padx=(0, px(8)))
        self._what.grid(row=0, column=1, sticky="ew")
        if self._notice.next_step:
            self._next.grid(row=1, column=1, columnspan=2, sticky="ew", pady=(px(2), 0))
        self._buttons.grid(row=0, column=2, sticky="ne")
        if self._notice.detail:
            self._toggle.pack(side="left")
        if self._notice.action is not None:
            self._action.pack(side="left")
            if self._notice.action.brief:
                Timers(self.frame).start("go", BRIEF_MS, self._close_bar)
        self._close.pack(side="right")
        self.frame.pack(fill="x", pady=(0, px(8)))
        self.frame.bind("<Configure>", self._wrap)

    def _wrap(self, event: "tk.Event[tk.Misc]") -> None:
        px = self._theme.px
        beside = px(40) + self._buttons.winfo_reqwidth()
        self._what.configure(wraplength=max(event.width - beside, px(100)))
        self._next.configure(wraplength=max(event.width - px(60), px(100)))

    def _act(self) -> None:
        self._close_bar()
        if self._notice.action is not None:
            self._notice.action.run()

    def _toggle_detail(self) -> None:
        if self._detail is not None:
            self._detail.destroy()
            self._detail = None
            self._toggle.configure(text="Details")
            self._copy.pack_forget()
            return
        self._detail = self._make_detail()
        self._detail.grid(row=2, column=1, columnspan=2, sticky="ew", pady=(self._theme.px(6), 0))
        self._toggle.configure(text="Hide details")
        self._copy.pack(side="left", after=self._toggle)

    def _make_detail(self) -> tk.Text:
        text = clean(self._notice.detail).strip("\n")
        lines = text.count("\n") + 1
        box = tk.Text(
            self.frame,
            height=min(lines, _MOST_DETAIL_LINES),
            width=1,
            wrap="char",
            font=fonts.CODE,
            borderwidth=0,
            highlightthickness=0,
            insertwidth=0,
        )
        box.insert("1.0", text)
        make_readonly(box, copy=lambda: _copy_selection(box), typed=lambda _: None)
        self._paint_detail(box)
        return box

    def _paint_detail(self, box: tk.Text) -> None:
        palette = self._theme.palette
        tone = self._notice.tone.value
        box.configure(
            background=palette.ground["notice" if tone == "plain" else tone],
            foreground=palette.text["normal"],
            selectbackground=palette.ground["selection"],
            selectforeground=palette.text["normal"],
            inactiveselectbackground=palette.ground["selection"],
        )

    def _copy_detail(self) -> None:
        self.frame.clipboard_clear()
        self.frame.clipboard_append(clean(self._notice.detail))
        self._copy.configure(text="Copied")


def _copy_selection(box: tk.Text) -> None:
    if box.tag_ranges("sel"):
        box.clipboard_clear()
        box.clipboard_append(box.get("sel.first", "sel.last"))
