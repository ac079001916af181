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


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertText:
    """Append text with these tags. Line feeds are the only control characters that act."""

    text: str
    tags: tuple[str, ...] = ()
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBlock:
    """Begin a block on a line of its own; `info` is, for code, the language as written."""

    kind: BlockKind
    info: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseBlock:
    """End the open block; what follows begins on a new line."""

    source: str


DrawOp = InsertText | OpenBlock | CloseBlock


class TextRenderer(Protocol):
    """Turns one answer's text into drawing operations, as it comes. One object per answer.

    The sources of all operations, joined, are the text given: nothing is dropped, and the picture
    does not depend on how the text was cut.
    """

    def feed(self, text: str) -> list[DrawOp]:
        """Take the next text; return what can be drawn now. What is not yet decided is held."""
        ...

    def finish(self) -> list[DrawOp]:
        """The text is complete: draw what was held."""
        ...
