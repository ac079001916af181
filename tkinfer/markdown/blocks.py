"""BlockParser: Markdown's blocks, line by line (CommonMark 0.31, sections 4 and 5; tables: GFM).

What a line is depends on the lines in front of it alone, so a part that has been found stays as it
is. Two things are bounded by that: a paragraph is split when it grows past MAX_PARAGRAPH, and a
link finds only definitions in front of it.
"""

import copy
from dataclasses import replace
from typing import Final

from actors.drawing import Align
from tkinfer.markdown import leaves
from tkinfer.markdown.columns import Rest
from tkinfer.markdown.containers import (
    Item,
    Path,
    Quote,
    continued,
    filled,
    opened_item,
    quoted,
)
from tkinfer.markdown.leaves import CODE_INDENT, Fence, Html
from tkinfer.markdown.openleaves import (
    OpenIndented,
    OpenTable,
    OpenText,
    paragraph_of,
    parts_of,
)
from tkinfer.markdown.parts import (
    CodeBegins,
    CodeEnds,
    CodeText,
    Gap,
    Paragraph,
    Part,
    Rule,
    TableBegins,
    TableEnds,
    TableLine,
    Verbatim,
)

MAX_PARAGRAPH: Final = 1_500
"""Characters. Inline Markdown of so many takes 1 ms; an open paragraph is parsed at each batch."""

_Leaf = OpenText | Fence | Html | OpenIndented | OpenTable | None


class BlockParser:
    """Takes lines, gives parts. A copy can be asked what would come if the text ended here."""

    def __init__(self) -> None:
        self._path: Path = ()
        self._leaf: _Leaf = None
        self._markers: tuple[str, ...] = ()
        """List markers of the line at hand, until a part has taken them."""
        self._in_line = False
        """Whether the last part of a long line left that line open."""
        self._found: list[Part] = []

    def copy(self) -> "BlockParser":
        """Another one in the same state."""
        other = copy.copy(self)
        other._found = []  # noqa: SLF001 - of the same class
        return other

    @property
    def in_code(self) -> bool:
        """Whether a line now is code, unless it ends that."""
        return isinstance(self._leaf, Fence | OpenIndented)

    @property
    def open_source(self) -> str:
        """The text that was taken and is in no part yet."""
        leaf = self._leaf
        if isinstance(leaf, OpenText):
            return leaf.source
        return "".join(blank for _, blank in leaf.blanks) if isinstance(leaf, OpenIndented) else ""

    @property
    def in_table(self) -> bool:
        return isinstance(self._leaf, OpenTable)

    def line(self, source: str, *, ends: bool = True) -> list[Part]:
        """Take a line with its line feed, the last line without one, or a part of a long line that
        does not end here.
        """
        content = source.rstrip("\r\n") if ends else source
        if self._in_line:
            self._go_on(content, source, ends=ends)
        else:
            self._begin(content, source, ends=ends)
        self._in_line = not ends
        return self._taken()

    def end(self) -> list[Part]:
        """The text is complete."""
        self._close_leaf(ends_line=False)
        return self._taken()

    # ---- one line -------------------------------------------------------------------------

    def _begin(self, content: str, source: str, *, ends: bool) -> None:
        depth, rest = continued(self._path, Rest(content))
        whole = depth == len(self._path)
        if not whole and not isinstance(self._leaf, OpenText):
            self._leave(depth)
            whole = True
        if whole and self._in_verbatim(rest, source, ends=ends):
            return
        paragraph = self._leaf if isinstance(self._leaf, OpenText) else None
        at = self._path[:depth]
        opened: list[Quote | Item] = []
        markers: list[str] = []
        while not _is_indented(rest):
            open_paragraph = paragraph is not None and not opened
            if (inside := quoted(rest)) is not None:
                opened.append(Quote())
            elif leaves.is_rule(rest) and not (
                open_paragraph and whole and leaves.underline(rest) is not None
            ):
                break
            elif (item := opened_item(rest, in_paragraph=open_paragraph and whole)) is not None:
                opened.append(item[0])
                markers.append(item[0].marker)
                inside = item[1]
            else:
                break
            rest = inside
        if opened:
            self._enter(depth, at, opened, markers)
            paragraph, whole = None, True
        self._leaf_line(rest, source, paragraph=paragraph, depth=depth, whole=whole, ends=ends)

    def _in_verbatim(self, rest: Rest, source: str, *, ends: bool) -> bool:
        """Take a line as what the open leaf holds, where Markdown isn't looked for in it."""
        leaf = self._leaf
        match leaf:
            case Fence():
                if ends and leaves.closes(leaf, rest):
                    self._add(CodeEnds(source=source))
                    self._leaf = None
                else:
                    self._code(rest.without_columns(leaf.indent).text, source, ends=ends)
            case Html(end=end) if end is not None or not rest.is_blank:
                self._html(leaf, rest, source, ends=ends)
            case OpenText() if leaf.closing:
                self._formula_line(leaf, rest, source, ends=ends)
            case _:
                return False
        return True

    def _leaf_line(
        self,
        rest: Rest,
        source: str,
        *,
        paragraph: OpenText | None,
        depth: int,
        whole: bool,
        ends: bool,
    ) -> None:
        """Take a line behind its containers: what begins, ends or goes on here?"""
        if rest.is_blank and ends:
            self._blank(rest, source, depth)
            return
        self._path = tuple(map(filled, self._path))
        if paragraph is not None and whole and ends and self._of_paragraph(paragraph, rest, source):
            return
        if self._indented(rest, source, in_paragraph=paragraph is not None, ends=ends):
            return
        if self._begins(rest, source, paragraph=paragraph, depth=depth, ends=ends):
            return
        if paragraph is not None:  # also where the line has fewer marks: it goes on lazily
            self._more(paragraph, rest.words, source, ends=ends)
        elif isinstance(self._leaf, OpenTable) and ends:
            cells = _fit(leaves.cells_of(rest.words), len(self._leaf.align))
            self._add(TableLine(source=source, cells=cells))
        else:
            self._close_leaf()
            self._open_text(rest, source, ends=ends)

    def _blank(self, rest: Rest, source: str, depth: int) -> None:
        if isinstance(self._leaf, OpenIndented):
            line = rest.without_columns(CODE_INDENT).text + _ending(source)
            self._leaf = OpenIndented((*self._leaf.blanks, (line, source)))
            return
        self._close_leaf()
        self._leave(depth)
        self._add(Gap(source=source, path=self._path, markers=self._take_markers()))

    def _of_paragraph(self, paragraph: OpenText, rest: Rest, source: str) -> bool:
        """Whether the line makes the open paragraph a heading or the head of a table."""
        level = leaves.underline(rest)
        if level is not None:
            text = "\n".join(paragraph.lines)
            self._add(paragraph_of(paragraph, text, source=paragraph.source + source, level=level))
            self._leaf = None
            return True
        align = leaves.alignment(rest)
        head = leaves.cells_of(paragraph.lines[-1]) if align else []
        if not align or len(head) != len(align):
            return False
        self._open_table(paragraph, tuple(head), align, source)
        return True

    def _open_table(
        self, paragraph: OpenText, head: tuple[str, ...], align: tuple[Align, ...], source: str
    ) -> None:
        *above, _ = paragraph.source.splitlines(keepends=True)
        source_above = "".join(above)
        markers = paragraph.markers
        if len(paragraph.lines) > 1:
            text = "\n".join(paragraph.lines[:-1])
            self._add(paragraph_of(paragraph, text, source=source_above))
            markers = ()
        self._add(
            TableBegins(
                source=paragraph.source[len(source_above) :] + source,
                path=paragraph.path,
                markers=markers,
                align=align,
                head=head,
            )
        )
        self._leaf = OpenTable(align)

    def _indented(self, rest: Rest, source: str, *, in_paragraph: bool, ends: bool) -> bool:
        """Whether the line is indented code, and not a paragraph that goes on."""
        if in_paragraph or not _is_indented(rest) or rest.is_blank:
            return False
        if isinstance(self._leaf, OpenIndented):
            for line, blank in self._leaf.blanks:
                self._add(CodeText(source=blank, text=line))
        else:
            self._close_leaf()
            self._add(CodeBegins(source="", info="", path=self._path, markers=self._take_markers()))
        self._leaf = OpenIndented()
        self._code(rest.without_columns(CODE_INDENT).text, source, ends=ends)
        return True

    def _begins(
        self, rest: Rest, source: str, *, paragraph: OpenText | None, depth: int, ends: bool
    ) -> bool:
        """Whether a block begins here that ends a paragraph."""
        heading = leaves.heading(rest) if ends else None
        fence = leaves.opened_fence(rest) if ends else None
        html = leaves.opened_html(rest, in_paragraph=paragraph is not None)
        closing = leaves.opened_maths(rest) if ends else ""
        formula = ends and leaves.whole_maths(rest)
        rule = ends and leaves.is_rule(rest)
        if not (heading or fence or html or closing or formula or rule):
            return False
        self._close_leaf()
        self._leave(min(depth, len(self._path)) if paragraph is not None else len(self._path))
        path, markers = self._path, self._take_markers()
        if heading:
            level, text = heading
            part = Paragraph(source=source, path=path, markers=markers, text=text, level=level)
            self._add(part if source.endswith("\n") else replace(part, ends_line=False))
        elif fence:
            self._add(CodeBegins(source=source, info=fence.info, path=path, markers=markers))
            self._leaf = fence
        elif closing:
            self._leaf = OpenText((rest.words,), source, path, markers, closing)
        elif formula:
            self._add(OpenText((rest.words,), source, path, markers).as_formula())
        elif html:
            self._markers = markers
            self._html(html, rest, source, ends=ends)
        else:
            self._add(Rule(source=source, path=path, markers=markers))
        return True

    # ---- a long line ----------------------------------------------------------------------

    def _go_on(self, content: str, source: str, *, ends: bool) -> None:
        """Take a further part of a line: it is of the same kind as its beginning."""
        leaf = self._leaf
        if isinstance(leaf, Fence | OpenIndented):
            self._code(content, source, ends=ends)
        elif isinstance(leaf, Html):
            self._html(leaf, Rest(content), source, ends=ends)
        else:
            text = leaf if isinstance(leaf, OpenText) else OpenText((), "", self._path, ())
            self._more(text, content, source, ends=ends)

    # ---- text -----------------------------------------------------------------------------

    def _open_text(self, rest: Rest, source: str, *, ends: bool) -> None:
        text = OpenText((), "", self._path, self._take_markers())
        self._more(text, rest.words, source, ends=ends)

    def _more(self, text: OpenText, line: str, source: str, *, ends: bool) -> None:
        """Put a line to a paragraph; a paragraph that grows too long is parted in front of it."""
        if text.lines and len(text.source) + len(source) > MAX_PARAGRAPH:
            self._add_text(text)
            text = OpenText((), "", text.path, ())
        self._leaf = text.plus(line, source)
        if not ends:
            self._add_text(self._leaf, ends_line=False)
            self._leaf = OpenText((), "", text.path, ())

    def _formula_line(self, text: OpenText, rest: Rest, source: str, *, ends: bool) -> None:
        grown = text.plus(rest.text, source)
        if ends and text.closing in rest.text:
            self._add(grown.as_formula())
            self._leaf = None
        elif not ends or len(grown.source) > MAX_PARAGRAPH:  # it was no formula
            self._add_text(replace(grown, closing=""), ends_line=ends)
            self._leaf = None if ends else OpenText((), "", text.path, ())
        else:
            self._leaf = grown

    def _add_text(self, text: OpenText, *, ends_line: bool = True) -> None:
        self._found += parts_of(text, ends_line=ends_line)

    # ---- code and HTML --------------------------------------------------------------------

    def _code(self, text: str, source: str, *, ends: bool) -> None:
        self._add(CodeText(source=source, text=text + (_ending(source) if ends else "")))

    def _html(self, html: Html, rest: Rest, source: str, *, ends: bool) -> None:
        text = rest.text + (_ending(source) if ends else "")
        self._add(Verbatim(source=source, path=self._path, markers=self._take_markers(), text=text))
        self._leaf = None if ends and html.ends_with(rest.text) else html

    # ---- containers -----------------------------------------------------------------------

    def _enter(self, depth: int, at: Path, opened: list[Quote | Item], markers: list[str]) -> None:
        self._close_leaf()
        self._leave(depth)
        self._path = (*at, *opened)
        self._markers = tuple(markers)

    def _leave(self, depth: int) -> None:
        """Close what is open below this depth."""
        if depth < len(self._path):
            self._close_leaf()
            self._path = self._path[:depth]

    def _close_leaf(self, *, ends_line: bool = True) -> None:
        leaf, self._leaf = self._leaf, None
        match leaf:
            case OpenText():
                if leaf.source:
                    self._add_text(leaf, ends_line=ends_line or leaf.source.endswith("\n"))
            case Fence():
                self._add(CodeEnds(source=""))
            case OpenIndented():
                self._add(CodeEnds(source=""))
                for _, blank in leaf.blanks:
                    self._add(Gap(source=blank, path=self._path))
            case OpenTable():
                self._add(TableEnds(source=""))
            case _:
                pass

    def _take_markers(self) -> tuple[str, ...]:
        markers, self._markers = self._markers, ()
        return markers

    def _add(self, part: Part) -> None:
        self._found.append(part)

    def _taken(self) -> list[Part]:
        found, self._found = self._found, []
        return found


def _is_indented(rest: Rest) -> bool:
    return rest.indent >= CODE_INDENT


def _ending(source: str) -> str:
    return "\n" if source.endswith("\n") else ""


def _fit(cells: list[str], columns: int) -> tuple[str, ...]:
    return tuple((cells + [""] * columns)[:columns])
