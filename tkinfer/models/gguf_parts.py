"""Models that are split into several files: which parts belong together, and is each in its place.

llama.cpp opens the first part and finds the others by their names, `NAME-00002-of-00003.gguf`;
each header says which part it is (`split.no`, from 0), of how many (`split.count`), and how many
tensors all parts have (`split.tensors.count`).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tkinfer.errors import ModelFileError
from tkinfer.models.gguf_reader import MAGIC, Contents, Value

_NAME: Final = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)
_MAX_PARTS: Final = 65_535  # the counts are of 16 bits
_LOOK_BEHIND_END: Final = 4096
"""Bytes looked at behind a part's data: writers pad to a multiple of its alignment, mostly 32."""
_SAME_IN_ALL: Final = ("general.name", "general.architecture", "split.count")


@dataclass(frozen=True, slots=True)
class _Name:
    stem: str
    number: int
    count: int

    def part(self, number: int) -> str:
        return part_name(self.stem, number, self.count)


def part_name(stem: str, number: int, count: int) -> str:
    """The name that part `number`, from 1, must have for llama.cpp to find it."""
    return f"{stem}-{number:05}-of-{count:05}.gguf"


def later_parts(path: Path, first: Contents, size: int) -> tuple[Path, ...]:
    """The files that belong to a model besides the one that was opened: none if it isn't split.

    Args:
        path: the file that was opened.
        first: its header.
        size: its size in bytes.

    Raises:
        ModelFileError: it is no first part, its name doesn't say so, or a part is missing.
    """
    count = _number(first.fields, "split.count", 1)
    number = _number(first.fields, "split.no", 0) + 1
    if count <= 1:
        return ()
    if not number <= count <= _MAX_PARTS:
        what = f"{path.name} is damaged: it says that it is part {number} of {count}."
        raise ModelFileError(what, "Download it again, or choose another file.")
    if size > first.size_needed and _another_header(path, first.size_needed):
        what = f"{path.name} holds several parts of a split model, one put behind another."
        fix = "Use the parts as they were, or join them with llama-gguf-split --merge."
        raise ModelFileError(what, fix)
    name = _parse(path)
    if name is None:
        what = f"{path.name} is part {number} of a model that is split into {count} files,"
        what += " and its name doesn't say so."
        stem = path.name.removesuffix(".gguf")
        fix = f"Rename all parts: this one must be named like {part_name(stem, number, count)}."
        raise ModelFileError(what, fix)
    _check_name(path, name, number, count)
    if number != 1:
        what = f"{path.name} is one part of a model that is split into {count} files."
        raise ModelFileError(what, f"Open the first one, {name.part(1)}.")
    return _existing(path, name)


def check_together(path: Path, first: Contents, others: list[tuple[Path, Contents]]) -> None:
    """See whether the parts are those of one model, in their order.

    Raises:
        ModelFileError: they aren't; names the part that is wrong.
    """
    name = _parse(path)
    count = _number(first.fields, "split.count", 1)
    for place, (part, contents) in enumerate(others, start=2):
        found = _number(contents.fields, "split.no", -1) + 1
        if not found:
            what = f"{part.name} is not part {place} of {path.name}: it is a model of its own."
            raise ModelFileError(what, "Put the right part in its place.")
        if name and found != place:
            _fail_misplaced(part, name, found, _number(contents.fields, "split.count", count))
        for key in _SAME_IN_ALL:
            if key in contents.fields and contents.fields[key] != first.fields.get(key):
                _fail_foreign(path, part)
    _check_tensors(path, first, others)


def _check_tensors(path: Path, first: Contents, others: list[tuple[Path, Contents]]) -> None:
    key = "split.tensors.count"
    expected = _number(first.fields, key, 0)
    for part, contents in others:
        if _number(contents.fields, key, expected) != expected:
            _fail_foreign(path, part)
    tensors = first.tensors + sum(contents.tensors for _, contents in others)
    if expected and tensors != expected:
        what = f"{path.name} and its other parts don't belong together:"
        what += f" they hold {tensors} tensors, and should hold {expected}."
        raise ModelFileError(what, "Get all parts again, from one place.")


def _check_name(path: Path, name: _Name, number: int, count: int) -> None:
    if (name.number, name.count) != (number, count):
        _fail_misplaced(path, name, number, count)


def _fail_misplaced(path: Path, name: _Name, number: int, count: int) -> None:
    what = f"{path.name} is in truth part {number} of {count}: it was renamed, or parts swapped."
    raise ModelFileError(what, f"It must be named {part_name(name.stem, number, count)}.")


def _fail_foreign(first: Path, part: Path) -> None:
    what = f"{part.name} belongs to another model than {first.name}."
    raise ModelFileError(what, "Put the parts of one model into one folder.")


def _existing(path: Path, name: _Name) -> tuple[Path, ...]:
    parts = [path.with_name(name.part(number)) for number in range(2, name.count + 1)]
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        what = f"{path.name} is incomplete: its part {missing[0]} is missing{more}."
        raise ModelFileError(what, "Put all parts into one folder.")
    return tuple(parts)


def _parse(path: Path) -> _Name | None:
    match = _NAME.fullmatch(path.name)
    return _Name(match["stem"], int(match["number"]), int(match["count"])) if match else None


def _another_header(path: Path, end: int) -> bool:
    with path.open("rb") as file:
        file.seek(end)
        return MAGIC in file.read(_LOOK_BEHIND_END)


def _number(fields: dict[str, Value], key: str, default: int) -> int:
    value = fields.get(key, default)
    return value if isinstance(value, int) else default
