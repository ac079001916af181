"""Time in the test's hand: a clock for actors, and Tk's timers on top of it."""

import heapq
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_CALLS = 100_000
"""A timer that re-arms itself without delay would keep `advance` busy for ever."""


@dataclass(order=True, slots=True)
class FakeTimer:
    """A call that has been put off. Ordered as Tk does it: by time, then by age."""

    due: float
    number: int
    call: Callable[[], object] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Do not make the call, if it has not begun. Called from any thread."""
        self.cancelled = True


class FakeClock:
    """An actors.clock.Clock that moves only when told. Any thread may read it and set timers.

    Due calls are made on the thread that calls `advance`, at their own time, in order.
    """

    def __init__(self, start: float = 1_000.0) -> None:
        self._now = start
        self._timers: list[FakeTimer] = []
        self._numbers = itertools.count()
        self._lock = threading.RLock()

    def now(self) -> float:
        """Seconds since an arbitrary moment."""
        return self._now

    def call_later(self, delay_s: float, call: Callable[[], object]) -> FakeTimer:
        """Make a call once the clock has moved that far."""
        with self._lock:
            timer = FakeTimer(self._now + max(0.0, delay_s), next(self._numbers), call)
            heapq.heappush(self._timers, timer)
            return timer

    def spend(self, seconds: float) -> None:
        """Let time pass without making calls, as work does that keeps a thread busy."""
        with self._lock:
            self._now += seconds

    def advance(self, seconds: float) -> None:
        """Let time pass and make the calls that fall due."""
        end = self._now + seconds
        for _ in range(MAX_CALLS):
            timer = self._pop_due(end)
            if timer is None:
                break
            timer.call()
        else:
            msg = f"more than {MAX_CALLS} calls fell due within {seconds} s"
            raise AssertionError(msg)
        with self._lock:
            self._now = max(self._now, end)

    def _pop_due(self, end: float) -> FakeTimer | None:
        with self._lock:
            while self._timers and self._timers[0].due <= end:
                timer = heapq.heappop(self._timers)
                if not timer.cancelled:
                    self._now = max(self._now, timer.due)
                    return timer
            return None

    @property
    def pending(self) -> int:
        """Calls that are still to be made."""
        with self._lock:
            return sum(not timer.cancelled for timer in self._timers)


class FakeTkScheduler:
    """Tk's `after` and `after_cancel` on a fake clock: one thread, time in milliseconds."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self._timers: dict[str, FakeTimer] = {}
        self._numbers = itertools.count()

    def now(self) -> float:
        """The clock's time, in seconds."""
        return self.clock.now()

    def after(self, ms: int, func: Callable[[], object]) -> str:
        """Call once after the delay; returns an id for `after_cancel`."""
        name = f"after#{next(self._numbers)}"

        def run() -> None:
            del self._timers[name]
            func()

        self._timers[name] = self.clock.call_later(ms / 1000, run)
        return name

    def after_cancel(self, id: str) -> None:  # noqa: A002 - Tk's own name
        """Forget a call. As with Tk, one that was made already is no error."""
        timer = self._timers.pop(id, None)
        if timer is not None:
            timer.cancel()

    def run_for(self, ms: int) -> None:
        """Let time pass."""
        self.clock.advance(ms / 1000)

    @property
    def pending(self) -> int:
        """Calls that are still to be made: 0 means that nothing polls."""
        return len(self._timers)
