"""Sheets: short texts in the middle of the window, such as the keyboard help. Esc closes them."""

import sys
import tkinter as tk
from collections.abc import Sequence
from tkinter import ttk
from typing import Literal

from tkinfer import __version__
from tkinfer.ui import fonts, tcl
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

KEYS = (
    ("Enter", "Send"),
    ("Shift+Enter", "New line"),
    ("Esc", "Stop the answer, or the loading"),
    ("Ctrl+R", "Answer the last question again"),
    ("Ctrl+Enter", "Go on with an answer that was cut"),
    ("Up, in the empty box", "Change the last question"),
    ("Ctrl+N", "New chat"),
    ("Ctrl+O", "Open a GGUF file"),
    ("Ctrl+,", "Settings"),
    ("Ctrl+L", "Go to the input box"),
    ("Ctrl+F", "Find in the chat"),
    ("Ctrl+Shift+C", "Copy the last code block"),
    ("Ctrl+Plus, Ctrl+Minus", "Larger or smaller text; so does Ctrl with the wheel"),
    ("Ctrl+0", "Text as large as at first"),
    ("Tab, Shift+Tab", "Next or previous control"),
    ("F1", "This help"),
)


class Sheet:
    """At most one sheet at a time."""

    def __init__(self, root: tk.Tk, theme: Theme) -> None:
        self._root = root
        self._theme = theme
        self._frame: ttk.Frame | None = None
        self._focus_before = ""

    def close(self) -> bool:
        """Take the sheet away. False: there is none."""
        frame, self._frame = self._frame, None
        if frame is None:
            return False
        frame.destroy()
        tcl.focus(self._root, self._focus_before)
        return True

    def show_keys(self) -> None:
        keys = KEYS
        if self._root.tk.call("tk", "windowingsystem") == "aqua":
            keys = tuple((key.replace("Ctrl", "Command"), what) for key, what in keys)
        self._show("Keyboard", keys)

    def show_about(self) -> None:
        tk_version = str(self._root.tk.call("info", "patchlevel"))
        python = ".".join(map(str, sys.version_info[:3]))
        rows = (
            ("Version", __version__),
            ("Python, Tk", f"{python}, {tk_version}"),
            ("Licence", "Apache-2.0"),
            ("Models", "run on this computer through llama.cpp"),
        )
        self._show("About tkinfer", rows)

    def _show(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        if not self.close():
            self._focus_before = tcl.focus_path(self._root)
        px = self._theme.px
        frame = ttk.Frame(self._root, style="Popover.TFrame", padding=px(22))
        heading = ttk.Label(frame, text=title, style="Raised.Title.TLabel")
        heading.grid(row=0, column=0, columnspan=2, sticky="w", pady=(0, px(10)))
        for number, (key, what) in enumerate(rows, start=1):
            left = ttk.Label(frame, text=clean_line(key), style="Raised.Dim.TLabel")
            left.grid(row=number, column=0, sticky="w", padx=(0, px(24)), pady=px(3))
            right = ttk.Label(frame, text=clean_line(what), style="Raised.TLabel", font=fonts.UI)
            right.grid(row=number, column=1, sticky="w")
        button = ttk.Button(frame, text="Close", style="Accent.TButton", command=self.close)
        button.grid(row=len(rows) + 1, column=0, columnspan=2, sticky="e", pady=(px(16), 0))
        for key in ("<Tab>", "<<PrevWindow>>"):
            button.bind(key, _stay)
        button.bind("<Return>", lambda _: button.invoke())
        frame.place(relx=0.5, rely=0.45, anchor="center")
        tcl.raise_above(frame)
        button.focus_set()
        self._frame = frame


def _stay(_event: "tk.Event[tk.Misc]") -> Literal["break"]:
    return "break"
