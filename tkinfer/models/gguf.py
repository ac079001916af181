"""What the header of a GGUF file says, and whether the file is all there.

Our own small parser rather than the `gguf` package's reader: that one builds all metadata as
arrays, 6 to 19 s and up to 1.3 GB for the vocabularies of today, where skipping them takes 0.1 s.
Every count and length is checked against the file's size before it is believed.
"""

import errno
import os
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from tkinfer.errors import ModelFileError

MAGIC: Final = b"GGUF"
NEWEST_VERSION: Final = 3
_GET_ANOTHER: Final = "Download it again, or choose another file."

_MAX_COUNT: Final = 1 << 24
"""Tensors or metadata fields: far beyond any model; more means that the header is garbage."""
_MAX_KEY_BYTES: Final = 1 << 16
_BLOCK: Final = 1 << 20

_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?"} | {
    10: "Q",
    11: "q",
    12: "d",
}
_STRING: Final = 8
_ARRAY: Final = 9

# ggml type: (elements in a block, bytes of a block)
_TENSOR_TYPES: Final = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 40),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
    41: (128, 18),
}

_FILE_TYPES: Final = dict(
    enumerate(["F32", "F16", "Q4_0", "Q4_1", "-", "-", "-", "Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L"])
) | dict(
    enumerate(
        ["Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS", "IQ1_M", "BF16", "-", "-", "-", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4", "Q1_0"],
        start=14,
    )
)

_PART: Final = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What one needs to know of a model before it is loaded. What the file leaves open is ''."""

    path: str
    name: str
    architecture: str
    quantisation: str
    """In llama.cpp's words, such as Q4_K_M."""
    context_train: int
    """Tokens; 0 if the file doesn't say."""
    size_bytes: int
    """Of all parts, where the model is split."""
    parts: tuple[str, ...]
    """The files to read: one, or all parts of a split model in their order."""


class _CutError(Exception):
    """The file ends before its header does."""


def read_header(path: str) -> GgufHeader:
    """Read the header, and make sure that the file holds all the data it speaks of.

    0.05 s for a vocabulary of 50,000 tokens. Any thread.

    Raises:
        ModelFileError: no GGUF file, not readable, or not complete; says which.
    """
    name = os.path.basename(path)
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        _check_magic(file, name, size)
        reader = _Reader(file, size)
        try:
            fields, needed = _read_all(reader, name)
        except _CutError:
            raise _incomplete(name, size, None) from None
    if needed > size:
        raise _incomplete(name, size, needed)
    parts = _parts(path, name)
    architecture = _text(fields, "general.architecture")
    return GgufHeader(
        path=path,
        name=_text(fields, "general.name") or Path(path).stem,
        architecture=architecture,
        quantisation=_FILE_TYPES.get(_number(fields, "general.file_type", -1), ""),
        context_train=_number(fields, f"{architecture}.context_length", 0),
        size_bytes=sum(os.stat(part).st_size for part in parts),
        parts=parts,
    )


def _open(path: str) -> BinaryIO:
    name = os.path.basename(path) or path
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISDIR(kind):
            raise ModelFileError(f"{name} is a folder, not a GGUF file.", "Choose a file in it.")
        if not stat.S_ISREG(kind):  # opening a pipe would wait for ever
            raise ModelFileError(f"{name} is not a GGUF file.", "Choose another file.")
        return open(path, "rb")
    except FileNotFoundError:
        what = f"{name} is not there any more: {path} does not exist."
        raise ModelFileError(what, "Choose another file, or put it back.") from None
    except OSError as error:
        what = f"{name} can't be opened: {error.strerror or error}."
        fix = "Allow yourself to read it" if error.errno == errno.EACCES else "Check the disk"
        raise ModelFileError(what, f"{fix}, or choose another file.") from error
    except ValueError:  # a NUL in the path
        raise ModelFileError(f"{path!r} is not a path.", "Choose another file.") from None


def _check_magic(file: BinaryIO, name: str, size: int) -> None:
    start = file.read(64)
    file.seek(0)
    if start[:4] == MAGIC:
        return
    said = "it is not a model"
    if size == 0:
        said = "it is empty"
    elif start.startswith(b"version https://git-lfs"):
        said = "it is a Git LFS pointer, which only says where the model is"
    elif re.match(rb"\s*<(!doctype|html|\?xml)", start, re.IGNORECASE):
        said = "it is a web page"
    raise ModelFileError(f"{name} is not a GGUF file: {said}.", _GET_ANOTHER)


def _incomplete(name: str, size: int, needed: int | None) -> ModelFileError:
    if needed is None:
        what = f"{name} is incomplete: it has {_megabytes(size)} and ends inside its header."
    else:
        what = f"{name} is incomplete: it has {_megabytes(size)} of {_megabytes(needed)}."
    return ModelFileError(what, "Download it again.")


def _damaged(name: str) -> ModelFileError:
    return ModelFileError(f"{name} is damaged: its header makes no sense.", _GET_ANOTHER)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size} bytes"


def _parts(path: str, name: str) -> tuple[str, ...]:
    match = _PART.fullmatch(name)
    if not match:
        return (path,)
    count = int(match["count"])
    form = f"{match['stem']}-{{:05}}-of-{count:05}.gguf"
    if int(match["number"]) != 1:
        what = f"{name} is one part of a model that is split into {count} files."
        raise ModelFileError(what, f"Open the first one, {form.format(1)}.")
    folder = os.path.dirname(path)
    paths = tuple(os.path.join(folder, form.format(number + 1)) for number in range(count))
    for part in paths:
        if not os.path.isfile(part):
            what = f"{name} is incomplete: its part {os.path.basename(part)} is missing."
            raise ModelFileError(what, "Put all parts into one folder.")
    return paths


Value = int | float | bool | str


def _text(fields: dict[str, Value], key: str) -> str:
    value = fields.get(key, "")
    return value if isinstance(value, str) else ""


def _number(fields: dict[str, Value], key: str, default: int) -> int:
    value = fields.get(key, default)
    return value if isinstance(value, int) else default


class _Reader:
    """Walks through a file in blocks, and knows how much of it is left."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._block = b""
        self._start = 0
        self._at = 0

    @property
    def position(self) -> int:
        return self._start + self._at

    def take(self, size: int) -> bytes:
        self._need(size)
        self._at += size
        return self._block[self._at - size : self._at]

    def skip(self, size: int) -> None:
        if size > self._size - self.position:
            raise _CutError
        if size <= len(self._block) - self._at:
            self._at += size
            return
        self._start = self.position + size
        self._at = 0
        self._block = b""
        self._file.seek(self._start)

    def number(self, form: str) -> int:
        packed = struct.Struct(f"<{form}")
        return packed.unpack(self.take(packed.size))[0]

    def skip_strings(self, count: int) -> None:
        if count * 8 > self._size - self.position:
            raise _CutError
        for _ in range(count):  # half a million times for a large vocabulary: 0.1 s
            self._need(8)
            at = self._at
            length = int.from_bytes(self._block[at : at + 8], "little")
            self.skip(8)
            self.skip(length)

    def _need(self, size: int) -> None:
        if self._at + size <= len(self._block):
            return
        if size > self._size - self.position:
            raise _CutError
        self._start += self._at
        rest = self._block[self._at :]
        self._block = rest + self._file.read(max(size - len(rest), _BLOCK))
        self._at = 0
        if len(self._block) < size:
            raise _CutError


def _read_all(reader: _Reader, name: str) -> tuple[dict[str, Value], int]:
    """The metadata without arrays, and how long the file has to be."""
    reader.skip(4)
    version = reader.number("I")
    if not 2 <= version <= NEWEST_VERSION:
        said = "big-endian" if version & 0xFFFF == 0 else f"version {version}"
        what = f"{name} is a GGUF file of a kind that can't be read here: {said}."
        raise ModelFileError(what, "Choose another file.")
    tensors, count = reader.number("Q"), reader.number("Q")
    if tensors > _MAX_COUNT or count > _MAX_COUNT:
        raise _damaged(name)
    fields: dict[str, Value] = {}
    for _ in range(count):
        key = _read_key(reader, name)
        value = _read_value(reader, reader.number("I"), name)
        if value is not None:
            fields[key] = value
    data = 0
    for _ in range(tensors):
        data = max(data, _read_tensor_end(reader, name))
    alignment = _number(fields, "general.alignment", 32) or 32
    return fields, -(-reader.position // alignment) * alignment + data if data else reader.position


def _read_key(reader: _Reader, name: str) -> str:
    length = reader.number("Q")
    if length > _MAX_KEY_BYTES:
        raise _damaged(name)
    return reader.take(length).decode("utf-8", "replace")


def _read_value(reader: _Reader, kind: int, name: str) -> Value | None:
    if kind in _SCALARS:
        return reader.number(_SCALARS[kind])
    if kind == _STRING:
        return reader.take(reader.number("Q")).decode("utf-8", "replace")
    if kind != _ARRAY:
        raise _damaged(name)
    of, count = reader.number("I"), reader.number("Q")
    if of == _STRING:
        reader.skip_strings(count)
    elif of in _SCALARS:
        reader.skip(count * struct.calcsize(_SCALARS[of]))
    else:  # an array of arrays, which llama.cpp doesn't read either
        raise _damaged(name)
    return None


def _read_tensor_end(reader: _Reader, name: str) -> int:
    """Where a tensor's bytes end, from the start of the data; 0 if its type isn't known here."""
    _read_key(reader, name)
    dimensions = reader.number("I")
    if dimensions > 8:
        raise _damaged(name)
    elements = 1
    for _ in range(dimensions):
        elements *= reader.number("Q")
    kind, offset = reader.number("I"), reader.number("Q")
    per_block, block = _TENSOR_TYPES.get(kind, (1, 0))
    return offset + -(-elements // per_block) * block if block else 0
