"""Tables: how wide their columns are, and their rows as lines with tab stops.

No tkinter here: widths of text come from a `measure` that knows the fonts. The stops stand in the
name of a tag, which whoever draws it has to configure.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from actors.drawing import Align, Run
from tkinfer.markdown import tags as md
from tkinfer.ui import tagdata
from tkinfer.ui.sanitise import clean, clean_line

TABLE: Final = "table"
TABLE_HEAD: Final = "table.head"
TABLE_NAME: Final = "table.name"
"""On a column's name in front of a cell."""
TABLE_LAST: Final = "table.last"
"""On the end of a row's last cell."""
MEASURED_ROWS: Final = 50
"""The columns are as wide as the first rows want them; later rows are fitted in, so that a long
table is not drawn again and again.
"""
MAX_CELL: Final = 2_000
"""Characters that are shown of a cell."""
_GAP: Final = 24
_LEAST: Final = 64
_NARROW: Final = 200
"""Design pixels: the space between columns, the least width of one that has to give way, and of a
window that counts as one.
"""

Row = tuple[tuple[Run, ...], ...]
Words = list[tuple[str, tuple[str, ...], int]]
"""Text, its tags and its width in pixels."""
Measure = Callable[[str, tuple[str, ...]], int]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows so far; the first is the head."""

    align: tuple[Align, ...]
    rows: tuple[Row, ...] = ()
    wanted: tuple[int, ...] = ()
    """How wide each column would like to be, in pixels."""


class TableSetter:
    """Sets tables for a column of text `content` pixels wide."""

    def __init__(self, measure: Measure, px: Callable[[float], int]) -> None:
        self._measure = measure
        self._px = px
        self.content = 600

    def widths(self, table: Table) -> tuple[int, ...]:
        """The width of each column in pixels. None at all: there is no room for them side by side,
        so that a row becomes a line for each cell.
        """
        columns = len(table.wanted)
        if columns * self._px(_LEAST + _GAP) > max(self.content, self._px(_NARROW)):
            return ()
        room = self.content - self._px(_GAP) * max(columns - 1, 0) - self._px(8)
        return tuple(_fitted(list(table.wanted), max(room, 1), self._px(_LEAST)))

    def plus(self, table: Table, row: Row) -> Table:
        """The table with one more row."""
        wanted = list(table.wanted or [self._px(8)] * len(row))
        if len(table.rows) < MEASURED_ROWS:
            for column, cell in enumerate(row[: len(wanted)]):
                pieces = self._pieces(cell, is_head=not table.rows)
                wanted[column] = max(wanted[column], _total(pieces) + self._px(1))
        return Table(table.align, (*table.rows, row), tuple(wanted))

    def row(self, table: Table, number: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """A row's text with tags: one line, or more if a cell is wider than its column."""
        cells = table.rows[number]
        whole = tagdata.copied(_copied_row(cells), flip=number % 2 == 0)
        widths = self.widths(table)
        if widths:
            return self._side_by_side(table.align, cells, widths, whole, is_head=number == 0)
        return self._stacked(table, cells, whole, is_head=number == 0)

    def _stacked(
        self, table: Table, cells: Row, whole: str, *, is_head: bool
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """A line for each cell, behind the column's name."""
        if is_head:
            yield " · ".join(clean_line(_copied(cell)) for cell in cells), (md.STRONG, whole)
            yield "\n", (whole,)
            return
        for number, cell in enumerate(cells):
            name = clean_line(_copied(table.rows[0][number]))
            yield f"{name}: ", (TABLE_NAME, whole)
            for text, tags, _ in self._pieces(cell, is_head=False):
                yield text, (*_without_copies(tags), whole)
            yield "\n", ((whole,) if number + 1 < len(cells) else (TABLE_LAST, whole))

    def _side_by_side(
        self,
        align: Sequence[Align],
        cells: Row,
        widths: tuple[int, ...],
        whole: str,
        *,
        is_head: bool,
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        own = (TABLE, TABLE_HEAD) if is_head else (TABLE,)
        own = (*own, self._stops(align, widths))
        wrapped = [
            self._wrapped(self._pieces(cell, is_head=is_head), width)
            for cell, width in zip(cells, widths, strict=False)
        ]
        height = max(map(len, wrapped), default=1)
        if height > 1:
            own = (*own, whole)
        for line in range(height):
            for column, lines in enumerate(wrapped):
                # A tab in front of each column, the first too: its text may end at the stop.
                yield "\t", own if column or height > 1 else (*own, tagdata.copied("", flip=False))
                for text, tags, _ in lines[line] if line < len(lines) else ():
                    yield text, (*own, *(tags if height == 1 else _without_copies(tags)))
            yield "\n", own

    def _stops(self, align: Sequence[Align], widths: Sequence[int]) -> str:
        stops: list[str] = []
        left = self._px(2)
        for width, side in itertools.zip_longest(widths, align[: len(widths)]):
            match side:
                case Align.RIGHT:
                    stops.append(f"{left + width}r")
                case Align.CENTRE:
                    stops.append(f"{left + width // 2}c")
                case _:
                    stops.append(f"{left}l")
            left += width + self._px(_GAP)
        return tagdata.STOPS + ",".join(stops)

    def _pieces(self, cell: Sequence[Run], *, is_head: bool) -> Words:
        """The cell's text, a piece for each run."""
        pieces: Words = []
        left = MAX_CELL
        for number, run in enumerate(cell):
            tags = tagdata.styled(run.tags)
            tags = (*tags, md.STRONG) if is_head and md.STRONG not in tags else tags
            if run.link:
                tags = (*tags, tagdata.link_to(run.link))
            text = run.text.replace("\t", " ").replace("\n", " ")[:left]
            left -= len(text)
            if run.copied is not None:
                tags = (*tags, tagdata.copied(run.copied, flip=number % 2 == 0))
            shown = clean(text)
            pieces.append((shown, tags, self._measure(shown, tags)))
        return pieces

    def _wrapped(self, pieces: Words, width: int) -> list[Words]:
        """The text on as many lines as it needs."""
        if _total(pieces) <= width:
            return [pieces]
        lines: list[Words] = [[]]
        used = 0
        words = ((word, tags) for text, tags, _ in pieces for word in _cut_at_spaces(text))
        for word, tags in words:
            for piece in self._cut_to((word, tags, self._measure(word, tags)), width):
                bare = (
                    piece[2]
                    if not piece[0].endswith(" ")
                    else self._measure(piece[0].rstrip(" "), piece[1])
                )
                if lines[-1] and used + bare > width:
                    lines.append([])
                    used = 0
                lines[-1].append(piece)
                used += piece[2]
        return lines

    def _cut_to(
        self, word: tuple[str, tuple[str, ...], int], width: int
    ) -> Iterator[tuple[str, tuple[str, ...], int]]:
        """A word that is wider than its column in parts; CJK has no spaces to be cut at."""
        text, tags, wide = word
        while wide > width and len(text) > 1:
            count = max(1, min(len(text) - 1, len(text) * width // wide))
            while count > 1 and self._measure(text[:count], tags) > width:
                count -= 1
            part, text = text[:count], text[count:]
            yield part, tags, self._measure(part, tags)
            wide = self._measure(text, tags)
        yield text, tags, wide


def _total(pieces: Words) -> int:
    return sum(width for _, _, width in pieces)


def _without_copies(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of a piece within a stretch that is copied as a whole."""
    return tuple(tag for tag in tags if tagdata.source_of(tag) is None)


def _cut_at_spaces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find(" ", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _copied_row(cells: Row) -> str:
    return "\t".join(map(_copied, cells)) + "\n"


def _copied(cell: Sequence[Run]) -> str:
    return "".join(run.text if run.copied is None else run.copied for run in cell)


def _fitted(wanted: list[int], room: int, least: int) -> list[int]:
    """Let the widest columns give way until all fit."""
    if sum(wanted) <= room:
        return wanted
    # What is no wider than its fair share stays as it is; the rest share what is left.
    widths = list(wanted)
    open_columns = set(range(len(wanted)))
    left = room
    while open_columns:
        share = left // len(open_columns)
        narrow = {column for column in open_columns if wanted[column] <= share}
        if not narrow:
            break
        left -= sum(wanted[column] for column in narrow)
        open_columns -= narrow
    for column in open_columns:
        widths[column] = max(left // len(open_columns), least)
    return widths
