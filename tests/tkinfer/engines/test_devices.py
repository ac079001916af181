"""Listing GPUs through a stand-in for ggml's libraries: no GPU is needed."""

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from actors.loading import Device
from tkinfer.engines.llama.devices import chosen, gpus

CPU, GPU, INTEGRATED, ACCELERATOR = range(4)
GIB = 1 << 30


class Function:
    """Stands for a ctypes function object."""

    restype: Any = None
    argtypes: Any = None

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)


class Library:
    """ggml with these devices: type, name, free bytes."""

    def __init__(self, *devices: tuple[int, str, int], without: str = "") -> None:
        self._devices = devices
        self._functions = {
            "ggml_backend_dev_count": lambda: len(devices),
            "ggml_backend_dev_get": lambda index: 1000 + index,
            "ggml_backend_dev_name": lambda handle: self._of(handle)[1].encode(),
            "ggml_backend_dev_description": lambda handle: b"Card \xff" if handle else b"",
            "ggml_backend_dev_type": lambda handle: self._of(handle)[0],
            "ggml_backend_dev_memory": self._memory,
        }
        self._functions.pop(without, None)

    def __getitem__(self, name: str) -> Function:
        try:
            return Function(self._functions[name])
        except KeyError:
            raise AttributeError(name) from None  # as ctypes does

    def _of(self, handle: int) -> tuple[int, str, int]:
        return self._devices[handle - 1000]

    def _memory(self, handle: int, free: Any, total: Any) -> None:
        ctypes.cast(free, ctypes.POINTER(ctypes.c_size_t))[0] = self._of(handle)[2]
        ctypes.cast(total, ctypes.POINTER(ctypes.c_size_t))[0] = 8 * GIB


def names(library: Library) -> list[str]:
    return [gpu.device.name for gpu in gpus([library])]


def test_gpus_are_listed_with_their_memory() -> None:
    library = Library((CPU, "CPU", GIB), (GPU, "CUDA0", 6 * GIB), (GPU, "CUDA1", 2 * GIB))
    first, second = gpus([library])
    assert first.device == Device(
        name="CUDA0", description="Card �", total_bytes=8 * GIB, free_bytes=6 * GIB
    )
    assert (first.handle, second.handle) == (1001, 1002)
    assert second.device.free_bytes == 2 * GIB


def test_only_a_cpu_is_an_empty_list() -> None:
    assert names(Library((CPU, "CPU", GIB), (ACCELERATOR, "BLAS", 0))) == []


def test_integrated_ones_count_where_there_are_no_others() -> None:
    assert names(Library((INTEGRATED, "Vulkan0", GIB), (CPU, "CPU", GIB))) == ["Vulkan0"]
    assert names(Library((INTEGRATED, "Vulkan0", GIB), (GPU, "Vulkan1", GIB))) == ["Vulkan1"]
    assert gpus([Library((INTEGRATED, "Vulkan0", GIB))])[0].shares_ram


@pytest.mark.parametrize("name", ["dev_count", "dev_get", "dev_name", "dev_type", "dev_memory"])
def test_a_library_without_a_function_is_an_empty_list(name: str) -> None:
    assert names(Library((GPU, "CUDA0", GIB), without=f"ggml_backend_{name}")) == []


def test_functions_may_lie_in_several_libraries() -> None:
    devices = ((GPU, "CUDA0", GIB),)
    base = Library(*devices, without="ggml_backend_dev_count")
    rest = Library(*devices, without="ggml_backend_dev_name")
    assert [gpu.device.name for gpu in gpus([base, rest])] == ["CUDA0"]
    assert gpus([]) == ()


def test_one_can_be_chosen_by_its_name() -> None:
    found = gpus([Library((GPU, "CUDA0", GIB), (GPU, "CUDA1", GIB))])
    assert chosen("", found) == found
    assert chosen("CUDA1", found) == found[1:]
    with pytest.raises(KeyError):
        chosen("CUDA2", found)
