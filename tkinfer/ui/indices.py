"""Distances within a Text. Tk 8.6 counts a character beyond U+FFFF as two, Tk 9 as one."""

import re
import tkinter as tk
from typing import Final

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


class Indices:
    """Counts as the Tk of this widget does."""

    def __init__(self, widget: tk.Misc) -> None:
        self._extra = int(widget.tk.call("string", "length", "\U0001f600")) - 1

    def places(
        self, text: tk.Text, pattern: re.Pattern[str], first: str, last: str
    ) -> list[tuple[str, str]]:
        """Where between two places at line starts the pattern matches, within lines.

        Tk's own `search` ends the process by a segmentation fault in a Text that holds images
        (8.6.13, with -nocase and -all).
        """
        start = int(str(text.index(first)).split(".")[0])
        found: list[tuple[str, str]] = []
        for number, line in enumerate(text.get(first, last).split("\n"), start):
            for match in pattern.finditer(line):
                begin = self.units(line[: match.start()])
                end = begin + self.units(match[0])
                found.append((f"{number}.{begin}", f"{number}.{end}"))
        return found

    def units(self, text: str) -> int:
        """How many indices a text takes."""
        return len(text) + (len(_ASTRAL.findall(text)) * self._extra if self._extra else 0)
