"""Waiting for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LOOK_EVERY_S = 0.002
"""Short against anything a test waits for, long against the cost of a look."""


def nap() -> None:
    """What is done between two looks when there is no event loop to run."""
    time.sleep(LOOK_EVERY_S)


def wait_until(
    condition: Callable[[], T],
    what: str = "",
    *,
    limit_s: float = 10.0,
    between: Callable[[], object] = nap,
) -> T:
    """Look again and again until the condition is true, and return what it gave.

    `between` runs between two looks: a test that owns a Tk root gives `root.update`. The limit only
    bounds a test that fails, so it can be generous.

    Raises:
        AssertionError: the condition was still false at the limit, in seconds.
    """
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            name = what or getattr(condition, "__name__", repr(condition))
            msg = f"waited {limit_s} s in vain for: {name}"
            raise AssertionError(msg)
        between()
        if between is not nap:
            nap()  # an event loop with nothing to do returns at once
    return value
