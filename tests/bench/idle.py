"""CPU time of the program's own process while nothing is to be done, with a model loaded."""

import tempfile
import time

import psutil

from tests.bench.common import Figures, Options, at_most, say
from tests.bench.cpu import cpu_ns, voluntary_switches
from tests.bench.start import end, settled_memory, start

BUDGETS = {"cpu_percent": at_most(0.3)}


def run(options: Options) -> Figures:
    seconds = 20 if options.quick else 60
    cache = tempfile.TemporaryDirectory()
    _, child = start("tkinfer", cache.name)
    try:
        say("waiting until the model is loaded")
        memory = settled_memory(child)
        engine = [one.pid for one in psutil.Process(child.pid).children()]
        say(f"watching for {seconds} s")
        ui_before, engine_before = cpu_ns(child.pid), sum(cpu_ns(pid) or 0 for pid in engine)
        woken_before, began = voluntary_switches(child.pid), time.perf_counter()
        time.sleep(seconds)
        took = time.perf_counter() - began
        ui_after, engine_after = cpu_ns(child.pid), sum(cpu_ns(pid) or 0 for pid in engine)
        woken = voluntary_switches(child.pid) - woken_before
    finally:
        end(child)
        cache.cleanup()
    if ui_before is None or ui_after is None:
        msg = "the program ended while it was watched"
        raise RuntimeError(msg)
    return {
        "cpu_percent": round((ui_after - ui_before) / took / 1e7, 3),
        "engine_cpu_percent": round((engine_after - engine_before) / took / 1e7, 3),
        "wakeups_per_s": round(woken / took, 1),
        **memory,
    }
