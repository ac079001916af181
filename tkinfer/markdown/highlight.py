"""Highlighter: colours for code, line by line, by Pygments.

A line's colours depend on the lines in front of it alone, so they never change. Between two lines
only the lexer's stack of states is kept: the cost of a line doesn't grow with the block.
"""

import functools
import logging
from collections.abc import Iterable
from typing import Any, Final, cast

log = logging.getLogger(__name__)

MAX_COLOURED: Final = 1_000
"""Characters of a line. Tk's cost of tags within one line grows with the square of their number."""

_PLAIN_LANGUAGES: Final = frozenset({"", "text", "plain", "plaintext", "txt", "output", "none"})
_LONG_PAIRS: Final = {"/*": "*/", "<!--": "-->"}
"""Comments that most lexers match as a whole, with no state of their own."""
_TAGS: Final = {
    "Comment": "comment",
    "Comment.Preproc": "decorator",
    "Keyword": "keyword",
    "Keyword.Constant": "number",
    "Keyword.Type": "type",
    "Literal.String": "string",
    "Literal.String.Interpol": "number",
    "Literal.Number": "number",
    "Name.Function": "function",
    "Name.Class": "type",
    "Name.Exception": "type",
    "Name.Builtin": "function",
    "Name.Decorator": "decorator",
    "Name.Tag": "keyword",
    "Name.Attribute": "function",
    "Operator.Word": "keyword",
    "Generic.Heading": "keyword",
    "Generic.Subheading": "keyword",
    "Generic.Inserted": "inserted",
    "Generic.Deleted": "deleted",
    "Generic.Prompt": "comment",
}
COLOURS: Final = tuple(dict.fromkeys(_TAGS.values()))
"""What is told apart."""

Coloured = list[tuple[str, str]]
"""Stretches of text, each with the name of its colour, or with an empty one."""


class Highlighter:
    """Colours one block of code. Not for threads to share."""

    def __init__(self, language: str) -> None:
        self._lexer, self._stack = _lexer(language.lower())
        self._closing = ""
        """What ends the comment that the next line begins in."""

    def line(self, text: str) -> Coloured:
        """Colour the next line, given with its line feed if it has one."""
        if self._lexer is None:
            return [(text, "")]
        head, tail = text[:MAX_COLOURED], text[MAX_COLOURED:]
        try:
            coloured = self._line(head)
        except Exception:  # lexers are many, and so is what models write
            log.debug("no colours from here on: %s can't read a line", self._lexer, exc_info=True)
            self._lexer = None
            return [(text, "")]
        return [*coloured, (tail, "")] if tail else coloured

    def _line(self, text: str) -> Coloured:
        comment = ""
        if self._closing:
            end = text.find(self._closing)
            if end < 0:
                return [(text, "comment")]
            end += len(self._closing)
            comment, text, self._closing = text[:end], text[end:], ""
        coloured = self._lex(text)
        for opening, closing in _LONG_PAIRS.items():
            at = _unclosed(text, coloured, opening, closing)
            if at >= 0:
                coloured = [*_first(coloured, at), (text[at:], "comment")]
                self._closing = closing
        return [(comment, "comment"), *coloured] if comment else coloured

    def _lex(self, text: str) -> Coloured:
        from pygments.lexer import LexerContext

        assert self._lexer is not None
        if self._stack:
            context = LexerContext(text, 0, list(self._stack))
            tokens: Iterable[Any] = self._lexer.get_tokens_unprocessed(context=context)
            coloured = _coloured((kind, value) for _, kind, value in tokens)
            self._stack = list(context.stack)
        else:
            tokens = self._lexer.get_tokens_unprocessed(text)
            coloured = _coloured((kind, value) for _, kind, value in tokens)
        if "".join(part for part, _ in coloured) != text:
            return [(text, "")]
        return coloured


def _coloured(tokens: Iterable[tuple[Any, str]]) -> Coloured:
    """Join what has the same colour; white space takes that of its neighbour."""
    coloured: Coloured = []
    for kind, value in tokens:
        colour = _colour(kind)
        if coloured and (colour == coloured[-1][1] or not value.strip()):
            coloured[-1] = (coloured[-1][0] + value, coloured[-1][1])
        elif value:
            coloured.append((value, colour))
    return coloured


@functools.cache
def _colour(kind: Any) -> str:
    while kind is not None:
        if colour := _TAGS.get(str(kind).removeprefix("Token.")):
            return colour
        kind = kind.parent
    return ""


def _unclosed(text: str, coloured: Coloured, opening: str, closing: str) -> int:
    """Where a comment begins that the line doesn't end, outside of strings; -1: there is none."""
    at = text.rfind(opening)
    if at < 0 or text.find(closing, at + len(opening)) >= 0:
        return -1
    place = 0
    for part, colour in coloured:
        if place <= at < place + len(part):
            begins_here = place == at or colour != "comment"
            return at if colour != "string" and begins_here else -1
        place += len(part)
    return -1


def _first(coloured: Coloured, count: int) -> Coloured:
    """The first so many characters."""
    kept: Coloured = []
    for part, colour in coloured:
        if count <= 0:
            break
        kept.append((part[:count], colour))
        count -= len(part)
    return kept


def _lexer(language: str) -> tuple[Any, list[str]]:
    """A lexer whose states can be kept, and its first ones; None: there is none for the language.

    Pygments comes with the first code that is drawn: importing it takes 8 ms, a lexer up to 80.
    """
    if language in _PLAIN_LANGUAGES:
        return None, []
    lexer = _found(language)
    if lexer is None:
        return None, []
    return lexer, ["root", "php"] if language == "php" else ["root"] if _keeps(lexer) else []


@functools.lru_cache(maxsize=64)
def _found(language: str) -> Any:
    from pygments import lexers
    from pygments.lexer import ExtendedRegexLexer, RegexLexer
    from pygments.util import ClassNotFound

    try:
        lexer = cast("Any", lexers).get_lexer_by_name(language)
    except (ClassNotFound, ValueError, ImportError):
        return None
    kind = cast("type[Any]", type(lexer))
    if issubclass(kind, RegexLexer) and not issubclass(kind, ExtendedRegexLexer):
        return type(kind.__name__, (ExtendedRegexLexer, kind), {})()
    return lexer


def _keeps(lexer: Any) -> bool:
    """Whether the lexer can be given the states to begin with, and says the last ones."""
    from pygments.lexer import ExtendedRegexLexer

    own = cast("Any", type(lexer)).get_tokens_unprocessed
    return isinstance(lexer, ExtendedRegexLexer) and (
        own is cast("Any", ExtendedRegexLexer).get_tokens_unprocessed
    )
