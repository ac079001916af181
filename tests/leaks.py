"""What a test must not leave behind: threads, child processes, log records of level ERROR."""

import logging
import multiprocessing
import re
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import psutil

from tests.waiting import nap

LEFT_BEHIND_LIMIT_S = 5.0
"""Ends of threads and processes are asked for, then happen; this bounds a test that fails."""


class ErrorLog(logging.Handler):
    """Keeps every log record of level ERROR and above. Emits on any thread."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f" ({record.exc_info[1]!r})"
        self.texts.append(f"{record.name}: {text}")


def unexpected(texts: Iterable[str], patterns: Iterable[str]) -> str:
    """What is wrong with the records of a test that expects one or more for each pattern, or ''."""
    patterns = list(patterns)
    texts = list(texts)
    faults = [
        f"unexpected log record: {text}"
        for text in texts
        if not any(re.search(pattern, text) for pattern in patterns)
    ]
    faults += [
        f"no log record matches {pattern!r}"
        for pattern in patterns
        if not any(re.search(pattern, text) for text in texts)
    ]
    return "\n".join(faults)


@contextmanager
def captured_errors() -> Generator[ErrorLog, None, None]:
    """Watch the root logger."""
    handler = ErrorLog()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield handler
    finally:
        root.removeHandler(handler)


def _children() -> dict[int, psutil.Process]:
    multiprocessing.active_children()  # reaps those that have ended
    # Python's own helper lives as long as the interpreter, once shared memory or spawn was used.
    tracker: Any = resource_tracker
    helper = tracker._resource_tracker._pid
    found: dict[int, psutil.Process] = {}
    for process in psutil.Process().children(recursive=True):
        try:
            if process.pid != helper and process.status() != psutil.STATUS_ZOMBIE:
                found[process.pid] = process
        except psutil.NoSuchProcess:
            continue
    return found


class Bystanders:
    """The threads and child processes that were there before a test."""

    def __init__(self) -> None:
        self._threads = set(threading.enumerate())
        self._children = set(_children())

    def left_behind(self, limit_s: float = LEFT_BEHIND_LIMIT_S) -> str:
        """Wait until only the bystanders are left; describe what is still there at the limit."""
        deadline = time.monotonic() + limit_s
        while (left := self._newcomers()) and time.monotonic() < deadline:
            nap()
        return "\n".join(left)

    def _newcomers(self) -> list[str]:
        threads = [
            f"thread still alive: {thread.name}"
            for thread in threading.enumerate()
            if thread not in self._threads
        ]
        children: list[str] = []
        for pid, process in _children().items():
            if pid in self._children:
                continue
            try:
                children.append(f"process still alive: {pid} {' '.join(process.cmdline())}")
            except psutil.Error:
                continue
        return threads + children
