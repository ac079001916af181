"""Finds the texts of control tokens in other text, as llama.cpp's tokenizer would."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_HEAD: Final = 3
"""Characters by which texts are sorted into groups: enough that most places are ruled out."""


class Found(NamedTuple):
    """A control token's text, from `start` to before `end`."""

    start: int
    end: int
    token: int


class ControlTexts:
    """The texts of a vocabulary's control tokens; some vocabularies have 6,000.

    At each place the longest text counts, and places are looked at from left to right.
    """

    def __init__(self, control: Mapping[str, int]) -> None:
        self._tokens = {text: token for text, token in control.items() if text}
        self._groups: dict[str, tuple[int, ...]] = {}
        for text in self._tokens:
            head = text[:_HEAD]
            lengths = {len(text), *self._groups.get(head, ())}
            self._groups[head] = tuple(sorted(lengths, reverse=True))
        firsts = "".join(sorted({text[0] for text in self._tokens}))
        self._first = re.compile(f"[{re.escape(firsts)}]") if firsts else None
        self._lasts = {text[-1] for text in self._tokens}
        self._sorted = sorted(self._tokens)
        self._backwards = sorted(text[::-1] for text in self._tokens)
        self._all = "\0".join(self._sorted)
        self._longest = max(map(len, self._tokens), default=0)

    def find(self, text: str) -> Iterator[Found]:
        """All that stand in a text, from left to right, none in another."""
        if self._first is None:
            return
        at = 0
        while place := self._first.search(text, at):
            start = place.start()
            length = self._length_at(text, start)
            if length:
                at = start + length
                yield Found(start, at, self._tokens[text[start:at]])
            else:
                at = start + 1

    def _length_at(self, text: str, start: int) -> int:
        for head in range(_HEAD, 0, -1):
            for length in self._groups.get(text[start : start + head], ()):
                if text[start : start + length] in self._tokens:
                    return length
        return 0

    def open_end(self, text: str) -> int:
        """How many characters at the end begin a control text that could be completed behind."""
        if self._first is None:
            return 0
        begin = max(0, len(text) - self._longest + 1)
        for place in self._first.finditer(text, begin):
            if _begins_one(self._sorted, text[place.start() :]):
                return len(text) - place.start()
        return 0

    def open_start(self, text: str) -> int:
        """How many characters at the start end a control text that could have begun before."""
        for length in range(min(len(text), self._longest - 1), 0, -1):
            if text[length - 1] in self._lasts and _begins_one(
                self._backwards, text[length - 1 :: -1]
            ):
                return length
        return 0

    def inside_one(self, text: str) -> bool:
        """Whether a text could be completed to a control text on both sides."""
        return 0 < len(text) < self._longest and "\0" not in text and text in self._all


def _begins_one(texts: Sequence[str], beginning: str) -> bool:
    at = bisect_left(texts, beginning)
    return at < len(texts) and texts[at].startswith(beginning)
