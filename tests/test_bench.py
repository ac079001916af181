"""The benches can be started: each is imported and listed. They measure only when run by hand."""

import subprocess
import sys
from pathlib import Path

from tests.bench.__main__ import SHARED, names

FOLDER = Path(__file__).parent / "bench"
MODULES = {path.stem for path in FOLDER.glob("[!_]*.py")}


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_can_be_imported_and_every_bench_be_run() -> None:
    benches = [name.replace("-", "_") for name in names()]
    look = f"""
from importlib import import_module
modules = {{name: import_module("tests.bench." + name) for name in {sorted(MODULES)}}}
assert all(callable(modules[name].run) for name in {benches})
"""
    run("-c", look)  # in a process of its own: some need llama.cpp


def test_no_name_of_a_shared_module_is_out_of_date() -> None:
    assert SHARED <= MODULES


def test_help_lists_every_bench() -> None:
    text = run("-m", "tests.bench", "--help")
    assert names()
    assert all(name in text for name in names())
