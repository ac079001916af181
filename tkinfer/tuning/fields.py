"""Fields of the settings panels without a window: what may be typed into them, and what it means.

A field's text becomes a value by `read`, and a value its text by `shown`; both are exact inverses.
"""

import math
import re
from dataclasses import dataclass

_GROUPED = re.compile(r"[+-]?\d{1,3}([ ,.'\u00a0\u2009\u202f]\d{3})+")
"""A whole number in groups of three, as `32,768` or `32 768`."""
_GROUP_MARKS = re.compile(r"[ ,.'\u00a0\u2009\u202f]")
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_LONGEST = 40
"""Characters; Python refuses to read numbers of thousands of digits, and nobody means them."""


class FieldError(ValueError):
    """What was typed can't be used; the message says why, in words for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField:
    """A number that can be typed. `name` is the attribute of the data class it belongs to."""

    name: str
    label: str
    help: str
    low: float
    high: float
    whole: bool = False
    empty: str = ""
    """What an empty text means, for a value that may be None; otherwise a number is needed."""
    slider: tuple[float, float] | None = None
    """The ends of the slider, where one is natural: the range that is of use."""

    def read(self, text: str) -> float | None:
        """The value that was typed.

        Raises:
            FieldError: it is no number, or beyond the limits.
        """
        typed = text.strip()
        if not typed:
            if self.empty:
                return None
            msg = f"A {self._kind} is needed."
            raise FieldError(msg)
        return self.accept(self._number(typed))

    def accept(self, value: object) -> float | None:
        """The value, if it can be used: also for one that comes from a file.

        Raises:
            FieldError: it is no number, or beyond the limits.
        """
        if value is None and self.empty:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            msg = f"That is no {self._kind}."
            raise FieldError(msg)
        if not self.low <= value <= self.high:
            msg = f"Use {self._a_kind} from {plain(self.low)} to {plain(self.high)}."
            raise FieldError(msg)
        if not self.whole:
            return float(value)
        if value != int(value):
            msg = "That is no whole number."
            raise FieldError(msg)
        return int(value)

    def shown(self, value: float | None) -> str:
        """The text of a value, which `read` gives back exactly."""
        return "" if value is None else plain(value)

    @property
    def _kind(self) -> str:
        return "whole number" if self.whole else "number"

    @property
    def _a_kind(self) -> str:
        return f"a {self._kind}"

    def _number(self, typed: str) -> float:
        if len(typed) > _LONGEST:
            msg = f"That is no {self._kind}."
            raise FieldError(msg)
        if self.whole and _GROUPED.fullmatch(typed):
            typed = _GROUP_MARKS.sub("", typed)
        if typed.count(",") == 1 and "." not in typed and not self.whole:
            typed = typed.replace(",", ".")  # the decimal comma of half the world
        typed = typed.replace("\u2212", "-")
        if not _PLAIN.fullmatch(typed):
            msg = f"That is no {self._kind}."
            raise FieldError(msg)
        try:
            return int(typed)
        except ValueError:
            number = float(typed)
        if math.isinf(number):
            msg = f"That is no {self._kind}."
            raise FieldError(msg)
        return number


def plain(value: float) -> str:
    """A number as people write it: no `.0`, and no exponent where it isn't needed."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):  # noqa: PLR2004
        return str(int(value))
    return repr(value)


def on_slider(value: float, field: NumberField) -> float:
    """A slider's value in steps that are worth having: some 100 from end to end."""
    low, high = field.slider or (field.low, field.high)
    if field.whole:
        return round(value)
    digits = max(0, 2 - math.floor(math.log10(high - low)) - 1) if high > low else 2
    return round(min(max(value, low), high), digits)
