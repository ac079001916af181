"""Parts: what the block parser finds, in order. Their sources, joined, are the text."""

from dataclasses import dataclass

from actors.drawing import Align
from tkinfer.markdown.containers import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What stands in containers."""

    source: str
    path: Path = ()
    markers: tuple[str, ...] = ()
    """List markers that were opened on the way here and are drawn in front."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph(Placed):
    """Text with inline Markdown; a heading, if it has a level."""

    text: str
    level: int = 0
    ends_line: bool = True
    """Whether a line feed is to follow: not behind a part of a long line, nor at the very end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Placed):
    """A reference definition: what a label links to."""

    text: str
    label: str
    address: str
    ends_line: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula(Placed):
    """A display formula over several lines, with its marks."""

    text: str
    ends_line: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim(Placed):
    """A line of HTML, shown as it is."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Placed):
    """A thematic break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Placed):
    """A blank line, or a line of nothing but marks of containers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBegins(Placed):
    """Fenced or indented code; `info` is the info string."""

    info: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeText(Placed):
    """Code: a line with its line feed, or a part of a long one."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEnds(Placed):
    """The code is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBegins(Placed):
    """A table, with its head."""

    align: tuple[Align, ...]
    head: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine(Placed):
    """A row: a cell for each column."""

    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEnds(Placed):
    """The table is over."""


Part = (
    Paragraph
    | Definition
    | Formula
    | Verbatim
    | Rule
    | Gap
    | CodeBegins
    | CodeText
    | CodeEnds
    | TableBegins
    | TableLine
    | TableEnds
)
