"""Soft breaks: a logical line never grows past MAX_LINE characters, however long the text's is.

Tk lays out a whole logical line for every change in it: measured 0.5 ms per token at 1,000
characters, 17 ms at 20,000 and 21 s at a million (Tk 8.6.13). So a real newline is put in, which
the caller tags, and leaves out again when the text is copied.
"""

import unicodedata
from collections.abc import Iterator

SOFT_LINE = 1_800
"""From here on the line is broken after the next space."""
HARD_LINE = 1_950
"""From here on it is broken between any two whole characters."""
MAX_LINE = 2_000
"""Here it is broken whatever stands there."""

_ZWJ = "\u200d"
_SPACES = " \t\u3000"


class LineBreaker:
    """Cuts text into stretches between soft breaks. Remembers how far the open line has grown.

    The place of a break depends only on the characters since the last one, so it is the same
    however the text was cut into pieces. The cost of a call depends on its own text only.
    """

    __slots__ = ("_last", "_length")

    def __init__(self) -> None:
        self._length = 0
        self._last = ""

    def copy(self) -> "LineBreaker":
        """A breaker that goes on from here, for trying something that may fail."""
        twin = LineBreaker()
        twin._length, twin._last = self._length, self._last
        return twin

    def reset(self) -> None:
        """A new line begins."""
        self._length, self._last = 0, ""

    def cut(self, text: str) -> Iterator[str]:
        """Yield stretches of `text`; a soft break belongs between each two of them."""
        start = 0  # of the stretch in hand
        line = 0  # of the logical line within text
        while line < len(text):
            newline = text.find("\n", line)
            end = len(text) if newline < 0 else newline
            while (at := self._next_break(text, line, end)) is not None:
                yield text[start:at]
                start = line = at
                self.reset()
            if newline < 0:
                self._length += end - line
                self._last = text[end - 1] if end > line else self._last
                break
            self.reset()
            line = newline + 1
        yield text[start:]

    def _next_break(self, text: str, line: int, end: int) -> int | None:
        """Where the line that stands at text[line:end] has to be broken, if it must be."""
        if self._length + end - line <= SOFT_LINE:
            return None
        first = max(line, line + SOFT_LINE - self._length)
        for at in range(first, end):
            length = self._length + at - line
            if length >= MAX_LINE:
                return at
            before = text[at - 1] if at > line else self._last
            if (before in _SPACES or length >= HARD_LINE) and _may_part(before, text[at]):
                return at
        return None


def _may_part(before: str, after: str) -> bool:
    """Whether a line may end between these two without tearing one visible character apart."""
    if _ZWJ in {before, after}:
        return False
    if after < "\u0300":  # neither combining marks nor emoji below
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":  # skin tones belong to what stands before
        return False
    if "\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff":
        return False  # two regional indicators make one flag
    if "\u1160" <= after <= "\u11ff":  # vowel and final jamo
        return False
    return not unicodedata.category(after).startswith("M")
