"""Cut, copy and paste in the input box, with the user's own characters."""

import tkinter as tk
from collections.abc import Callable
from typing import Literal

from tkinfer.ui import draft, tcl


class BoxClipboard:
    """Binds one Text. `insert` puts text in the place of its selection, or at the cursor."""

    def __init__(self, text: tk.Text, insert: Callable[[str], None]) -> None:
        self._text = text
        self._insert = insert
        text.bind("<<Paste>>", self._paste)
        text.bind("<<PasteSelection>>", self._paste_primary)
        text.bind("<<Copy>>", self._copy)
        text.bind("<<Cut>>", self._cut)
        for name in ("<<SelectAll>>", "<Control-a>", "<Control-A>"):
            text.bind(name, self._select_all)
        for name in ("<Control-y>", "<Control-Y>"):
            text.bind(name, self._redo)  # on X11 Tk's own is Ctrl+Shift+Z only

    def _paste(self, _event: "tk.Event[tk.Text]") -> Literal["break"]:
        if text := draft.clipboard(self._text):
            self._insert(text)
        return "break"

    def _paste_primary(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        try:
            text = tcl.primary_selection(self._text)
        except (tk.TclError, UnicodeDecodeError):
            return "break"
        self._text.tag_remove("sel", "1.0", "end")
        self._text.mark_set("insert", f"@{event.x},{event.y}")
        self._text.focus_set()
        self._insert(text)
        return "break"

    def _copy(self, _event: "tk.Event[tk.Text]") -> Literal["break"]:
        if selected := self._selected():
            self._text.clipboard_clear()
            self._text.clipboard_append(selected)
        return "break"

    def _cut(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._copy(event)
        if self._text.tag_ranges("sel"):
            self._insert("")
        return "break"

    def _selected(self) -> str:
        if not self._text.tag_ranges("sel"):
            return ""
        return draft.from_box(self._text.get("sel.first", "sel.last"))

    def _select_all(self, _event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._text.tag_add("sel", "1.0", "end-1c")
        return "break"

    def _redo(self, _event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._text.event_generate("<<Redo>>")
        return "break"
