"""Fixtures for all tests. Headless tests see no display; tests marked `ui` get one of our own."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.display import VirtualDisplay, missing_programs
from tests.leaks import Bystanders, captured_errors, unexpected

# A deadline for an example would be a timed assertion. The same examples are tried every time, so
# that a test which fails has been broken by a change; TKINFER_FUZZ=1 looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("search" if os.environ.get("TKINFER_FUZZ") else "fixed")


def pytest_configure() -> None:
    """Hide the user's display and settings: no test may open a window in front of anyone."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def x_server() -> Iterator[VirtualDisplay]:
    """The virtual display, started for the first test that needs it."""
    if missing := missing_programs():
        reason = f"no virtual display: {' and '.join(missing)} not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)  # CI must not be green with half of the tests
        pytest.skip(reason)
    display = VirtualDisplay()
    yield display
    display.stop()


@pytest.fixture
def display(x_server: VirtualDisplay, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the virtual display, which is also in DISPLAY. Every `ui` test has it."""
    monkeypatch.setenv("DISPLAY", x_server.name)
    yield x_server.name
    # A widget that is only freed later, in some actor's thread, would abort the interpreter.
    gc.collect()


@pytest.fixture(autouse=True)
def _display_for_ui(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("ui"):
        request.getfixturevalue("display")


@pytest.fixture(autouse=True)
def tkinfer_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program under test keeps its files: a folder of this test's own."""
    home = tmp_path / "tkinfer-home"
    monkeypatch.setenv("TKINFER_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def _nothing_left_behind(_display_for_ui: None) -> Iterator[None]:
    bystanders = Bystanders()
    yield
    if left := bystanders.left_behind():
        pytest.fail(left, pytrace=False)


@pytest.fixture(autouse=True)
def _no_unexpected_errors(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    marker = request.node.get_closest_marker("errors_logged")
    patterns: tuple[str, ...] = marker.args if marker else ()
    callback_errors: list[str] = []
    if "tkinter" in sys.modules:
        # By itself Tk prints an error of a callback and goes on, and the test would pass.
        def report(_root: object, kind: type, value: object, _traceback: object) -> None:
            callback_errors.append(f"error in a Tk callback: {kind.__name__}: {value}")

        monkeypatch.setattr("tkinter.Tk.report_callback_exception", report)
    with captured_errors() as errors:
        yield
    if fault := unexpected(errors.texts + callback_errors, patterns):
        pytest.fail(fault, pytrace=False)
