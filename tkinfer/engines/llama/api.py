"""The binding, its log, and facts of the machine."""

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import llama_cpp
import psutil

C: Any = llama_cpp
"""The C API. Any: the binding types what C returns partly wrong (pointers as never null)."""
CHUNK: Final = 128
"""Prompt tokens per decode call: as fast as 512 (313 t/s), and Stop on a GPU waits for one."""
_INFORMATION_LEVEL: Final = 2
_WARNING_LEVEL: Final = 3
_ERROR_LEVEL: Final = 4  # of ggml.h; the binding has an older numbering
_CONTINUED_LEVEL: Final = 5


def set_up() -> None:
    """Make llama.cpp ready; called once, before all else."""
    _quiet_log()
    C.llama_backend_init()


def _quiet_log() -> None:
    """Let llama.cpp write its log to fd 2 by itself.

    Importing the binding installs a Python function there, and each line would wait for the GIL.
    """
    C.llama_log_set(C.llama_log_callback(), ctypes.c_void_p(None))


@contextmanager
def error_lines(told: list[str] | None = None) -> Generator[list[str]]:
    """Collect what llama.cpp logs as errors meanwhile; the log goes to fd 2 all the same.

    What it logs for information goes to `told` instead, where that is given.
    """
    lines: list[str] = []
    last_level = 0

    def take(level: int, text: bytes, _: object) -> None:
        nonlocal last_level
        try:
            if told is None or level >= _WARNING_LEVEL:
                os.write(2, text)
            elif level == _INFORMATION_LEVEL:
                told.append(text.decode("utf-8", "replace").strip())
            if level == _CONTINUED_LEVEL and last_level == _ERROR_LEVEL and lines:
                lines[-1] += text.decode("utf-8", "replace").rstrip("\n")
            elif level == _ERROR_LEVEL:
                lines.append(text.decode("utf-8", "replace").strip())
            last_level = last_level if level == _CONTINUED_LEVEL else level
        except Exception:  # noqa: BLE001, S110  an exception inside a callback has nowhere to go
            pass

    callback = C.llama_log_callback(take)
    C.llama_log_set(callback, ctypes.c_void_p(None))
    try:
        yield lines
    finally:
        _quiet_log()


def default_threads() -> int:
    """Physical cores that this process may use, minus one for the window, and at least one.

    llama.cpp's barriers spin: a thread too many makes all wait for the one that isn't scheduled
    (measured on two cores with one other busy process: 47 instead of 83 tokens/s).
    """
    physical = psutil.cpu_count(logical=False) or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else physical
    return max(1, min(physical, usable) - 1)


def built_with_amx() -> bool:
    """Whether llama.cpp was compiled for a processor with AMX, as in new Xeons.

    Its code for that needs a table which GCC 12 optimises away; the first product of matrices then
    ends the process with SIGILL (seen here with 0.3.36; llama.cpp's pull request 26954).
    """
    return b"AMX_INT8 = 1" in C.llama_print_system_info()
