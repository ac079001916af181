"""Thoughts: the folded reasoning of one answer.

What is folded is not in the Text at all: Tk joins lines across an elided newline, so that hidden
reasoning of 100,000 characters would cost 300 ms per token.
"""

import itertools
import tkinter as tk
from collections.abc import Callable
from typing import Final, Protocol

from tkinfer.ui.composition import CHROME, REASONING, REASONING_FOOT, REASONING_HEAD

_numbers = itertools.count()
_CHUNK: Final = 4_000
_CLOSED, _OPEN = "▸", "▾"


def words(seconds: float, characters: int, *, over: bool) -> str:
    """What stands beside the fold."""
    took = f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"  # noqa: PLR2004 - as in the figures
    if seconds <= 0:
        took = ""
    verb = "Thought" if over else "Thinking"
    if took:
        verb = f"{verb} for {took}" if over else f"{verb}, {took}"
    return f"{verb} · {characters:,} characters"


class Place(Protocol):
    """A place of the Text that can be written to, at its end."""

    def write(self, text: str, *tags: str) -> None: ...

    def close(self) -> None: ...


class Thoughts:
    """A head that says how long it took, and opens the text below it. Main thread."""

    def __init__(self, text: tk.Text, place: str, open_place: Callable[[str], Place]) -> None:
        """`place` is a mark with right gravity where a line begins."""
        self._text = text
        self._open_place = open_place
        number = next(_numbers)
        self.head: Final = f"thoughts.{number}.head"
        self._end: Final = f"thoughts.{number}.end"
        self._parts: list[str] = []
        self._length = 0
        self._held = ""
        self._seconds = 0.0
        self._over = False
        self._place: Place | None = None
        text.insert(place, "\n", (CHROME, REASONING_HEAD), "\n", (CHROME, REASONING_FOOT))
        text.mark_set(self.head, f"{place} -2 indices")
        text.mark_gravity(self.head, "left")
        text.mark_set(self._end, f"{place} -1 indices")
        text.mark_gravity(self._end, "right")
        self._show_head()

    @property
    def is_open(self) -> bool:
        return self._place is not None

    def add(self, text: str) -> None:
        """What the model thought next."""
        self._parts.append(text)
        self._length += len(text)
        if self._place is not None:
            self._write(text)

    def tell(self, seconds: float, *, over: bool) -> None:
        """So long it thinks now, or has thought."""
        self._seconds, self._over = seconds, over
        self._show_head()

    def make_room(self, insert: Callable[[], None]) -> None:
        """Let something be inserted in front of the fold."""
        self._text.mark_gravity(self.head, "right")
        insert()
        self._text.mark_gravity(self.head, "left")

    def toggle(self) -> None:
        """Open the fold, or close it."""
        if self._place is None:
            self._place = self._open_place(self._end)
            self._held = ""
            self._parts = ["".join(self._parts)]
            for start in range(0, self._length, _CHUNK):
                self._write(self._parts[0][start : start + _CHUNK])
        else:
            self._place.close()
            self._place = None
            self._text.delete(f"{self.head} lineend +1 indices", self._end)
        self._show_head()

    def close(self) -> None:
        """The answer is about to be deleted."""
        if self._place is not None:
            self._place.close()
        self._text.mark_unset(self.head, self._end)

    def _write(self, text: str) -> None:
        assert self._place is not None, "it is open"
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""  # whose line feed may follow
        text = text.removesuffix("\r")
        self._place.write(text, REASONING)

    def _show_head(self) -> None:
        sign = _OPEN if self._place is not None else _CLOSED
        label = f"{sign} {words(self._seconds, self._length, over=self._over)}"
        if self._text.get(self.head, f"{self.head} lineend") != label:
            self._text.delete(self.head, f"{self.head} lineend")
            self._text.insert(self.head, label, (CHROME, REASONING_HEAD))
