"""How the blocks that hold text begin and end (CommonMark 0.31, section 4; tables: GFM 0.29)."""

import re
from dataclasses import dataclass
from typing import Final

from actors.drawing import Align
from tkinfer.markdown.columns import Rest

CODE_INDENT: Final = 4
MAX_FENCE_LINE: Final = 300
"""A line that is longer is no fence, so no more than this is ever held back."""

_ATX: Final = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_ATX_END: Final = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT: Final = re.compile(r"(=+|-+)[ \t]*")
_RULE: Final = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_FENCE: Final = re.compile(r"(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_FENCE_END: Final = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*")
_MATHS: Final = {"$$": "$$", "\\[": "\\]"}
_WHOLE_MATHS: Final = re.compile(r"\$\$[^$]*[^$\s][^$]*\$\$|\\\[\s*(?!\\\])\S(?:(?!\\\]).)*\\\]")
_DELIMITERS: Final = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CELL_END: Final = re.compile(r"(?<!\\)\|")

_HTML_TAGS: Final = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
]
_ATTRIBUTE: Final = r"""\s+[a-zA-Z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
_HTML: Final = tuple(
    (re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE) if end else None)
    for begin, end in (
        (r"<(?:script|pre|style|textarea)(?=[\s>]|$)", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![a-z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (rf"</?(?:{'|'.join(_HTML_TAGS)})(?=\s|/?>|$)", ""),
    )
)
_WHOLE_TAG: Final = re.compile(
    rf"(?:<[a-zA-Z][a-zA-Z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[a-zA-Z][a-zA-Z0-9-]*\s*>)\s*"
)


@dataclass(frozen=True, slots=True)
class Fence:
    """Fenced code: its opening mark, the indent of that, and the info string."""

    mark: str
    indent: int
    info: str


@dataclass(frozen=True, slots=True)
class Html:
    """Raw HTML: up to a line that holds `end`, or up to a blank line."""

    end: re.Pattern[str] | None

    def ends_with(self, line: str) -> bool:
        return self.end is not None and self.end.search(line) is not None


def heading(rest: Rest) -> tuple[int, str] | None:
    """The level and the text of a heading with number signs."""
    found = _ATX.match(rest.words) if rest.indent < CODE_INDENT else None
    if found is None:
        return None
    return len(found[1]), _ATX_END.sub("", rest.words[found.end() :]).strip(" \t")


def underline(rest: Rest) -> int | None:
    """The level of the heading that this line makes of the paragraph above it."""
    found = _SETEXT.fullmatch(rest.words) if rest.indent < CODE_INDENT else None
    return None if found is None else 1 if found[1][0] == "=" else 2


def is_rule(rest: Rest) -> bool:
    """Whether the line is a thematic break."""
    return rest.indent < CODE_INDENT and _RULE.fullmatch(rest.words) is not None


def opened_fence(rest: Rest) -> Fence | None:
    """The fence that the line opens, if it is one."""
    if rest.indent >= CODE_INDENT or len(rest.text) > MAX_FENCE_LINE:
        return None
    found = _FENCE.fullmatch(rest.words)
    return found and Fence(found["mark"], rest.indent, found["info"].strip(" \t"))


def closes(fence: Fence, rest: Rest) -> bool:
    """Whether the line ends this fenced code."""
    if rest.indent >= CODE_INDENT or len(rest.text) > MAX_FENCE_LINE:
        return False
    found = _FENCE_END.fullmatch(rest.words)
    return found is not None and found["mark"].startswith(fence.mark)


def opened_maths(rest: Rest) -> str:
    """What closes the display formula that begins with this line; empty: none does.

    Lines of formulae look like lists and headings too often to be read as Markdown.
    """
    words = rest.words.rstrip(" \t")
    closing = _MATHS.get(words[:2], "")
    return closing if closing and closing not in words[2:] and rest.indent < CODE_INDENT else ""


def whole_maths(rest: Rest) -> bool:
    """Whether the line is a display formula, from its opening to its closing mark."""
    found = rest.indent < CODE_INDENT and _WHOLE_MATHS.fullmatch(rest.words.rstrip(" \t"))
    return bool(found)


def opened_html(rest: Rest, *, in_paragraph: bool) -> Html | None:
    """The HTML that begins with the line; a lone tag does not end a paragraph."""
    if rest.indent >= CODE_INDENT or not rest.words.startswith("<"):
        return None
    for begin, end in _HTML:
        if begin.match(rest.words):
            return Html(end)
    if not in_paragraph and _WHOLE_TAG.fullmatch(rest.words):
        return Html(None)
    return None


def cells_of(row: str) -> list[str]:
    """The cells of a table's row, as Markdown."""
    row = row.strip(" \t").removeprefix("|")
    parts = _CELL_END.split(row)
    if len(parts) > 1 and not parts[-1].strip(" \t"):
        parts.pop()
    return [part.strip(" \t").replace("\\|", "|") for part in parts]


def alignment(rest: Rest) -> tuple[Align, ...]:
    """How the columns of a table are aligned, if the line is one that parts its head from it."""
    words = rest.words
    if "|" not in words or rest.indent >= CODE_INDENT or not _DELIMITERS.fullmatch(words):
        return ()
    return tuple(
        Align.CENTRE
        if cell[0] == cell[-1] == ":"
        else Align.RIGHT
        if cell[-1] == ":"
        else Align.LEFT
        for cell in cells_of(words)
    )
