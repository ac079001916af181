"""How the child starts: its surroundings, its binding, and what it may print."""

import sys
from pathlib import Path

import pytest

from tests.tkinfer.engines.rig import Rig
from tests.waiting import wait_until
from tkinfer.errors import SetupError


def test_it_starts_in_a_folder_full_of_traps(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tkinfer", "llama_cpp", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('trapped')")
    monkeypatch.chdir(tmp_path)
    with Rig() as rig:
        rig.load(tiny)


def _fake_llama(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "llama_cpp.py").write_text(body)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_a_missing_binding_is_named_with_the_command_that_installs_it(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "raise ModuleNotFoundError(\"No module named 'llama_cpp'\")"
    _fake_llama(tmp_path, body, monkeypatch)
    with Rig() as rig:
        failure = rig.load_error(tiny)
    assert isinstance(failure.error, SetupError)
    assert "pip install llama-cpp-python" in str(failure.error)


def test_a_broken_binding_is_said_to_be_broken(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_llama(tmp_path, "raise RuntimeError('Failed to load shared library')", monkeypatch)
    with Rig() as rig:
        failure = rig.load_error(tiny)
    assert isinstance(failure.error, SetupError)
    assert "Failed to load shared library" in str(failure.error)


def test_a_child_that_dies_at_the_start_is_not_started_for_ever(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_llama(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGILL)", monkeypatch)
    with Rig() as rig:
        for _ in range(2):
            failure = rig.failed(rig.ask_load(tiny))
            assert "(SIGILL) while starting" in str(failure.error)
            assert "Install it again" in str(failure.error)
            wait_until(lambda: rig.engine.pid is None)


def test_a_child_that_talks_nonsense_is_ended(tiny: Path) -> None:
    code = "print('hello, this is no message of ours', flush=True); input()"
    with Rig([sys.executable, "-c", code]) as rig:
        failure = rig.failed(rig.ask_load(tiny))
        assert "sent what can't be understood" in str(failure.error)


def test_a_program_that_is_not_there_is_said_so(tiny: Path) -> None:
    with Rig(["/nowhere/python"]) as rig:
        failure = rig.failed(rig.ask_load(tiny))
        assert "could not be started" in str(failure.error)


def test_what_a_library_prints_does_not_garble_the_stream(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "import os\nprint('printed', flush=True)\nos.write(1, b'written')\nraise ImportError('x')"
    )
    _fake_llama(tmp_path, body, monkeypatch)
    with Rig() as rig:
        assert isinstance(rig.load_error(tiny).error, SetupError)
