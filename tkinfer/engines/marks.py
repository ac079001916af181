"""Marks put into messages before a template renders them, to find their parts again in its output.

A mark is a short run of private-use characters with a random number that is in no message. It is
neither space nor letter, so that no template trims, splits or changes it.
"""

import re
import secrets
from collections.abc import Callable, Iterable
from typing import Final

from tkinfer.engines.controls import ControlTexts
from tkinfer.engines.markers import BY_OPEN, opened_by

_OPEN: Final = "\uf8f0"
_CLOSE: Final = "\uf8f1"
_DIGIT: Final = 0xF8E0  # and 15 more: hexadecimal digits
_TYPED, _START, _END, _HERE = (chr(0xF8F2 + kind) for kind in range(4))
_TO_DIGITS: Final = {ord(f"{value:x}"): _DIGIT + value for value in range(16)}
_FROM_DIGITS: Final = {_DIGIT + value: f"{value:x}" for value in range(16)}
_DAMAGE: Final = 4
"""So many digits of the number, alone, show that a mark was cut."""
_LONGEST_MARKER: Final = max(map(len, BY_OPEN)) + 40


class Marks:
    """The marks of one prompt.

    Args:
        controls: The texts that must not become control tokens where a message holds them.
        texts: All texts of the messages.
    """

    def __init__(self, controls: ControlTexts, texts: Iterable[str]) -> None:
        texts = list(texts)
        nonce = _digits(secrets.token_hex(6))
        while any(nonce in text for text in texts):
            nonce = _digits(secrets.token_hex(6))
        self._nonce = nonce
        self._controls = controls
        self._typed: list[str] = []
        digit = f"[{chr(_DIGIT)}-{chr(_DIGIT + 15)}]"
        number = f"({digit}+){_CLOSE}"
        begin = _OPEN + nonce
        self._typed_mark = re.compile(f"{begin}{_TYPED}{number}")
        self._range = re.compile(f"{begin}{_START}{number}(.*?){begin}{_END}\\1{_CLOSE}", re.DOTALL)
        self._start_mark = re.compile(f"{begin}{_START}{number}")
        self._stray = re.compile(f"{begin}[{_START}{_END}{_HERE}]{number}")
        self._damage = re.compile(f"{nonce[:_DAMAGE]}|{nonce[-_DAMAGE:]}")

    def _mark(self, kind: str, number: int) -> str:
        return f"{_OPEN}{self._nonce}{kind}{_digits(f'{number:x}')}{_CLOSE}"

    def _type(self, text: str) -> str:
        self._typed.append(text)
        return self._mark(_TYPED, len(self._typed) - 1)

    def protect(self, text: str) -> str:
        """The text with a mark for all that could become a control token, or look like a marker
        of the template's: also at its ends, where the template's text may complete it.
        """
        core = text.strip()
        if not core:
            return text
        if self._controls.inside_one(core):
            return text.replace(core, self._type(core))
        begin = len(text) - len(text.lstrip())
        end = begin + len(core)
        low = begin + self._controls.open_start(core)
        high = max(low, end - max(self._controls.open_end(core), _open_marker(core)))
        parts = [text[:begin]]
        if low > begin:
            parts.append(self._type(text[begin:low]))
        at = low
        for found in self._controls.find(text[low:high]):
            parts += (
                text[at : low + found.start],
                self._type(text[low + found.start : low + found.end]),
            )
            at = low + found.end
        parts.append(text[at:high])
        if end > high:
            parts.append(self._type(text[high:end]))
        parts.append(text[end:])
        return "".join(parts)

    def around(self, number: int, text: str) -> str:
        """A text with marks at both ends."""
        return self._mark(_START, number) + text + self._mark(_END, number)

    def here(self, text: str) -> str:
        """A text with a mark in it, behind the white space at its start."""
        begin = len(text) - len(text.lstrip())
        return text[:begin] + self._mark(_HERE, 0) + text[begin:]

    def is_here(self, text: str) -> bool:
        """Whether the mark of `here` is in a text."""
        return self._mark(_HERE, 0) in text

    def restore(self, text: str) -> str:
        """The text with all that was typed in place of its marks."""
        if self._typed:
            text = self._typed_mark.sub(lambda mark: self._typed[_number(mark[1])], text)
        return text

    def holds_typed(self, text: str) -> bool:
        """Whether something that was typed is still marked."""
        return self._typed_mark.search(text) is not None

    def replace_ranges(self, text: str, replace: Callable[[int, str], str]) -> str:
        """Put something in place of each text that `around` has marked; other marks of its kind
        go.

        `replace` is given the number and the text as rendered, and may answer with `place` of
        that number and more text.
        """
        parts: list[str] = []
        at = 0
        for found in self._range.finditer(text):
            inner = self._stray.sub("", found[2])
            parts += (
                self._stray.sub("", text[at : found.start()]),
                replace(_number(found[1]), inner),
            )
            at = found.end()
        parts.append(self._stray.sub("", text[at:]))
        return "".join(parts)

    def place(self, number: int) -> str:
        """What stands for a text that is put in as tokens."""
        return self._mark(_START, number)

    def split_places(self, text: str) -> list[str | int]:
        """Texts and the numbers of places between them."""
        parts = self._start_mark.split(text)
        return [_number(part) if at % 2 else part for at, part in enumerate(parts)]

    def damaged(self, text: str) -> bool:
        """Whether parts of marks are in a text: a template has cut what it was given."""
        rest = self._stray.sub("", self._typed_mark.sub("", text))
        return self._damage.search(rest) is not None


def _open_marker(text: str) -> int:
    """How many characters at the end would look like reasoning that the template has opened."""
    marker = opened_by(text[-_LONGEST_MARKER:])
    return len(text) - text.rindex(marker) if marker else 0


def _digits(hexadecimal: str) -> str:
    return hexadecimal.translate(_TO_DIGITS)


def _number(digits: str) -> int:
    return int(digits.translate(_FROM_DIGITS), 16)
