"""Containers: the quotes and list items that a line is nested in (CommonMark 0.31, section 5)."""

import re
from dataclasses import dataclass, replace
from typing import Final

from tkinfer.markdown.columns import Rest

_BULLET: Final = re.compile(r"[-+*](?=[ \t]|$)")
_NUMBER: Final = re.compile(r"(\d{1,9})[.)](?=[ \t]|$)")
_CODE_INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quote."""


@dataclass(frozen=True, slots=True)
class Item:
    """A list item; its content is indented by so many columns from where the item may begin."""

    marker: str
    """As written: a bullet, or a number with its delimiter."""
    content: int
    is_empty: bool = False
    """Whether nothing has followed the marker yet."""

    @property
    def is_numbered(self) -> bool:
        return self.marker[0].isdigit()


Container = Quote | Item
Path = tuple[Container, ...]


def continued(path: Path, rest: Rest) -> tuple[int, Rest]:
    """How many of the containers a line goes on with, and what of the line is left inside."""
    for depth, container in enumerate(path):
        inside = _inside(container, rest)
        if inside is None:
            return depth, rest
        rest = inside
    return len(path), rest


def _inside(container: Container, rest: Rest) -> Rest | None:
    if isinstance(container, Quote):
        return quoted(rest)
    if rest.is_blank:
        return None if container.is_empty else rest
    return rest.without_columns(container.content) if rest.indent >= container.content else None


def filled(container: Container) -> Container:
    """The container, now that something other than a blank line stands in it."""
    is_empty = isinstance(container, Item) and container.is_empty
    return replace(container, is_empty=False) if is_empty else container


def quoted(rest: Rest) -> Rest | None:
    """What a quote's mark is followed by, if the line has one."""
    inner = rest.without_indent()
    if rest.indent >= _CODE_INDENT or not inner.text.startswith(">"):
        return None
    return inner.after(1).without_columns(1)


def opened_item(rest: Rest, *, in_paragraph: bool) -> tuple[Item, Rest] | None:
    """The list item that begins here, if one does, and what of the line is left inside.

    In a paragraph only what can hardly be meant otherwise begins a list: no empty item, and no
    number but 1.
    """
    inner = rest.without_indent()
    if rest.indent >= _CODE_INDENT:
        return None
    found = _BULLET.match(inner.text) or _NUMBER.match(inner.text)
    if found is None:
        return None
    marker = found[0]
    after = inner.after(len(marker))
    if in_paragraph and (after.is_blank or (marker[0].isdigit() and int(marker[:-1]) != 1)):
        return None
    if after.is_blank:
        return Item(marker, rest.indent + len(marker) + 1, is_empty=True), Rest("", after.column)
    space = after.indent if after.indent <= _CODE_INDENT else 1
    item = Item(marker, rest.indent + len(marker) + space)
    return item, after.without_columns(space)
