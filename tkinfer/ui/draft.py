"""The text of the input box: what goes in from the keyboard or a paste, and what comes out.

A line without end would make Tk slow here too (see linebreaks.py). Tags don't survive Tk's undo, so
a soft break in the input box is a pair of characters: a line separator, which the sanitiser lets
through nowhere else, and a newline.
"""

import tkinter as tk

from tkinfer.ui.linebreaks import MAX_LINE, LineBreaker
from tkinfer.ui.sanitise import clean

_BREAK = "\u2028\n"
_START, _END = "draft.start", "draft.end"
"""Marks around what was changed last."""

_WRAPPER = """
    rename {box} {raw}
    set {raw}.editing 0
    proc {box} {{op args}} {{
        upvar #0 {raw}.editing editing
        if {{$op eq "edit"}} {{
            set editing 1
            try {{ return [{raw} edit {{*}}$args] }} finally {{ set editing 0 }}
        }}
        if {{$editing || $op ni {{insert delete}}}} {{ tailcall {raw} $op {{*}}$args }}
        {raw} $op {{*}}[{before} $op {{*}}$args]
        {after}
        return
    }}
"""
"""In Tcl, so that the errors of the widget's other commands stay what they are.

Tk's undo and redo call the widget's own insert and delete too, and go through as they are.
"""


def to_box(text: str) -> str:
    """Characters as the box holds them."""
    return _BREAK.join(LineBreaker().cut(clean(text)))


def from_box(content: str) -> str:
    """The user's own characters of what the box holds."""
    return content.replace(_BREAK, "").replace("\u2028", "")


def is_soft(line: str) -> bool:
    """Whether a line of the box ends in a soft break, so that the user's line goes on below."""
    return line.endswith("\u2028")


class SoftBreaks:
    """Keeps the lines of a box short and its soft breaks whole, whoever inserts or deletes.

    It stands before the widget's own command, where keys, input methods and pastes all come by.
    A soft break is undone together with what made it necessary, so lines stay short there too.
    """

    def __init__(self, box: tk.Text) -> None:
        self._box = box
        names = {
            "box": str(box),
            "raw": f"{box}.unbroken",
            "before": box.register(self._before),
            "after": box.register(self._after),
        }
        self._raw = names["raw"]
        box.tk.eval(_WRAPPER.format(**names))

    def _before(self, op: str, *args: str) -> tuple[str, ...]:
        """The arguments with which to call the widget's own command instead."""
        try:
            return self._inserting(*args) if op == "insert" else self._deleting(*args)
        except (tk.TclError, TypeError):
            return args  # wrong ones: the widget itself shall say so

    def _inserting(self, where: str, text: str, *rest: str) -> tuple[str, ...]:
        at = self._box.index(where)
        if self._splits(at):  # as the End key leaves the cursor
            at = self._box.index(f"{at} - 1 chars")
        self._mark(at)
        return at, to_box(text), *rest

    def _deleting(self, first: str, last: str | None = None, *rest: str) -> tuple[str, ...]:
        box = self._box
        start, end = box.index(first), box.index(last or f"{first} + 1 chars")
        whole = box.compare(start, "<", end)
        backwards = box.compare("insert", ">", start)
        if whole and self._splits(start):
            start = box.index(f"{start} - 1 chars")
        if whole and self._splits(end):
            end = box.index(f"{end} + 1 chars")
        if box.get(start, end) == _BREAK:  # the key was meant for the character beyond it
            start = box.index(f"{start} - 1 chars") if backwards else start
            end = end if backwards else box.index(f"{end} + 1 chars")
        self._mark(start)
        return start, end, *rest

    def _splits(self, at: str) -> bool:
        """Whether this is the place between the two characters of a soft break."""
        box = self._box
        return (
            box.get(at) == "\n"
            and box.compare(at, "!=", f"{at} linestart")
            and box.get(f"{at} - 1 chars") == "\u2028"
        )

    def _mark(self, at: str) -> None:
        self._box.mark_set(_START, at)
        self._box.mark_gravity(_START, "left")
        self._box.mark_set(_END, at)

    def _after(self) -> None:
        """Cut the lines where new text and old have met; those between were cut before."""
        self._cut_line(_END)
        self._cut_line(_START)

    def _cut_line(self, mark: str) -> None:
        box = self._box
        text = box.get(f"{mark} linestart", f"{mark} lineend").removesuffix("\u2028")
        if len(text) <= MAX_LINE:
            return
        line = box.index(mark).split(".")[0]
        stretches = list(LineBreaker().cut(text))
        automatic = box.cget("autoseparators")
        box.configure(autoseparators=False)  # undone together with what made the line too long
        for count in range(len(stretches) - 1, 0, -1):
            column = self._columns("".join(stretches[:count]))
            # Only put in: the cursor, the selection and all tags stay with their characters.
            box.tk.call(self._raw, "insert", f"{line}.{column}", _BREAK)
        box.configure(autoseparators=automatic)

    def _columns(self, text: str) -> int:
        """The text's length in Tk's own units: an emoji is two of them in Tk 8.6."""
        return int(str(self._box.tk.call("string", "length", text)))


def clipboard(widget: tk.Misc) -> str:
    """What the clipboard holds as text; empty when it holds none, or its owner does not answer."""
    try:
        return widget.clipboard_get()
    except tk.TclError:
        return ""
    except UnicodeDecodeError:
        return ""
