"""The text of the input box: what goes in from the keyboard or a paste, and what comes out.

A pasted line without end would make Tk slow here too (see linebreaks.py). Tags don't survive Tk's
undo, so a soft break in the input box is a pair of characters: a line separator, which the
sanitiser lets through nowhere else, and a newline.
"""

import tkinter as tk

from tkinfer.ui.linebreaks import LineBreaker
from tkinfer.ui.sanitise import clean

_BREAK = "\u2028\n"


def to_box(text: str) -> str:
    """Characters as the box holds them."""
    return _BREAK.join(LineBreaker().cut(clean(text)))


def from_box(content: str) -> str:
    """The user's own characters of what the box holds."""
    return content.replace(_BREAK, "").replace("\u2028", "")


def clipboard(widget: tk.Misc) -> str:
    """What the clipboard holds as text; empty when it holds none, or its owner does not answer."""
    try:
        return widget.clipboard_get()
    except tk.TclError:
        return ""
    except UnicodeDecodeError:
        return ""
