"""Finding: which messages of a chat hold a text, as it is shown. No tkinter here.

What is shown differs from what was written: marks are gone, formulae are signs. So a message that
may hold the text is rendered; most can't, which a look at what was written tells.
"""

import re
from typing import Final

from actors.drawing import DrawOp, InsertRuns, InsertText, TableRow
from tkinfer.ui.view import Entry, History

_WORD: Final = re.compile(r"\w+")
_MAY_LOOK_DIFFERENT: Final = re.compile(r"[&\\$]")


class Finding:
    """Looks through a chat, a message per step."""

    def __init__(self, history: History, needle: str) -> None:
        self.needle = needle
        self.hits: dict[int, int] = {}
        """How often it is in each message that holds it; in the order of the messages."""
        self._history = history
        self._count = len(history)
        self._next = 0
        self.pattern = re.compile(re.escape(needle), re.IGNORECASE)
        self._words = [word.casefold() for word in _WORD.findall(needle)]

    def is_of(self, history: History, needle: str) -> bool:
        """Whether that is what was looked for, and where, as far as is known."""
        return (history, needle) == (self._history, self.needle) and len(history) == self._count

    @property
    def complete(self) -> bool:
        return self._next >= self._count

    @property
    def total(self) -> int:
        """How often it was found so far."""
        return sum(self.hits.values())

    def step(self) -> None:
        """Look through the next message."""
        index = self._next
        self._next += 1
        if index < len(self._history):
            entry = self._history.entry(index)
            if self._may_hold(entry.text):
                shown = entry.text if entry.is_user else self._shown(entry)
                if found := len(self.pattern.findall(shown)):
                    self.hits[index] = found

    def place_of(self, number: int) -> tuple[int, int]:
        """The message of a hit, counted from 0, and which one in it that is."""
        for index, count in self.hits.items():
            if number < count:
                return index, number
            number -= count
        raise IndexError(number)

    def first_from(self, index: int) -> int:
        """The number of the first hit in this message or behind it; of the last one if none is."""
        before = sum(count for place, count in self.hits.items() if place < index)
        return min(before, max(self.total - 1, 0))

    def _may_hold(self, text: str) -> bool:
        folded = text.casefold()
        if all(word in folded for word in self._words):
            return True
        return _MAY_LOOK_DIFFERENT.search(text) is not None

    def _shown(self, entry: Entry) -> str:
        renderer = self._history.renderer()
        ops = [*renderer.feed(entry.text, tail=False), *renderer.finish()]
        return "".join(map(_text_of, ops))


def _text_of(op: DrawOp) -> str:
    match op:
        case InsertText():
            return op.text
        case InsertRuns():
            return "".join(run.text for run in op.runs)
        case TableRow():
            cells = ("".join(run.text for run in cell) for cell in op.cells)
            return "\t".join(cells) + "\n"
        case _:
            return "\n"
