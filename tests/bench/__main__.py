"""`python -m tests.bench NAME [--json] [--quick] [--stops N]`."""

import argparse
import json
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.common import Budget, Figures, Options, machine_facts, say
from tests.display import VirtualDisplay

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = {
    "bare_loop",
    "common",
    "cpu",
    "engine_parts",
    "material",
    "mixed",
    "program",
    "takes_keys",
    "talk",
    "usual_way",
}


def names() -> list[str]:
    """The benches that there are."""
    modules = (path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    return sorted(name.replace("_", "-") for name in modules if name not in SHARED)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("name", choices=names())
    parser.add_argument("--json", action="store_true", help="figures as one line of JSON")
    parser.add_argument("--quick", action="store_true", help="at most 50 s")
    parser.add_argument("--stops", type=int, help="stops of the part mixed of `stop`")
    given = parser.parse_args()
    module = import_module(f"tests.bench.{given.name.replace('-', '_')}")
    run: Callable[[Options], Figures] = module.run
    budgets: dict[str, Budget] = getattr(module, "BUDGETS", {})

    facts = machine_facts()  # first: the load of the machine before this bench adds to it
    began = time.monotonic()
    display = None if os.environ.get("DISPLAY") else VirtualDisplay()
    try:
        if display is not None:
            os.environ["DISPLAY"] = display.name
        with tempfile.TemporaryDirectory(prefix="tkinfer-bench-") as home:
            os.environ["TKINFER_HOME"] = home
            figures = run(Options(quick=given.quick, stops=given.stops))
    finally:
        if display is not None:
            display.stop()
    facts |= {"bench": given.name, "quick": given.quick}
    facts["bench_s"] = round(time.monotonic() - began, 1)
    compare(figures, budgets)
    if given.json:
        print(json.dumps(figures | facts, ensure_ascii=False))
    else:
        for key, value in (figures | facts).items():
            print(f"{key:28} {value}")
    return 0


def compare(figures: Figures, budgets: dict[str, Budget]) -> None:
    """Say which budgets are met. A bench that misses one has still measured, so it exits with 0."""
    for key, budget in budgets.items():
        value = figures.get(key)
        met = isinstance(value, int | float) and budget.met_by(value)
        say(f"{'ok  ' if met else 'MISS'} {key} = {value} ({budget})")


if __name__ == "__main__":
    sys.exit(main())
