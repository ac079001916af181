"""From the start of the process to a window that takes keys, beside a bare Tk window.

Both sides are started in turn. Then the resident memory of the program's own process, with the
starter model loaded (in the engine process) and nothing to do.
"""

import os
import subprocess
import sys
import tempfile
import time

import psutil

from tests.bench.common import Figures, Options, at_most, median, say
from tests.bench.cpu import cpu_ns

BUDGETS = {"extra_ms": at_most(250), "ui_rss_mb": at_most(80)}
MB = 1024 * 1024
SETTLE_LIMIT_S = 30.0
NS = 1_000_000_000


def run(options: Options) -> Figures:
    rounds = 5 if options.quick else 15
    times: dict[str, list[float]] = {"bare": [], "tkinfer": []}
    memory: Figures = {}
    with tempfile.TemporaryDirectory() as cache:
        for number in range(rounds + 1):
            for side, taken in times.items():
                last = number == rounds and side == "tkinfer"
                ms, child = start(side, cache)
                if last:
                    memory = settled_memory(child)
                end(child)
                if number > 0:  # the first round warms the disk's cache and Python's
                    taken.append(ms)
                    say(f"{side}: {ms:.0f} ms")
    window, bare = median(times["tkinfer"]), median(times["bare"])
    return {
        "window_ms": round(window, 1),
        "bare_tk_ms": round(bare, 1),
        "extra_ms": round(window - bare, 1),
        "window_max_ms": round(max(times["tkinfer"]), 1),
        **memory,
    }


def start(side: str, cache: str) -> tuple[float, subprocess.Popen[str]]:
    """Start one side; the milliseconds until it takes keys, and its process.

    Bytecode is kept in `cache`, whatever the environment says: an installed program has it too.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.monotonic_ns()
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.takes_keys", side],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith("ready "):
            return (int(line.split()[1]) - began) / 1e6, child
    msg = f"{side} ended before its window took keys"
    raise RuntimeError(msg)


def settled_memory(child: subprocess.Popen[str]) -> Figures:
    """Memory once the process and its engine have come to rest."""
    process = psutil.Process(child.pid)
    deadline = time.monotonic() + SETTLE_LIMIT_S
    while time.monotonic() < deadline:
        family = [process.pid, *(one.pid for one in process.children())]
        before = sum(cpu_ns(pid) or 0 for pid in family)
        time.sleep(1.0)
        spent = sum(cpu_ns(pid) or 0 for pid in family) - before
        if len(family) > 1 and spent < NS // 50:  # the engine has started, and rests
            break
    full = process.memory_full_info()
    return {
        "ui_rss_mb": round(full.rss / MB, 1),
        "ui_uss_mb": round(full.uss / MB, 1),
        "engine_rss_mb": round(sum(one.memory_info().rss for one in process.children()) / MB, 1),
    }


def end(child: subprocess.Popen[str]) -> None:
    child.terminate()
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()
