"""Inline Markdown → runs of text with tags: emphasis, code, links, formulae. By markdown-it-py."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from actors.drawing import Run
from tkinfer.markdown import tags
from tkinfer.markdown.maths import to_unicode

_SAFE_LINK: Final = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_STYLES: Final = {"strong": tags.STRONG, "em": tags.EMPHASIS, "s": tags.STRIKE}
_FORMULA: Final = re.compile(
    r"\\\((?P<round>.+?)\\\)|\\\[(?P<square>.+?)\\\]|\$\$(?P<display>[^$]+?)\$\$"
    # As pandoc has it: no space inside of the dollars, and no number behind, which were a price.
    r"|\$(?P<dollars>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)",
    re.DOTALL,
)
_IN_CODE_OR_FORMULA: Final = re.compile(
    r"(?P<escaped>\\[^\[(])|(?P<code>`+)|\\\[.+?\\\]|\\\(.+?\\\)|(?P<mark>\*\*|~~)", re.DOTALL
)
_LOOSE_END: Final = re.compile(r"(?:\*{1,3}|_{1,3}|~{1,2}|`{1,2}|!?\[)\Z")


class InlineParser:
    """Parses the text of one answer, and knows the definitions that came so far."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark", {"linkify": True})
        self._parser.enable(["strikethrough", "linkify"])
        self._parser.disable("normalize")  # a lone CR and NUL are shown as what they are
        self._parser.inline.ruler.before("escape", "formula", _formula)
        self._parser.inline.add_terminator_char("$")
        self._definitions: dict[str, dict[str, str]] = {}

    def define(self, label: str, address: str) -> None:
        """Let links with this label lead there, from here on; the first definition counts."""
        address = self._parser.normalizeLink(address)
        self._definitions.setdefault(normalizeReference(label), {"href": address, "title": ""})

    def runs(self, text: str, own: Sequence[str] = ()) -> list[Run]:
        """The text as runs, each with the tags `own` and those of its style."""
        env = {"references": dict(self._definitions)}
        children = self._parser.parseInline(text, env)[0].children
        return list(_runs(children or (), tuple(own)))


def closed_for_now(text: str) -> str:
    """A text that has not ended yet, without half a mark at its end, and with what is open closed:
    so that a word in bold is bold from its first letter.
    """
    text = _LOOSE_END.sub("", text)
    open_marks: list[str] = []
    at = 0
    while found := _IN_CODE_OR_FORMULA.search(text, at):
        at = found.end()
        if code := found["code"]:
            closing = re.compile(rf"(?<!`){code}(?!`)").search(text, at)
            if closing is None:
                return text + code + "".join(reversed(open_marks))
            at = closing.end()
        elif mark := found["mark"]:
            if mark in open_marks:
                open_marks.remove(mark)
            elif text[at : at + 1].strip():
                open_marks.append(mark)
    return text.rstrip(" ") + "".join(reversed(open_marks)) if open_marks else text


def _runs(children: Iterable[Token], own: tuple[str, ...]) -> Iterable[Run]:  # noqa: PLR0912 - a kind of token each
    styles: list[str] = []
    link = ""
    for token in children:
        here = (*own, *dict.fromkeys(styles))
        style = _STYLES.get(token.type.removesuffix("_open").removesuffix("_close"))
        match token.type:
            case _ if style is not None:
                if token.nesting > 0:
                    styles.append(style)
                else:
                    styles.remove(style)
            case "link_open":
                link = safe_link(str(token.attrGet("href") or ""))
            case "link_close":
                link = ""
            case "softbreak" | "hardbreak":
                yield Run("\n", here)
            case "code_inline":
                yield Run(token.content, (*here, tags.CODE_INLINE, *_linked(link)), link=link)
            case "formula":
                yield Run(to_unicode(token.content), (*here, tags.MATHS), copied=token.markup)
            case "image":
                address = safe_link(str(token.attrGet("src") or ""))
                yield Run(token.content or address, (*here, *_linked(address)), link=address)
            case "html_inline":
                yield Run(token.content, (*here, tags.HTML))
            case _:
                if token.content:
                    yield Run(token.content, (*here, *_linked(link)), link=link)


def safe_link(address: str) -> str:
    """The address, if it is of a kind that may be opened; else nothing."""
    return address if _SAFE_LINK.match(address) else ""


def _linked(link: str) -> tuple[str, ...]:
    return (tags.LINK,) if link else ()


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's own signature
    if state.src[state.pos] not in "\\$":
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token: Any = state.push("formula", "", 0)
        token.content = found[found.lastgroup or 0].strip()
        token.markup = found[0]
    state.pos = found.end()
    return True
