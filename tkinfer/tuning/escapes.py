r"""Texts on one line: a line feed is written `\n`, a tab `\t`, and a backslash `\\`.

For stop strings and biased words, where one character more or less is another text.
"""

import re

_WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MEANT = {written: char for char, written in _WRITTEN.items()}
_ESCAPE = re.compile(r"\\[\\ntr]")


def to_line(text: str) -> str:
    """The text as it is shown; `from_line` gives it back exactly."""
    return "".join(_WRITTEN.get(char, char) for char in text)


def from_line(line: str) -> str:
    """The text that is meant. A backslash in front of another character stands for itself."""
    return _ESCAPE.sub(lambda match: _MEANT[match.group()], line)


def to_lines(texts: tuple[str, ...]) -> str:
    """Several texts, each on a line of its own."""
    return "\n".join(map(to_line, texts))


def from_lines(lines: str) -> tuple[str, ...]:
    """The texts of all lines that aren't empty, each once, in order."""
    return tuple(dict.fromkeys(from_line(line) for line in lines.split("\n") if line))
