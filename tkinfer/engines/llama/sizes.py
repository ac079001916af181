"""What llama.cpp's log says of the sizes of a context's parts."""

import re
from collections.abc import Sequence
from typing import Final

_MIB: Final = 1 << 20
_CACHE: Final = re.compile(r"^llama_(?:kv_cache|memory)\w*:.*(?<!buffer )\bsize = +([\d.]+) MiB")
_BUFFER: Final = re.compile(r"^\w+: +(\S+) +(?:compute|output) buffer size = +([\d.]+) MiB")
_HOST: Final = re.compile(r"^CPU|_Host$")
"""Buffers with such names lie in the computer's memory."""


def read_sizes(log: Sequence[str]) -> tuple[int | None, int | None, int]:
    """Bytes of the cache, of buffers in RAM and of those on GPUs, from lines of llama.cpp's log.

    None where no line is of a kind that is known here: the log is no interface, and may change.
    """
    caches = [float(match[1]) for line in log if (match := _CACHE.search(line))]
    buffers = [(match[1], float(match[2])) for line in log if (match := _BUFFER.search(line))]
    ram = [size for name, size in buffers if _HOST.search(name)]
    gpu = [size for name, size in buffers if not _HOST.search(name)]
    return (
        int(sum(caches) * _MIB) if caches else None,
        int(sum(ram) * _MIB) if ram else None,
        int(sum(gpu) * _MIB),
    )
