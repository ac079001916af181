"""Limits of time and memory for foreign code that runs on our own thread.

A chat template comes with a model file. The sandbox keeps it from touching anything and bounds
what a single operation may build; the rest, such as a loop without end, is bounded here.
"""

import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import psutil

Result = TypeVar("Result")

_POLL_S = 0.02  # memory can grow by some hundred MB meanwhile, since single operations are bounded
_AGAIN_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one rendering may take."""

    seconds: float = 2.0
    characters: int = 32_000_000
    """Of the text it writes, and of any text on the way; lists have a 32nd of that in elements."""
    memory_bytes: int = 512 * 1024 * 1024
    """By which the process may grow."""


class TemplateError(Exception):
    """A template can't be used. The message goes on from "the template …", without a full stop."""


class TemplateBrokenError(TemplateError):
    """It can't be compiled: it is no template for any conversation."""


class TemplateRefusedError(TemplateError):
    """It doesn't want this conversation; another form of it may do."""


class TemplateLimitError(TemplateError):
    """It takes too much time or memory; another form of the conversation won't help."""


class _Interrupted(BaseException):
    """Thrown into the rendering thread. No template and no `except Exception` can hold it."""


def run_limited(work: Callable[[], Result], limits: Limits) -> Result:
    """Do `work` on this thread, and end it when it takes too long or too much memory.

    What holds in a single operation of C code is ended only when that operation returns.

    Raises:
        TemplateLimitError: it was ended; and whatever `work` raises.
    """
    watch = _Watch(limits)
    watch.start()
    try:
        return _run_once(work, watch)
    except _Interrupted:  # the second interruption, on its way while the first was handled
        watch.end()
    raise TemplateLimitError(watch.reason)


def _run_once(work: Callable[[], Result], watch: "_Watch") -> Result:
    try:
        watch.begin()
        result = work()
        watch.end()
    except _Interrupted:
        watch.end()
    except BaseException:
        watch.end()
        raise
    else:
        if not watch.reason:
            return result
    raise TemplateLimitError(watch.reason)


class _Watch(threading.Thread):
    """Sleeps beside the work, and interrupts it at most twice.

    Twice, because an exception that strikes inside a destructor is lost. Behind `end` none can
    come any more, nor is one pending. `end` may itself be struck; so it uses bare locks, which
    are either taken or not, and the one that guards it is reentrant. (An Event, struck in the
    middle, can stay locked for ever.)
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__(name="template-watch", daemon=True)
        self.reason = ""
        self._limits = limits
        self._worker = threading.get_ident()
        self._guard = threading.RLock()
        self._over = False
        self._thrown = False
        self._before = threading.Lock()  # held until the work begins
        self._before.acquire()
        self._during = threading.Lock()  # held until it ends
        self._during.acquire()

    def begin(self) -> None:
        """Called by the worker: it can be interrupted from now on."""
        self._before.release()

    def end(self) -> None:
        """Called by the worker, perhaps again: it can't be interrupted any more.

        What is pending is not taken back, since CPython 3.11 would then look for it after every
        few instructions for ever, but made to strike here.
        """
        struck = False
        while not struck:
            try:
                with self._guard:
                    self._over = True
                with suppress(RuntimeError):  # released before
                    self._during.release()
                if not self._thrown:
                    return
                struck = True
                _throw(self._worker)
                while True:
                    pass
            except _Interrupted:
                continue

    def run(self) -> None:
        self._before.acquire()
        self.reason = self._wait()
        if self.reason:
            self._interrupt()
            if not self._during.acquire(timeout=_AGAIN_S):
                self._interrupt()

    def _wait(self) -> str:
        """Why the work must end; empty if it ended by itself."""
        deadline = time.monotonic() + self._limits.seconds
        memory = 0
        while (left := deadline - time.monotonic()) > 0:
            if self._during.acquire(timeout=min(left, _POLL_S)):
                return ""
            now = psutil.Process().memory_info().rss
            memory = memory or now
            if now - memory > self._limits.memory_bytes:
                return "takes too much memory"
        return f"does not come to an end within {self._limits.seconds:g} s"

    def _interrupt(self) -> None:
        if not self._guard.acquire(blocking=False):
            return  # the worker is in `end`
        try:
            if not self._over:
                self._thrown = True
                _throw(self._worker)
        finally:
            self._guard.release()


def _throw(thread: int) -> None:
    """Interrupt a thread at its next instruction; in place of an interruption that is pending."""
    what = ctypes.py_object(_Interrupted)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
