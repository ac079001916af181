"""Time, handed in: the system's clock, or a fake one in tests."""

import threading
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that has been put off."""

    def cancel(self) -> None:
        """Do not make the call, if it has not begun. Called from any thread."""


class Clock(Protocol):
    """A clock that never steps back, in seconds, with timers."""

    def now(self) -> float:
        """Seconds since an arbitrary moment."""
        ...

    def call_later(self, delay_s: float, call: Callable[[], None]) -> Timer:
        """Call from another thread after the delay. The call must return at once."""
        ...


class SystemClock:
    """The machine's monotonic clock. `perf_counter` is the one the window's pump reads too."""

    def now(self) -> float:
        return time.perf_counter()

    def call_later(self, delay_s: float, call: Callable[[], None]) -> Timer:
        timer = threading.Timer(delay_s, call)
        timer.daemon = True  # a deadline that is still running must not keep the program alive
        timer.start()
        return timer
