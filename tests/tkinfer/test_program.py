"""The real program in a real window: driven by keys and mouse, and closed at any moment."""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.turn import Phase
from tests.desktop import close_window, press, type_text, window_of
from tests.waiting import wait_until
from tkinfer.app import App
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.models.starter import starter_path

pytestmark = [pytest.mark.ui, pytest.mark.timeout(180)]

needs_model = pytest.mark.skipif(
    starter_path() is None, reason="the starter model is not installed"
)


class Running:
    """The program in this process, with its event loop in the test's hand."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.wait(lambda: app.session is not None, "the session")
        self.wait(lambda: app.root.winfo_viewable() and app.root.focus_displayof(), "the focus")

    def wait(self, condition: object, what: str = "") -> None:
        wait_until(condition, what, limit_s=60.0, between=self.app.root.update)  # type: ignore[arg-type]

    @property
    def shown(self) -> str:
        return self.app.window.transcript.text.get("1.0", "end")

    @property
    def session(self):  # noqa: ANN201 - the app's own
        assert self.app.session is not None
        return self.app.session

    def wait_idle(self) -> None:
        self.wait(lambda: self.session.status.phase is Phase.IDLE, "idle again")


@pytest.fixture
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    """The program over a scripted engine (the fixture's parameter) or, without one, llama.cpp."""
    engine = getattr(request, "param", None)
    app = App(make_engine=None if engine is None else lambda: engine)
    running = Running(app)
    yield running
    app.close()
    app.shutdown()


@needs_model
@pytest.mark.model
def test_type_send_read_stop_and_send_again(running: Running) -> None:
    """The main job, from outside: xdotool types and presses, the real model answers."""
    running.wait(lambda: running.session.model.info, "the starter model is loaded")
    type_text("Write a very long story about a ship.")
    running.wait(lambda: "ship" in running.app.window.composer.text.get("1.0", "end"))
    press("Return")
    running.wait(lambda: running.session.status.phase is Phase.DECODE, "decoding")
    before = len(running.shown)
    running.wait(lambda: len(running.shown) > before + 100, "text arrives")
    type_text("Next")  # typing the next message works meanwhile
    running.wait(lambda: "Next" in running.app.window.composer.text.get("1.0", "end"))
    press("Escape")
    running.wait(lambda: "engine idle" in running.session.status.receipt, "the receipt")
    assert "while answering" in running.session.status.receipt
    assert "Stopped." in running.shown
    press("Return")  # what was typed meanwhile is sent
    running.wait(lambda: len(running.session.conversation.messages) == 4, "the second question")
    running.wait(lambda: running.session.conversation.messages[3].text, "its answer")
    press("Escape")
    running.wait_idle()


@pytest.mark.parametrize(
    "running",
    [ScriptedEngine(Script(pieces=itertools.repeat("word\n"), piece_delay_s=0.001))],
    indirect=True,
)
@pytest.mark.errors_logged("a callback of the window failed")
def test_an_error_in_a_callback_becomes_a_notice(running: Running, tmp_path: Path) -> None:
    """Case T-4, first part."""

    def breaks() -> None:
        msg = "a button's handler"
        raise RuntimeError(msg)

    seen: list[str] = []
    show = running.app.window.show_notice
    running.app.window.show_notice = lambda notice: (seen.append(notice.detail), show(notice))  # type: ignore[method-assign]
    running.app.root.after(0, breaks)
    running.wait(lambda: seen, "the notice")
    assert "a button's handler" in seen[0]
    running.session.load_model(str(tmp_path / "m.gguf"))
    running.wait(lambda: running.session.model.info)
    assert running.session.send("still there?")
    running.wait(lambda: "word" in running.shown)


DRIVER = '''
import sys
from tkinfer import app as program

class Told(program.App):
    """Says its phases on stdout."""
    def _start_session(self):
        show = self.window.show_status
        def tell(status):
            print(status.phase.value, flush=True)
            show(status)
        self.window.show_status = tell
        super()._start_session()
        if sys.argv[1]:
            self.root.after(0, lambda: self.session.send(sys.argv[1]))

program.App = Told
sys.exit(program.run())
'''


@needs_model
@pytest.mark.model
@pytest.mark.parametrize(
    ("prompt", "key", "phase"),
    [
        ("", "", None),
        ("", "", "loading"),
        ("", "", "idle"),
        ("word " * 4000, "", "prefill"),
        ("Write a very long story.", "", "decode"),
        ("", "ctrl+o", "idle"),
    ],
    ids=["at once", "loading", "idle", "prefill", "decode", "dialog open"],
)
def test_closing_at_any_moment_ends_everything(prompt: str, key: str, phase: str | None) -> None:
    """Case C-3: code 0, nothing on stderr, no process left."""
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, prompt],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    try:
        window = window_of(process.pid)
        if phase is not None:
            assert process.stdout is not None
            for line in process.stdout:
                if line.strip() == phase:
                    break
        if key:
            press(key)
            wait_until(lambda: len(window.siblings()) > 1, "the dialog")
        close_window(window)
        out, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, ""), out
    finally:
        process.kill()
        process.wait()
