"""Drawing operations: what RendererActor asks the window to draw, and who makes them.

An operation is drawn whole or not at all. `source` is the model's own text that it stands for, so
that what was drawn is exactly what is kept, also when a Stop comes between two operations.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class BlockKind(StrEnum):
    """Blocks that are drawn with a frame of their own."""

    CODE = "code"
    TABLE = "table"


class Align(StrEnum):
    """Where the text of a table's column stands."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Run:
    """Text with the same tags. Line feeds are the only control characters that act."""

    text: str
    tags: tuple[str, ...] = ()
    copied: str | None = None
    """What a copy has in its place; None: the text itself."""
    link: str = ""
    """The address that a click opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertText:
    """Append text with these tags. Line feeds are the only control characters that act."""

    text: str
    tags: tuple[str, ...] = ()
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertRuns:
    """Append runs, all of them or none."""

    runs: tuple[Run, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBlock:
    """Begin a block on a line of its own; `info` is, for code, the language as written."""

    kind: BlockKind
    info: str
    source: str
    tags: tuple[str, ...] = ()
    align: tuple[Align, ...] = ()
    """Of a table's columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of the open table; the first one is its head."""

    cells: tuple[tuple[Run, ...], ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseBlock:
    """End the open block; what follows begins on a new line."""

    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What is not settled yet, as it would look if the text ended here. The next operation of any
    kind takes it away again, and stands for its source too.
    """

    runs: tuple[Run, ...]
    source: str


SettledOp = InsertText | InsertRuns | OpenBlock | TableRow | CloseBlock
DrawOp = SettledOp | Tail


class TextRenderer(Protocol):
    """Turns one answer's text into drawing operations, as it comes. One object per answer.

    The sources of all operations but the tails, joined, are the text given: nothing is dropped, and
    the picture does not depend on how the text was cut. A tail comes last in what one call returns.
    """

    def feed(self, text: str, *, tail: bool = True) -> list[DrawOp]:
        """Take the next text; return what can be drawn now. What is not yet decided is held, or
        stands in a tail, unless that is not wanted.
        """
        ...

    def finish(self) -> list[DrawOp]:
        """The text is complete: draw what was held."""
        ...
