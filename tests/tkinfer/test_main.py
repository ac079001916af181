"""The command line, and one clear line for each thing that may be missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tkinfer import __version__


def start(*arguments: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program without a display; `code` runs first, in the same interpreter."""
    command = (code or "") + "\nimport sys\nfrom tkinfer.__main__ import main\nsys.exit(main())"
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    return subprocess.run(
        [sys.executable, "-c", command, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


def test_version_and_help_need_nothing() -> None:
    without_tk = 'import sys; sys.modules["tkinter"] = sys.modules["llama_cpp"] = None'
    version = start("--version", code=without_tk)
    assert (version.returncode, version.stdout) == (0, f"tkinfer {__version__}\n")
    usage = start("--help", code=without_tk)
    assert usage.returncode == 0
    assert "FILE.gguf" in usage.stdout


@pytest.mark.parametrize(
    ("code", "package"),
    [
        ('import sys; sys.modules["tkinter"] = None', "python3-tk"),
        ('import sys; sys.modules["_tkinter"] = None', "python3-tk"),
        ('import sys; sys.modules["llama_cpp"] = None', "llama-cpp-python"),
        ('import sys; sys.modules["pykka"] = None', "pykka"),
        ("", "display"),
    ],
    ids=["tkinter", "_tkinter", "llama_cpp", "pykka", "no display"],
)
def test_what_is_missing_is_said_in_one_line(code: str, package: str, tmp_path: Path) -> None:
    ended = start(code=f"{code}\nimport os; os.chdir({str(tmp_path)!r})")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
    assert package in ended.stderr


def test_without_a_console_nothing_breaks() -> None:
    """Case T-4, last line: under pythonw sys.stderr is None."""
    code = 'import sys; sys.modules["llama_cpp"] = None; sys.stderr = None'
    ended = start(code=code)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_the_window_process_imports_nothing_heavy() -> None:
    code = (
        "import sys, tkinfer.__main__, tkinfer.session, tkinfer.engines.process\n"
        'heavy = {"llama_cpp", "jinja2", "numpy", "psutil", "tkinter"} & set(sys.modules)\n'
        "print(sorted(heavy)); sys.exit()"
    )
    assert start(code=code).stdout == "[]\n"
