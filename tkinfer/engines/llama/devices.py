"""The GPUs that llama.cpp found.

The binding has no names for this part of ggml, so the functions are looked up in its libraries. A
build without them, or without a GPU, gives an empty list and never an error. No GPU was at hand:
tried with a stand-in for the library only.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from actors.loading import Device

_GPU: Final = 1  # of `enum ggml_backend_dev_type`
_INTEGRATED: Final = 2
_MAX_DEVICES: Final = 64

_size_p = ctypes.POINTER(ctypes.c_size_t)
# fmt: off
_FUNCTIONS: Final[dict[str, tuple[Any, list[Any]]]] = {  # name: result, arguments
    "ggml_backend_dev_count": (ctypes.c_size_t, []),
    "ggml_backend_dev_get": (ctypes.c_void_p, [ctypes.c_size_t]),
    "ggml_backend_dev_name": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ggml_backend_dev_description": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ggml_backend_dev_type": (ctypes.c_int, [ctypes.c_void_p]),
    "ggml_backend_dev_memory": (None, [ctypes.c_void_p, _size_p, _size_p]),
}
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU. `handle` is ggml's pointer; `shares_ram` means that its memory is the computer's."""

    device: Device
    handle: int
    shares_ram: bool


def gpus(libraries: Sequence[Any] | None = None) -> tuple[Gpu, ...]:
    """All GPUs that llama.cpp can use, with their free memory just now. Some milliseconds.

    Args:
        libraries: where to look for ggml's functions; None: in the binding's own files.
    """
    calls = _calls(_libraries() if libraries is None else libraries)
    if calls is None:
        return ()
    found = [
        gpu
        for index in range(min(calls["count"](), _MAX_DEVICES))
        if (handle := calls["get"](index)) and (gpu := _gpu(calls, handle)) is not None
    ]
    # llama.cpp takes integrated ones only where there are no others.
    others = [gpu for kind, gpu in found if kind == _GPU]
    return tuple(others or [gpu for _, gpu in found])


def chosen(spec_device: str, found: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """The GPUs to use: the one with that name, or all where it is empty.

    Raises:
        KeyError: there is none with that name.
    """
    if not spec_device:
        return tuple(found)
    named = tuple(gpu for gpu in found if gpu.device.name == spec_device)
    if not named:
        raise KeyError(spec_device)
    return named


def _gpu(calls: dict[str, Any], handle: int) -> tuple[int, Gpu] | None:
    kind: int = calls["type"](handle)
    if kind not in (_GPU, _INTEGRATED):
        return None
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    calls["memory"](handle, ctypes.byref(free), ctypes.byref(total))
    device = Device(
        name=_text(calls["name"](handle)),
        description=_text(calls["description"](handle)),
        total_bytes=total.value,
        free_bytes=free.value,
    )
    # Metal calls its device a GPU, and it too works in the computer's memory.
    shares_ram = kind == _INTEGRATED or sys.platform == "darwin"
    return kind, Gpu(device=device, handle=handle, shares_ram=shares_ram)


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "replace")


def _calls(libraries: Sequence[Any]) -> dict[str, Any] | None:
    calls: dict[str, Any] = {}
    for name, (result, arguments) in _FUNCTIONS.items():
        found = [each for library in libraries if (each := _lookup(library, name)) is not None]
        if not found:
            return None
        function = found[0]
        function.restype, function.argtypes = result, arguments
        calls[name.removeprefix("ggml_backend_dev_")] = function
    return calls


def _lookup(library: Any, name: str) -> Any:
    try:
        return library[name]  # a function object of our own, unlike an attribute's
    except (AttributeError, KeyError):
        return None


def _libraries() -> list[Any]:
    """The binding's libraries. On POSIX a look into libllama finds its dependencies' names too."""
    from tkinfer.engines.llama.api import C

    own = getattr(C.llama_cpp, "_lib", None)
    override = os.environ.get("LLAMA_CPP_LIB_PATH")  # as the binding has it
    folder = Path(override) if override else Path(C.__file__).parent / "lib"
    suffixes = (".so", ".dylib", ".dll")
    paths = (path for path in sorted(folder.glob("*ggml*")) if path.suffix in suffixes)
    return [library for library in (own, *map(_open, paths)) if library is not None]


def _open(path: Path) -> Any:
    try:
        return ctypes.CDLL(str(path))
    except OSError:
        return None
