"""Regular expressions of JSON schemas, as far as GBNF can follow them inside a JSON string."""

import re
from typing import Final

_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_IN_CLASS = re.compile(r"\\.|.", re.DOTALL)
_SETS: Final = {"d": "0-9", "w": "a-zA-Z0-9_", "s": " "}
_UNSAFE: Final = '"\\' + "".join(map(chr, range(0x20))) + "\x7f"
"""What may not stand in a JSON string as it is."""
_NOT_UNSAFE: Final = r'"\\\x00-\x1F\x7F\uD800-\uDFFF\U00110000-\U001FFFFF'
"""Also what llama.cpp makes of bytes that are no UTF-8: surrogates, and beyond all characters."""


class UnusablePatternError(ValueError):
    """This pattern can't be followed. The text goes behind the pattern's place."""


def json_safe(pattern: object) -> str:
    r"""A pattern for the binding's converter that never matches what breaks a JSON string.

    The converter copies most of a pattern into the grammar, where `\d`, `\.` and their like are
    unknown, and `^a|b$` would lose a quote.

    Raises:
        UnusablePatternError: it uses what has no counterpart, or characters that JSON escapes.
    """
    if not isinstance(pattern, str):
        what = "must be a text"
        raise UnusablePatternError(what)
    try:
        re.compile(pattern)
    except re.error as error:
        what = f"is no regular expression: {error}"
        raise UnusablePatternError(what) from error
    parts = _PART.findall(pattern.replace("(?:", "("))
    if len(pattern) < len("^$") or parts[0] != "^" or parts[-1] != "$":
        what = "must begin with ^ and end with $"
        raise UnusablePatternError(what)
    return f"^({''.join(_part(part) for part in parts[1:-1])})$"


def _part(part: str) -> str:
    if part[0] == "[" and len(part) > 1:
        return _class(part)
    if part[0] == "\\":
        return f"[{_escaped(part[1])}]"
    if part in "^$":
        what = f"uses {part} in its middle"
        raise UnusablePatternError(what)
    if part in _UNSAFE:
        what = "asks for a character that JSON writes in another way"
        raise UnusablePatternError(what)
    return part


def _class(part: str) -> str:
    negated = part.startswith("[^")
    inside = part[2 if negated else 1 : -1]
    parts = (_escaped(one[1]) if one[0] == "\\" else one for one in _IN_CLASS.findall(inside))
    safe = "".join(parts)
    if negated:
        return f"[^{_NOT_UNSAFE}{safe}]"
    if any(re.match(f"[{safe}]", character) for character in _UNSAFE):
        what = f"asks with {part} for characters that JSON writes in another way"
        raise UnusablePatternError(what)
    return f"[{safe}]"


def _escaped(character: str) -> str:
    """Behind a backslash, as a part of a class."""
    if character in _SETS:
        return _SETS[character]
    if character.isalnum() or character in _UNSAFE:
        what = f"uses \\{character}"
        raise UnusablePatternError(what)
    return f"\\x{ord(character):02X}"
