"""The engine process is killed, crashed or frozen under a running chat; the chat goes on."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from actors.chain import Windows
from actors.sampling import Sampling
from actors.turn import Phase
from tests.headless import Desk
from tests.waiting import nap, wait_until
from tkinfer.chats.conversation import MessageState
from tkinfer.engines.process import ProcessEngine
from tkinfer.models.starter import starter_path
from tkinfer.ui.view import Tone

STARTER = str(starter_path() or "")
pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(180),
    pytest.mark.skipif(not STARTER, reason="the starter model is not installed"),
]
LONG_PROMPT = "The ship sails on. " * 1200
SHORT = Sampling(temperature=0, max_tokens=200)
STORY = "Write a very long story about a ship."


class Broken:
    """A chat over the real engine, with the engine's process in the test's hand."""

    def __init__(self, desk: Desk, engine: ProcessEngine) -> None:
        self.desk = desk
        self.engine = engine

    def signal(self, number: signal.Signals) -> int:
        pid = self.engine.pid
        assert pid is not None
        os.kill(pid, number)
        return pid

    def reach(self, phase: str) -> None:
        """Bring the chat into a phase."""
        desk = self.desk
        if phase == "loading":
            desk.session.load_model(STARTER)
            desk.wait(lambda: desk.phase is Phase.LOADING and self.engine.pid)
            return
        desk.open_model(STARTER, SHORT)
        if phase == "prefill":
            desk.session.send(LONG_PROMPT)
            desk.wait(lambda: "%" in desk.view.status[-1].words, "some of the prompt is read")
        elif phase == "decode":
            desk.session.send(STORY)
            desk.wait(lambda: len(desk.view.bubbles[-1].text) > 40, "text")
        elif phase == "paused":
            desk.session.send(STORY)
            pid = self.engine.pid
            assert pid is not None
            child = psutil.Process(pid)
            # No tick: nothing is drawn, so all credit is used up and the decode loop waits.
            wait_until(lambda: desk.output.outstanding == desk.output.window)
            wait_until(lambda: rests(child), "the decode loop waits")


def rests(process: psutil.Process) -> bool:
    """Whether a process used no CPU between two looks."""
    before = process.cpu_times().user
    nap()
    return process.cpu_times().user == before and process.status() == psutil.STATUS_SLEEPING


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Broken]:
    engine = ProcessEngine()
    windows = Windows(engine=8, relay=8, renderer=1)
    with Desk(engine, tmp_path, windows=windows, screen_window=1) as desk:
        yield Broken(desk, engine)


@pytest.mark.parametrize("phase", ["loading", "prefill", "decode", "paused"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_death_is_told_and_the_next_send_works(
    chat: Broken, phase: str, number: signal.Signals
) -> None:
    desk = chat.desk
    chat.reach(phase)
    dead = chat.signal(number)
    desk.wait_idle()
    if phase == "loading":
        assert number.name in desk.view.notices[-1].what
        desk.open_model(STARTER, SHORT)
    else:
        bubble = desk.view.bubbles[-1]
        assert bubble.tone is Tone.ERROR
        assert number.name in bubble.note
        message = desk.session.conversation.messages[-1]
        assert message.state is MessageState.FAILED
        assert message.text == bubble.text
        assert phase == "prefill" or bubble.text
        assert not desk.view.badge.loaded
    desk.session.new_chat()
    assert desk.ask("What is 2 plus 2?").text
    assert chat.engine.pid != dead


def test_a_death_while_idle_is_told_at_once(chat: Broken) -> None:
    desk = chat.desk
    desk.open_model(STARTER, SHORT)
    desk.wait(lambda: desk.pump.asleep, "the window sleeps")
    chat.signal(signal.SIGKILL)
    desk.wait(lambda: desk.view.notices, "a notice")
    assert not desk.view.badge.loaded  # the window never claims a model that isn't there
    assert desk.ask("What is 2 plus 2?").text


@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_a_frozen_engine_is_ended_by_stop(chat: Broken, phase: str) -> None:
    desk = chat.desk
    chat.reach(phase)
    frozen = chat.signal(signal.SIGSTOP)
    desk.session.stop()
    desk.wait_idle()
    assert "did not answer" in desk.view.status[-1].receipt
    assert not psutil.pid_exists(frozen)
    desk.session.new_chat()
    assert desk.ask("What is 2 plus 2?").text


@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_an_engine_that_dies_while_it_is_being_stopped(chat: Broken, phase: str) -> None:
    desk = chat.desk
    chat.reach(phase)
    chat.signal(signal.SIGSTOP)
    desk.session.stop()
    wait_until(lambda: desk.chain.hops()[0].queued == 0)
    chat.signal(signal.SIGKILL)
    desk.wait_idle()
    assert not desk.view.badge.loaded  # the window never claims a model that isn't there
    assert "engine ended" in desk.view.status[-1].receipt
    desk.session.new_chat()
    assert desk.ask("What is 2 plus 2?").text
