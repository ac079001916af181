"""Distances within a Text. Tk 8.6 counts a character beyond U+FFFF as two, Tk 9 as one."""

import re
import tkinter as tk
from typing import Final

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


class Indices:
    """Counts as the Tk of this widget does."""

    def __init__(self, widget: tk.Misc) -> None:
        self._extra = int(widget.tk.call("string", "length", "\U0001f600")) - 1

    def units(self, text: str) -> int:
        """How many indices a text takes."""
        return len(text) + (len(_ASTRAL.findall(text)) * self._extra if self._extra else 0)
