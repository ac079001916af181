"""What the block parser keeps of a leaf that is still open, and the parts that text becomes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from actors.drawing import Align
from tkinfer.markdown.containers import Path
from tkinfer.markdown.parts import Definition, Formula, Paragraph

_DEFINITION: Final = re.compile(
    r"""\[(?P<label>(?:[^\[\]\\]|\\.){1,200})\]:[ \t]*(?P<address><[^<>]*>|[^\s<]\S*)"""
    r"""(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*"""
)


@dataclass(frozen=True, slots=True)
class OpenText:
    """An open paragraph, or an open formula if `closing` says what ends that."""

    lines: tuple[str, ...]
    source: str
    path: Path
    markers: tuple[str, ...]
    closing: str = ""

    def plus(self, line: str, source: str) -> "OpenText":
        return replace(self, lines=(*self.lines, line), source=self.source + source)

    def as_formula(self) -> Formula:
        """The part that it is, once the formula is complete."""
        return Formula(
            source=self.source,
            path=self.path,
            markers=self.markers,
            text="\n".join(self.lines),
            ends_line=self.source.endswith("\n"),
        )


@dataclass(frozen=True, slots=True)
class OpenIndented:
    """Indented code; blank lines are part of it only if more code follows."""

    blanks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that may have more rows."""

    align: tuple[Align, ...]


def parts_of(text: OpenText, *, ends_line: bool) -> Iterator[Definition | Paragraph]:
    """A paragraph, in front of it the definitions that it begins with."""
    lines, source, markers = text.lines, text.source, text.markers
    while lines and (found := _DEFINITION.fullmatch(lines[0].strip(" \t"))):
        first = source.splitlines(keepends=True)[0]
        alone = first == source
        yield Definition(
            source=first,
            path=text.path,
            markers=markers,
            text=lines[0],
            label=found["label"],
            address=found["address"].strip("<>"),
            ends_line=ends_line or not alone,
        )
        lines, source, markers = lines[1:], source[len(first) :], ()
    if source:
        rest = replace(text, lines=lines, source=source, markers=markers)
        part = paragraph_of(rest, "\n".join(lines), source=source)
        yield part if ends_line else replace(part, ends_line=False)


def paragraph_of(text: OpenText, shown: str, *, source: str, level: int = 0) -> Paragraph:
    """The part that shows this text; a heading, if it has a level."""
    return Paragraph(
        source=source,
        path=text.path,
        markers=text.markers,
        text=shown,
        level=level,
        ends_line=source.endswith("\n"),
    )
