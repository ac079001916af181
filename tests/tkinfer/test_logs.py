"""The log file takes what would otherwise be lost, also without a console."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tkinfer import logs


@pytest.fixture
def log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for module, name in ((sys, "excepthook"), (threading, "excepthook"), (sys, "stderr")):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards
    monkeypatch.setattr(logging, "raiseExceptions", logging.raiseExceptions)
    level = logging.getLogger().level
    handler = logs.start(tmp_path)
    yield tmp_path / logs.FILE_NAME
    logs.stop(handler)
    logging.getLogger().setLevel(level)


@pytest.mark.errors_logged("thread worker failed")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failing_thread_leaves_its_trace(log_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case T-4, without a console."""
    monkeypatch.setattr(sys, "stderr", None)

    def breaks() -> None:
        msg = "on purpose"
        raise ZeroDivisionError(msg)

    thread = threading.Thread(target=breaks, name="worker")
    thread.start()
    thread.join()
    text = log_file.read_text(encoding="utf-8")
    assert "ZeroDivisionError: on purpose" in text
    assert "in breaks" in text


@pytest.mark.errors_logged("the program failed")
def test_a_failing_program_leaves_its_trace(
    log_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    sys.excepthook(RuntimeError, RuntimeError("at the top"), None)
    assert "RuntimeError: at the top" in log_file.read_text(encoding="utf-8")


def test_text_that_utf8_cannot_hold_is_logged_all_the_same(log_file: Path) -> None:
    logging.getLogger("test").warning("half a pair: \ud83e")
    assert "half a pair: \\ud83e" in log_file.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_costs_only_the_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    level = logging.getLogger().level
    handler = logs.start(tmp_path / "file" / "log")
    try:
        logging.getLogger("test").warning("nobody hears")
    finally:
        logs.stop(handler)
        logging.getLogger().setLevel(level)
