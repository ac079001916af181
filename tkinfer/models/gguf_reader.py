"""The layout of a GGUF header: magic, version, counts, metadata fields, tensor infos.

Every count and length is checked against the file's size before it is believed.
"""

import re
import struct
from dataclasses import dataclass
from typing import BinaryIO, Final

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
MAX_COUNT: Final = 1 << 24
"""Tensors or metadata fields: far beyond any model; more means that the header is garbage."""
MAX_KEY_BYTES: Final = 1 << 16
MAX_DIMENSIONS: Final = 8
_BLOCK: Final = 1 << 20

_BLOCK_NAME: Final = re.compile(r"blk\.(\d{1,5})\.")

_SCALARS: Final = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_STRING: Final = 8
_ARRAY: Final = 9

# fmt: off
_TENSOR_TYPES: Final = {  # ggml's type: (elements in a block, bytes of a block)
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    40: (64, 36), 41: (128, 18),
}
# fmt: on

Value = int | float | bool | str


class CutError(Exception):
    """The file ends before its header does."""


class DamagedError(Exception):
    """The header can't be true."""


class VersionError(Exception):
    """A version of the format that is not known here."""


class Reader:
    """Walks through a file in blocks, and knows how much of it is left."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._block = b""
        self._start = 0
        self._at = 0

    @property
    def position(self) -> int:
        """Bytes from the start of the file."""
        return self._start + self._at

    def take(self, size: int) -> bytes:
        """The next bytes."""
        self._need(size)
        self._at += size
        return self._block[self._at - size : self._at]

    def skip(self, size: int) -> None:
        """Go on without looking at the next bytes."""
        if size <= len(self._block) - self._at:
            self._at += size
            return
        if size > self._size - self.position:
            raise CutError
        self._start = self.position + size
        self._at = 0
        self._block = b""
        self._file.seek(self._start)

    def number(self, form: str) -> int:
        """The next number, in a form of `struct`."""
        packed = struct.Struct(f"<{form}")
        return packed.unpack(self.take(packed.size))[0]

    def skip_strings(self, count: int) -> None:
        """Go on behind so many strings."""
        if count * 8 > self._size - self.position:
            raise CutError
        for _ in range(count):  # half a million times for a large vocabulary
            self._need(8)
            at = self._at
            self.skip(8 + int.from_bytes(self._block[at : at + 8], "little"))

    def _need(self, size: int) -> None:
        if self._at + size <= len(self._block):
            return
        if size > self._size - self.position:
            raise CutError
        self._start += self._at
        rest = self._block[self._at :]
        self._block = rest + self._file.read(max(size - len(rest), _BLOCK))
        self._at = 0
        if len(self._block) < size:
            raise CutError


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a header says."""

    fields: dict[str, Value]
    """The metadata without arrays."""
    tensors: int
    size_needed: int
    """Bytes that the file must have."""
    layer_bytes: dict[int, int]
    """The weights of each layer; those that belong to none are under -1."""


def read_all(reader: Reader) -> Contents:
    """Read a header from its first byte to its last.

    Raises:
        CutError, DamagedError, VersionError: as they say.
    """
    reader.skip(len(MAGIC))
    version = reader.number("I")
    if version not in VERSIONS:
        raise VersionError("big-endian" if version & 0xFFFF == 0 else f"version {version}")
    tensors, count = reader.number("Q"), reader.number("Q")
    if tensors > MAX_COUNT or count > MAX_COUNT:
        raise DamagedError
    fields: dict[str, Value] = {}
    for _ in range(count):
        key = _read_key(reader)
        value = _read_value(reader)
        if value is not None:
            fields[key] = value
    data = 0
    layer_bytes: dict[int, int] = {}
    for _ in range(tensors):
        layer, offset, size = _read_tensor(reader)
        data = max(data, offset + size if size else 0)
        layer_bytes[layer] = layer_bytes.get(layer, 0) + size
    alignment = fields.get("general.alignment", 32)
    if data and (not isinstance(alignment, int) or alignment <= 0):
        raise DamagedError
    end = reader.position
    return Contents(
        fields=fields,
        tensors=tensors,
        size_needed=-(-end // int(alignment)) * int(alignment) + data if data else end,
        layer_bytes=layer_bytes,
    )


def _read_key(reader: Reader) -> str:
    length = reader.number("Q")
    if length > MAX_KEY_BYTES:
        raise DamagedError
    return reader.take(length).decode("utf-8", "replace")


def _read_value(reader: Reader) -> Value | None:
    kind = reader.number("I")
    if kind in _SCALARS:
        return reader.number(_SCALARS[kind])
    if kind == _STRING:
        return reader.take(reader.number("Q")).decode("utf-8", "replace")
    if kind != _ARRAY:
        raise DamagedError
    of, count = reader.number("I"), reader.number("Q")
    if of == _STRING:
        reader.skip_strings(count)
    elif of in _SCALARS:
        reader.skip(count * struct.calcsize(_SCALARS[of]))
    else:  # an array of arrays, which llama.cpp doesn't read either
        raise DamagedError
    return None


def _read_tensor(reader: Reader) -> tuple[int, int, int]:
    """A tensor's layer or -1, its place in the data and its bytes; 0 if its type isn't known."""
    name = _BLOCK_NAME.match(_read_key(reader))
    dimensions = reader.number("I")
    if dimensions > MAX_DIMENSIONS:
        raise DamagedError
    elements = 1
    for _ in range(dimensions):
        elements *= reader.number("Q")
    kind, offset = reader.number("I"), reader.number("Q")
    per_block, block = _TENSOR_TYPES.get(kind, (1, 0))
    return int(name[1]) if name else -1, offset, -(-elements // per_block) * block
