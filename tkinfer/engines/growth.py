"""How large the result of an operation in a chat template may be, before it is made.

Most of what can be built in one operation is known from its operands; what can't be known is
refused where no template needs it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from string import Formatter
from types import BuiltinMethodType
from typing import Any, Final, NoReturn, TypeVar, cast

from jinja2.utils import Namespace

from tkinfer.engines.rendering import TemplateLimitError, TemplateRefusedError

Value = TypeVar("Value")

_CHARS_PER_ITEM: Final = 32
"""A list of so many fewer elements than a text may have characters."""
_MOST_BITS: Final = 4096
_MOST_WIDTH: Final = 1000
_MOST_DIGITS: Final = 100
_WIDE_SPEC: Final = re.compile(r"\d{4}")
_WIDE: Final = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\*|\d{4}|\d*\.(?:\*|\d{4}))")
_SIZED: Final = (str, bytes, list, tuple)
_CONTAINERS: Final = (list, tuple, set, frozenset)


class Bounds:
    """Looks at operands; raises TemplateLimitError where a result would be too large."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._most_items = max(1000, most // _CHARS_PER_ITEM)
        self.filters: dict[str, Callable[..., None]] = {
            **dict.fromkeys(_TEXT_FILTERS, self._texts),
            "batch": self._parts,
            "center": self._center,
            "format": self._format_filter,
            "indent": self._indent,
            "list": self._list,
            "replace": self._replace,
            "round": _round,
            "slice": self._parts,
            "sum": _sum,
        }
        """For each filter that can make much of little: a check that takes its arguments."""

    def operation(self, operator: str, left: Any, right: Any) -> None:
        """Look at the operands of `+`, `*`, `**` or `%`."""
        match operator:
            case "+":
                if isinstance(left, _SIZED) and isinstance(right, _SIZED):
                    self._length(left, _len(left) + _len(right))
            case "*":
                self._product(left, right)
            case "**":
                if isinstance(left, int) and isinstance(right, int):
                    _bits(left.bit_length() * abs(right))
            case _:
                if isinstance(left, str | bytes):
                    self._percent(left, right)

    def _product(self, left: Any, right: Any) -> None:
        if isinstance(left, int) and isinstance(right, int):
            _bits(left.bit_length() + right.bit_length())
        elif isinstance(left, _SIZED) and isinstance(right, int):
            self._length(left, _len(left) * right)
        elif isinstance(right, _SIZED) and isinstance(left, int):
            self._length(right, _len(right) * left)

    def method(
        self, method: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Look at a call, if it is one of a method of a text or number; returns its arguments."""
        owner = getattr(method, "__self__", None)
        if isinstance(owner, int) and isinstance(method, BuiltinMethodType):
            if any(isinstance(arg, int) and arg > _MOST_WIDTH for arg in (*args, *kwargs.values())):
                _too_large()
        elif isinstance(owner, str | bytes):
            if method.__name__ == "join" and args:
                args = (list(args[0]), *args[1:])  # what is looked at can't be looked at twice
            self._text_method(method.__name__, owner, args, kwargs)
        return args

    def _text_method(
        self, name: str, owner: str | bytes, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        match name:
            case "ljust" | "rjust" | "center" | "zfill":
                self._width(args[0] if args else 0)
            case "expandtabs":
                self._width(len(owner) * int(args[0] if args else kwargs.get("tabsize", 8)))
            case "replace":
                self._replace(owner, *args, **kwargs)
            case "join":
                self.joined(args[0] if args else (), str(owner))
            case "split" | "rsplit" | "splitlines":
                self._split(name, owner, args, kwargs)
            case "translate":
                _unneeded(name)
            case _:
                pass

    def _split(
        self, name: str, owner: str | bytes, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        by = args[0] if args else kwargs.get("sep")
        countable = name != "splitlines" and by
        parts = cast("Any", owner).count(by) if countable else len(owner) // 2
        if parts > self._most_items:
            _too_large()

    def format(self, form: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Look at a call of `str.format` or `str.format_map`."""
        for _, _, spec, _ in Formatter().parse(form):
            if spec and ("{" in spec or _WIDE_SPEC.search(spec)):
                _too_large()
        self._texts(*args, *kwargs.values())

    def _percent(self, form: str | bytes, values: Any) -> None:
        if _WIDE.search(form if isinstance(form, str) else form.decode("latin-1")):
            _too_large()
        self._texts(form, values)

    def result(self, value: Value) -> Value:
        """Pass a result on, if it is small enough to go on with."""
        anything: Any = value
        if isinstance(anything, _SIZED):
            self._length(anything, _len(anything))
        return value

    def joined(self, parts: Iterable[Any], between: str = "") -> str:
        """The parts as one text."""
        texts: list[str] = []
        total = 0
        for part in parts:
            text = part if isinstance(part, str) else str(self.printable(part))
            total += len(text) + len(between)
            self._width(total)
            texts.append(text)
        return between.join(texts)

    def printable(self, value: Any) -> Any:
        """Pass a value on, if its text is short enough. What one list holds many times counts
        each time, as in its text.
        """
        if isinstance(value, str):
            return value
        total, waiting = 0, [value]
        while waiting:
            item = waiting.pop()
            total += _own_length(item)
            self._width(total)
            waiting.extend(_inner(item))
        return value

    def _length(self, kind: Any, length: int) -> None:
        if length > (self._most if isinstance(kind, str | bytes) else self._most_items):
            _too_large()

    def _width(self, length: Any) -> None:
        if isinstance(length, int) and length > self._most:
            _too_large()

    def _texts(self, *values: Any, **named: Any) -> None:
        self.printable(values)
        self.printable(tuple(named.values()))

    def _list(self, value: Any) -> None:
        if isinstance(value, str):
            self._length((), len(value))

    def _center(self, value: Any, width: int = 80) -> None:
        self._texts(value)
        self._width(width)

    def _indent(self, s: Any, width: int | str = 4, first: Any = None, blank: Any = None) -> None:
        del first, blank
        self._texts(s)
        size = len(width) if isinstance(width, str) else width
        lines = len(str(s).splitlines()) + 1
        self._width(size * lines)

    def _replace(self, s: Any, old: Any, new: Any, count: Any = None) -> None:
        del count  # an upper bound is enough
        self._texts(s, old, new)
        if isinstance(s, bytes):
            self._width(len(s) + s.count(old) * len(new))
        else:
            text, insert = str(s), str(new)
            self._width(len(text) + text.count(str(old)) * len(insert))

    def _format_filter(self, value: Any, *args: Any, **kwargs: Any) -> None:
        self._percent(str(self.printable(value)), args or kwargs)

    def _parts(self, value: Any, number: Any = 1, fill_with: Any = None, **named: Any) -> None:
        del value, fill_with
        for count in (number, *named.values()):
            if isinstance(count, int) and count > self._most_items:
                _too_large()


_TEXT_FILTERS: Final = (
    "capitalize",
    "e",
    "escape",
    "forceescape",
    "lower",
    "string",
    "title",
    "trim",
    "truncate",
    "upper",
    "urlencode",
)


def _len(value: Any) -> int:
    return len(value)


def _own_length(item: Any) -> int:
    if isinstance(item, str | bytes):
        return len(item) + 2
    if isinstance(item, int):
        return item.bit_length() // 3 + 2
    return 16


def _inner(item: Any) -> Iterable[Any]:
    if isinstance(item, Namespace):
        return (cast("dict[str, Any]", cast("Any", item)._Namespace__attrs),)  # noqa: SLF001
    if isinstance(item, Mapping):
        mapping = cast("Mapping[Any, Any]", item)
        return (*mapping.keys(), *mapping.values())
    if isinstance(item, _CONTAINERS):
        return cast("Iterable[Any]", item)
    return ()


def _round(value: Any, precision: Any = 0, method: Any = "") -> None:
    del value, method
    if isinstance(precision, int) and abs(precision) > _MOST_DIGITS:
        _too_large()


def _sum(iterable: Any, attribute: Any = None, start: Any = 0) -> None:
    del iterable, attribute
    if not isinstance(start, int | float):
        _unneeded("sum of anything but numbers")  # of lists, it takes quadratic time in C code


def _bits(number: int) -> None:
    if number > _MOST_BITS:
        _too_large()


def _too_large() -> NoReturn:
    what = "builds something that is too large"
    raise TemplateLimitError(what)


def _unneeded(name: str) -> NoReturn:
    what = f"{name} is not supported"
    raise TemplateRefusedError(what)
