"""Distances within a Text. Tk 8.6 has two measures for a character beyond U+FFFF.

As a column, as in `3.7`, it counts twice (a surrogate pair); in steps, as in `end -7 indices`, once
(measured with 8.6.13). On Tk 9 it is one of each. So both are found out at start.
"""

import re
import tkinter as tk
from typing import Final

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_PROBE: Final = "\U0001f600"
_KNOWN: Final = "tkinfer_astral"


class Indices:
    """Counts as the Tk of this widget does."""

    def __init__(self, widget: tk.Misc) -> None:
        self._columns, self._steps = _astral(widget)

    def columns(self, text: str) -> int:
        """How far a text moves what stands behind it in its line."""
        return _length(text, self._columns)

    def steps(self, text: str) -> int:
        """How many indices a text takes, for a place that is given relative to another."""
        return _length(text, self._steps)

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
                begin = self.columns(line[: match.start()])
                end = begin + self.columns(match[0])
                found.append((f"{number}.{begin}", f"{number}.{end}"))
        return found


def _length(text: str, astral: int) -> int:
    return len(text) + (len(_ASTRAL.findall(text)) * (astral - 1) if astral > 1 else 0)


def _astral(widget: tk.Misc) -> tuple[int, int]:
    """How many columns and how many steps such a character takes; asked once per interpreter."""
    interpreter = widget.tk
    if str(interpreter.call("info", "exists", _KNOWN)) != "1":
        probe = tk.Text(widget)
        probe.insert("1.0", f"{_PROBE}ab")
        columns = int(str(probe.index("1.0 lineend")).split(".")[1]) - 2
        first = probe.get("1.0 +1 indices", "1.0 lineend")
        probe.destroy()
        interpreter.call("set", _KNOWN, f"{columns} {1 if first == 'ab' else 2}")
    columns, steps = str(interpreter.call("set", _KNOWN)).split()
    return int(columns), int(steps)
