"""OperationMaker: the parts of an answer → drawing operations."""

import copy
import logging
import re
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from actors.drawing import (
    BlockKind,
    CloseBlock,
    InsertRuns,
    InsertText,
    OpenBlock,
    Run,
    SettledOp,
    TableRow,
    Tail,
)
from tkinfer.markdown import tags
from tkinfer.markdown.containers import Item, Path, Quote
from tkinfer.markdown.highlight import Highlighter
from tkinfer.markdown.inline import InlineParser, safe_link
from tkinfer.markdown.maths import to_unicode
from tkinfer.markdown.parts import (
    CodeBegins,
    CodeEnds,
    CodeText,
    Definition,
    Formula,
    Gap,
    Paragraph,
    Part,
    Placed,
    Rule,
    TableBegins,
    TableEnds,
    TableLine,
    Verbatim,
)

log = logging.getLogger(__name__)

_BULLETS: Final = "•◦▪"
_TASK: Final = re.compile(r"\[(?P<done>[ xX])\][ \t]+")
_TASKS: Final = {" ": "☐", "x": "☑", "X": "☑"}
_FORMULA_MARKS: Final = re.compile(r"\A\s*(?:\$\$|\\\[)|(?:\$\$|\\\])\s*\Z")


class OperationMaker:
    """Knows what of the parts so far matters to those that follow: definitions, and the code's
    colours.
    """

    def __init__(self, *, colours: bool = True) -> None:
        self._inline = InlineParser()
        self._colours = colours
        self._highlighter: Highlighter | None = None
        self._in_line = False
        """Whether the code's last line has not ended yet."""
        self._begun = False
        self._is_tail = False

    def for_tail(self) -> "OperationMaker":
        """One in the same state whose operations leave no trace in this one."""
        other = copy.copy(self)
        other._is_tail = True  # noqa: SLF001 - of the same class
        return other

    def of(self, part: Part) -> list[SettledOp]:
        """The operations of the next part. What can't be made of it is shown as it is written:
        an answer must not fail for a formula.
        """
        try:
            ops = self._of(part)
        except Exception:
            # A tail comes again and again, and is only a guess.
            level = logging.DEBUG if self._is_tail else logging.ERROR
            log.log(level, "this Markdown can't be drawn: %.200r", part.source, exc_info=True)
            ops = _as_written(part)
        self._begun = True
        return ops

    def tail(self, parts: Iterable[Part], whole: str) -> Tail:
        """What stands behind all that is settled; `whole` is its source, if all of it is drawn. A
        block with a frame is not drawn before it is settled.
        """
        runs: list[Run] = []
        source = ""
        for op in (op for part in parts for op in self._tail_ops(part)):
            match op:
                case InsertRuns():
                    runs += op.runs
                case InsertText():
                    runs.append(Run(op.text, op.tags))
                case _:
                    break
            source += op.source
        else:
            source = whole
        while runs and runs[-1].text == "\n":
            runs.pop()
        return Tail(runs=tuple(runs), source=source)

    def _tail_ops(self, part: Part) -> list[SettledOp]:
        if isinstance(part, TableBegins):  # as it is written: its head was a paragraph just now
            return [InsertRuns(runs=(Run(part.source),), source=part.source)]
        return self.of(part)

    def row_so_far(self, line: str) -> Tail:
        """The row of a table that has not ended, as it is written."""
        return Tail(runs=(Run(line),) if line else (), source=line)

    def _of(self, part: Part) -> list[SettledOp]:  # noqa: PLR0911 - a kind of part each
        match part:
            case Paragraph():
                return [InsertRuns(runs=tuple(self._paragraph(part)), source=part.source)]
            case Gap():
                return [InsertRuns(runs=tuple(self._gap(part)), source=part.source)]
            case Definition() | Formula() | Rule() | Verbatim():
                runs = (*_markers(part), *self._lone(part))
                return [InsertRuns(runs=runs, source=part.source)]
            case CodeBegins():
                return self._code_begins(part)
            case CodeText():
                return [self._code(part)]
            case TableBegins():
                align = part.align
                opening = OpenBlock(kind=BlockKind.TABLE, info="", source="", align=align)
                return [*_marked(part), opening, self._row(part.head, part.source)]
            case TableLine():
                return [self._row(part.cells, part.source)]
            case CodeEnds() | TableEnds():
                self._highlighter = None
                return [CloseBlock(source=part.source)]
            case _:
                assert_never(part)

    def _paragraph(self, part: Paragraph) -> Iterable[Run]:
        own = _own(part.path, *((tags.heading(part.level),) if part.level else ()))
        text, markers = part.text, _markers(part)
        task = _TASK.match(text) if markers else None
        if task is not None:
            text = text[task.end() :]
            *first, last = markers
            shown = f"{_TASKS[task['done']]}\t"
            markers = [*first, Run(shown, last.tags, copied=(last.copied or "") + task[0])]
        yield from markers
        yield from self._inline.runs(text, own)
        if part.ends_line:
            yield Run("\n", own)

    def _gap(self, part: Gap) -> Iterable[Run]:
        if part.markers:
            yield from _markers(part)
            yield Run("\n", _own(part.path))
        elif self._begun:
            yield Run("\n", _own(part.path, tags.GAP))

    def _lone(self, part: Definition | Formula | Rule | Verbatim) -> Iterable[Run]:
        match part:
            case Definition():
                if not self._is_tail:
                    self._inline.define(part.label, part.address)
                link = safe_link(part.address)
                yield Run(part.text, _own(part.path, tags.DEFINITION), link=link)
                if part.ends_line:
                    yield Run("\n", _own(part.path))
            case Formula():
                own = _own(part.path, tags.FORMULA, tags.MATHS)
                shown = to_unicode(_FORMULA_MARKS.sub("", part.text).strip())
                yield Run(shown, own, copied=part.text)
                if part.ends_line:
                    yield Run("\n", own)
            case Rule():
                yield Run("\n", _own(part.path, tags.RULE), copied=part.source)
            case _:
                yield Run(part.text, _own(part.path, tags.HTML))

    def _code_begins(self, part: CodeBegins) -> list[SettledOp]:
        words = part.info.split()
        language = words[0] if words else ""
        self._highlighter = Highlighter(language) if self._colours else None
        self._in_line = False
        opening = OpenBlock(kind=BlockKind.CODE, info=language, source=part.source)
        return [*_marked(part), opening]

    def _code(self, part: CodeText) -> SettledOp:
        ends = part.text.endswith("\n")
        # A tail's line is coloured when it has ended: the lexer's state is not to be touched now.
        plain = self._is_tail or self._in_line or self._highlighter is None
        self._in_line = not ends
        if plain or self._highlighter is None:
            return InsertText(text=part.text, tags=(tags.CODE,), source=part.source)
        runs = tuple(
            Run(text, (tags.CODE, f"{tags.CODE}.{colour}") if colour else (tags.CODE,))
            for text, colour in self._highlighter.line(part.text)
        )
        return InsertRuns(runs=runs, source=part.source)

    def _row(self, cells: Sequence[str], source: str) -> TableRow:
        return TableRow(
            cells=tuple(tuple(self._inline.runs(cell)) for cell in cells), source=source
        )


def _as_written(part: Part) -> list[SettledOp]:
    source = part.source
    match part:
        case TableBegins(align=align, head=cells):
            row = TableRow(cells=tuple((Run(cell),) for cell in cells), source=source)
            return [OpenBlock(kind=BlockKind.TABLE, info="", source="", align=align), row]
        case TableLine(cells=cells):
            return [TableRow(cells=tuple((Run(cell),) for cell in cells), source=source)]
        case _:
            return [InsertText(text=source, source=source)]


def _own(path: Path, *more: str) -> tuple[str, ...]:
    """The tags of text at a place."""
    if not path:
        return more
    items, quotes = _depth(path)
    return (tags.nested(items, quotes), *more)


def _depth(path: Path) -> tuple[int, int]:
    return (
        sum(isinstance(container, Item) for container in path),
        sum(isinstance(container, Quote) for container in path),
    )


def _markers(part: Placed) -> list[Run]:
    """The markers of the list items that begin here, in front of what stands in them."""
    items, quotes = _depth(part.path)
    runs: list[Run] = []
    for number, marker in enumerate(part.markers):
        depth = items - len(part.markers) + number
        shown = marker if marker[0].isdigit() else _BULLETS[min(depth, len(_BULLETS) - 1)]
        copied = "  " * depth * (not number) + f"{marker} "
        runs.append(Run(f"{shown}\t", (tags.item(items, quotes), tags.MARKER), copied=copied))
    return runs


def _marked(part: Placed) -> list[SettledOp]:
    """A line with the markers of items that begin with a block."""
    markers = _markers(part)
    return [InsertRuns(runs=(*markers, Run("\n")), source="")] if markers else []
