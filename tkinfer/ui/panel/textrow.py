"""Several lines of text to type: system prompt, stop strings, grammar."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk
from typing import Literal

from tkinfer.tuning.fields import FieldError
from tkinfer.ui import draft, fonts
from tkinfer.ui.panel.fieldrow import FieldRow, paint_text, window_keys_first
from tkinfer.ui.theme import Theme

_APPLY_MS = 300
MAX_UNDO = 200


class TextRow(FieldRow):
    """Applied some 300 ms after the last key. `apply` raises FieldError for what can't be used;
    that text stays in the box, marked with the reason.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        label: str,
        note: str,
        apply: Callable[[str], None],
        reset: Callable[[], None] | None = None,
        *,
        lines: int = 3,
        code: bool = False,
    ) -> None:
        super().__init__(parent, theme, label, note, reset)
        self._apply = apply
        self._shown = ""
        self._box = ttk.Frame(self.frame, style="Field.TFrame", padding=theme.px(5))
        self.text = make_text(self._box, theme, lines=lines, code=code)
        self.text.pack(fill="both", expand=True)
        self._box.grid(row=1, column=0, columnspan=3, sticky="ew", pady=(theme.px(4), 0))
        self.text.bind("<<Modified>>", self._modified)
        self.text.bind("<FocusIn>", lambda _: self._box.state(["focus"]), add=True)
        self.text.bind("<FocusOut>", lambda _: self._left(), add=True)

    def show(self, text: str) -> None:
        """The text that is in use; what can't be used, or isn't applied yet, stays in the box."""
        if self.error or self.timers.running("apply") or text == self._shown:
            return
        self._shown = text
        if text != self.typed():
            put_text(self.text, text)
            self.text.edit_modified(False)
            self.timers.cancel("apply")

    def typed(self) -> str:
        """What is in the box."""
        return draft.from_box(self.text.get("1.0", "end-1c"))

    def is_settled(self) -> bool:
        """Whether there is a text, and nothing wrong with it, and nothing to be applied yet."""
        return bool(self.typed().strip()) and not (self.error or self.timers.running("apply"))

    def flush(self) -> None:
        if self.timers.running("apply"):
            self.timers.cancel("apply")
            self._take()

    def mark(self, *, invalid: bool) -> None:
        self._box.state(["invalid" if invalid else "!invalid"])

    def discard(self) -> None:
        super().discard()
        self.timers.cancel("apply")
        self._shown = "\0"  # no text is this one: whatever is in use now is shown

    def _modified(self, _event: "tk.Event[tk.Text]") -> None:
        if self.text.edit_modified():
            self.text.edit_modified(False)
            self.timers.start("apply", _APPLY_MS, self._take)

    def _left(self) -> None:
        self._box.state(["!focus"])
        self.flush()

    def _take(self) -> None:
        text = self.typed()
        try:
            self._apply(text)
        except FieldError as error:
            self.show_error(f"{error} Not applied yet.")
        else:
            self._shown = text
            self.show_error("")


def put_text(box: tk.Text, text: str) -> None:
    """Replace the whole text; undo doesn't go back behind it."""
    box.delete("1.0", "end")
    box.insert("1.0", text)
    box.edit_reset()


def make_text(parent: tk.Misc, theme: Theme, *, lines: int, code: bool = False) -> tk.Text:
    """A box for text of any length: its lines stay short for Tk, and its keys are the window's."""
    text = tk.Text(
        parent,
        height=lines,
        width=1,
        wrap="char" if code else "word",
        font=fonts.CODE if code else fonts.UI,
        undo=True,
        maxundo=MAX_UNDO,
        borderwidth=0,
        highlightthickness=0,
        padx=theme.px(3),
        pady=theme.px(1),
        spacing3=theme.px(1),
    )
    draft.SoftBreaks(text)
    window_keys_first(text)
    _bind(text)
    theme.on_paint(lambda palette: paint_text(text, theme, palette))
    return text


def _bind(text: tk.Text) -> None:
    def leave(step: Callable[[], tk.Misc | None]) -> Literal["break"]:
        if (widget := step()) is not None:
            widget.focus_set()
            widget.event_generate("<<TraverseIn>>")
        return "break"

    def paste(_event: "tk.Event[tk.Text]") -> Literal["break"]:
        text.edit_separator()
        if text.tag_ranges("sel"):
            text.delete("sel.first", "sel.last")
        text.insert("insert", draft.clipboard(text))
        text.edit_separator()
        text.see("insert")
        return "break"

    def copy(_event: "tk.Event[tk.Text]") -> Literal["break"]:
        if text.tag_ranges("sel"):
            text.clipboard_clear()
            text.clipboard_append(draft.from_box(text.get("sel.first", "sel.last")))
        return "break"

    def cut(event: "tk.Event[tk.Text]") -> Literal["break"]:
        copy(event)
        if text.tag_ranges("sel"):
            text.delete("sel.first", "sel.last")
        return "break"

    def select_all(_event: "tk.Event[tk.Text]") -> Literal["break"]:
        text.tag_add("sel", "1.0", "end-1c")
        return "break"

    text.bind("<Tab>", lambda _: leave(text.tk_focusNext))
    text.bind("<<PrevWindow>>", lambda _: leave(text.tk_focusPrev))
    text.bind("<<Paste>>", paste)
    text.bind("<<Copy>>", copy)
    text.bind("<<Cut>>", cut)
    for keys in ("<<SelectAll>>", "<Control-a>", "<Control-A>"):
        text.bind(keys, select_all)
    for keys in ("<Control-y>", "<Control-Y>"):
        text.bind(keys, lambda _: text.event_generate("<<Redo>>"))
