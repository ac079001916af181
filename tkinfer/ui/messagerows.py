"""MessageRows: which messages of the chat are drawn, and where.

The Text holds a window of the chat, bounded in messages and characters; what is left out stands as
a line that says how much. The conversation is the truth: what is not drawn is drawn when it comes
near the view, and what is far from it is dropped.
"""

import itertools
import tkinter as tk
from dataclasses import dataclass
from typing import Final

from tkinfer.ui import tcl
from tkinfer.ui.composition import CHROME, GAP_LINE
from tkinfer.ui.thoughts import Thoughts

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Manner:
    """How the user wants to see a message."""

    raw: bool = False
    """As it was written, Markdown and all."""
    thoughts_open: bool = False


NORMAL: Final = Manner()


@dataclass(slots=True, eq=False)
class Shown:
    """A message that is drawn, or is being drawn."""

    index: int
    start: str
    """A mark in front of it. It has right gravity, so that what is drawn in front stays there."""
    size: int = 0
    """Characters, about."""
    thoughts: Thoughts | None = None
    manner: Manner = NORMAL
    has_table: bool = False
    stale: bool = False
    """It would look otherwise if it were drawn now; that is done when it comes into view."""


@dataclass(slots=True, eq=False)
class Gap:
    """Messages that are not drawn: from `first` up to, but without, `end`."""

    first: int
    end: int
    start: str


Row = Shown | Gap


def gap_words(count: int) -> str:
    """What stands in place of so many messages."""
    return "One message" if count == 1 else f"{count:,} messages"


class MessageRows:
    """The rows in order, from the first message to the last. Knows marks, draws only gaps."""

    def __init__(self, text: tk.Text, tail: str) -> None:
        """`tail` is the mark behind all messages."""
        self._text = text
        self._tail = tail
        self.rows: list[Row] = []

    @property
    def shown(self) -> list[Shown]:
        return [row for row in self.rows if isinstance(row, Shown)]

    def __len__(self) -> int:
        """How many messages the chat has, drawn or not."""
        last = self.rows[-1] if self.rows else None
        return 0 if last is None else last.index + 1 if isinstance(last, Shown) else last.end

    @property
    def size(self) -> int:
        """Characters that are drawn, about."""
        return sum(row.size for row in self.rows if isinstance(row, Shown))

    def clear(self, count: int = 0) -> None:
        """Forget all rows; of `count` messages none is drawn. The Text is emptied by the caller."""
        for row in self.rows:
            self._forget(row)
        self.rows = []
        if count:
            self.rows.append(self._new_gap(0, count, self._tail))

    def append(self) -> Shown:
        """A new last message; it is drawn at the end next."""
        if self.rows:
            self._text.mark_gravity(self.rows[-1].start, "right")
        row = Shown(len(self), self._new_mark(self._tail, "left"))
        self.rows.append(row)
        return row

    def settle(self, row: Shown) -> None:
        """The message is drawn to its end: what comes in front of it, comes in front."""
        self._text.mark_gravity(row.start, "right")

    def of(self, index: int) -> Row | None:
        """The row that holds this message."""
        for row in self.rows:
            if isinstance(row, Shown) and row.index == index:
                return row
            if isinstance(row, Gap) and row.first <= index < row.end:
                return row
        return None

    def at(self, place: str) -> Row | None:
        """The row that stands at this place of the Text."""
        low, high = 0, len(self.rows)
        while low < high:
            middle = (low + high) // 2
            if self._text.compare(self.rows[middle].start, "<=", place):
                low = middle + 1
            else:
                high = middle
        return self.rows[low - 1] if low else None

    def between(self, first: str, last: str) -> list[Row]:
        """The rows that two places of the Text, and what lies between them, belong to."""
        begin, end = self.at(first), self.at(last)
        if begin is None or end is None:
            return []
        return self.rows[self.rows.index(begin) : self.rows.index(end) + 1]

    def end_of(self, row: Row) -> str:
        """The mark where the row ends."""
        number = self.rows.index(row) + 1
        return self.rows[number].start if number < len(self.rows) else self._tail

    def open(self, gap: Gap, index: int) -> Shown:
        """Make room for a message within a gap; it is drawn at its start next."""
        number = self.rows.index(gap)
        behind = self.end_of(gap)
        if index + 1 < gap.end:
            later = self._new_gap(index + 1, gap.end, behind)
            self.rows.insert(number + 1, later)
            behind = later.start
        row = Shown(index, self._new_mark(behind, "left"))
        self.rows.insert(number + 1, row)
        gap.end = index
        if gap.first == gap.end:
            self._text.delete(gap.start, f"{gap.start} lineend +1 indices")
            self._forget(gap)
            self.rows.remove(gap)
        else:
            self._label(gap)
        return row

    def drop(self, row: Shown) -> None:
        """Take a message off the Text; a gap stands for it."""
        number = self.rows.index(row)
        before = self.rows[number - 1] if number else None
        after = self.rows[number + 1] if number + 1 < len(self.rows) else None
        self._text.delete(row.start, self.end_of(row))
        self._forget(row)
        if isinstance(before, Gap):
            del self.rows[number]
            before.end = row.index + 1
            if isinstance(after, Gap):
                self._text.delete(after.start, f"{after.start} lineend +1 indices")
                self._forget(after)
                self.rows.remove(after)
                before.end = after.end
            self._label(before)
        elif isinstance(after, Gap):
            del self.rows[number]
            after.first = row.index
            self._label(after)
        else:
            behind = after.start if after is not None else self._tail
            self.rows[number] = self._new_gap(row.index, row.index + 1, behind)

    def cut(self, index: int) -> None:
        """Forget this message and all behind it, and take them off the Text."""
        while self.rows:
            row = self.rows[-1]
            if isinstance(row, Gap) and row.first < index:
                if row.end > index:
                    row.end = index
                    self._label(row)
                return
            if isinstance(row, Shown) and row.index < index:
                return
            self._text.delete(row.start, self._tail)
            self._forget(row)
            self.rows.pop()

    def _new_mark(self, place: str, gravity: str) -> str:
        mark = f"row.{next(_numbers)}"
        self._text.mark_set(mark, place)
        tcl.gravity(self._text, mark, gravity)
        return mark

    def _new_gap(self, first: int, end: int, place: str) -> Gap:
        """Draw a gap's line at a mark with right gravity."""
        mark = self._new_mark(place, "left")
        gap = Gap(first, end, mark)
        self._text.insert(mark, f"{gap_words(end - first)}\n", (CHROME, GAP_LINE))
        # What stood here has moved on by its own mark; this one is to do so from now on.
        self._text.mark_gravity(mark, "right")
        return gap

    def _label(self, gap: Gap) -> None:
        words = gap_words(gap.end - gap.first)
        self._text.mark_gravity(gap.start, "left")
        self._text.delete(gap.start, f"{gap.start} lineend")
        self._text.insert(gap.start, words, (CHROME, GAP_LINE))
        self._text.mark_gravity(gap.start, "right")

    def _forget(self, row: Row) -> None:
        self._text.mark_unset(row.start)
        if isinstance(row, Shown) and row.thoughts is not None:
            row.thoughts.close()
