"""CPU time of a process, as the kernel counts it, and the moment from which it does nothing."""

import os
import threading
import time
from itertools import pairwise

SAMPLE_EVERY_S = 0.002
NOISE_NS = 100_000
"""A waiting thread that is woken for a moment uses some 20 µs; computing uses all there is."""


def cpu_ns(pid: int) -> int | None:
    """CPU time of all threads so far, in nanoseconds; None when the process is gone.

    The kernel updates a running thread's time with each scheduler tick, so it may lag by 4 ms.
    """
    total = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - half the cost
            try:
                with open(f"/proc/{pid}/task/{task}/schedstat", "rb") as file:  # noqa: PTH123
                    total += int(file.read().split()[0])
            except (FileNotFoundError, ProcessLookupError):
                continue  # a thread that has just ended
    except (FileNotFoundError, ProcessLookupError):
        return None
    return total


def voluntary_switches(pid: int) -> int:
    """How often all threads went to sleep so far: each is a wake-up before."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:  # noqa: PTH123
            total += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))
    return total


class IdleWatch:
    """Watches a process from a thread of its own, and then says when it became idle."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._samples: list[tuple[float, int]] = []
        self._gone_at: float | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="idle-watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._end.wait(SAMPLE_EVERY_S):
            now, used = time.perf_counter(), cpu_ns(self._pid)
            if used is None:
                self._gone_at = now
                return
            self._samples.append((now, used))

    def finish(self) -> float:
        """End watching; the first moment (of `perf_counter`) after which nothing was computed."""
        self._end.set()
        self._thread.join()
        if self._gone_at is not None:
            return self._gone_at
        idle_since = self._samples[0][0] if self._samples else time.perf_counter()
        for (_, before), (at, after) in pairwise(self._samples):
            if after - before > NOISE_NS:
                idle_since = at
        return idle_since
