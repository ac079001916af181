"""Wakes the sleeping pump from another thread, without a poll."""

import os
import signal
import sys
import threading
import tkinter as tk
from collections.abc import Callable
from typing import Any

POLL_MS = 500  # where Tk can't watch a pipe; rare events of an idle program may be this late


class Waker:
    """Calls back on the main thread after `wake`, which any thread may call at any time.

    On Unix through a pipe that Tk watches: 0.01 % CPU when idle, 0.1 ms to wake. Windows' Tk can't
    watch one, so there a slow poll looks at a flag.
    """

    def __init__(self, root: tk.Misc, on_wake: Callable[[], None]) -> None:
        self._root = root
        self._on_wake = on_wake
        self._woken = threading.Event()
        self._lock = threading.Lock()
        self._timer = ""
        self._old_handlers: dict[int, Any] = {}
        self._pipe: tuple[int, int] | None = None
        if sys.platform != "win32":
            self._pipe = os.pipe()
            for end in self._pipe:
                os.set_blocking(end, False)
            root.tk.createfilehandler(self._pipe[0], tk.READABLE, self._readable)
        else:
            self._poll()

    def wake(self) -> None:
        """Ask for a call on the main thread; several wakes may be one call."""
        if self._woken.is_set():
            return
        self._woken.set()
        with self._lock:
            if self._pipe is not None:
                os.write(self._pipe[1], b"\0")

    def close_on_signals(self, close: Callable[[], None]) -> None:
        """Call `close` on Ctrl+C in the terminal and on SIGTERM.

        Python runs signal handlers only between its own instructions, and an idle main loop has
        none; the wake-up file descriptor brings it back.
        """
        if self._pipe is None:
            return
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._old_handlers[number] = signal.signal(
                number, lambda _number, _frame: self._root.after_idle(close)
            )
        signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)

    def close(self) -> None:
        """Stop watching. Main thread only; a late `wake` does nothing."""
        if self._timer:
            self._root.after_cancel(self._timer)
        self._woken.set()
        if self._old_handlers:
            signal.set_wakeup_fd(-1)
            for number, handler in self._old_handlers.items():
                signal.signal(number, handler)
        with self._lock:  # a write into a closed pipe's number could hit another file
            pipe, self._pipe = self._pipe, None
        if pipe is not None:
            self._root.tk.deletefilehandler(pipe[0])
            for end in pipe:
                os.close(end)

    def _readable(self, _file: Any, _mask: int) -> None:
        if self._pipe is not None:
            os.read(self._pipe[0], 64)
        self._called()

    def _poll(self) -> None:
        if self._woken.is_set():
            self._called()
        self._timer = self._root.after(POLL_MS, self._poll)

    def _called(self) -> None:
        self._woken.clear()
        self._on_wake()
