"""Deaths in every phase, and `kill`: what is said, and the fresh child behind them."""

import signal
from pathlib import Path

import psutil
import pytest

from actors.engine import Aborted, EngineFailed, EngineKilled, Planned
from actors.loading import LoadSpec
from actors.sampling import Sampling
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.phases import PHASES, reach, signal_child
from tests.tkinfer.engines.rig import Rig
from tests.waiting import wait_until
from tkinfer.errors import EngineError

SHORT = Sampling(temperature=0, max_tokens=8)
DOING = {
    "loading": "while loading slow.gguf",
    "prefill": "while reading the prompt with slow.gguf",
    "decode": "while answering with slow.gguf",
    "paused": "while answering with slow.gguf",
    "idle": "while holding slow.gguf",
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_death_is_said_in_words_and_a_fresh_child_works(
    rig: Rig, slow: Path, phase: str, number: signal.Signals
) -> None:
    turn = reach(rig, phase, slow)
    pid = signal_child(rig, number)
    failure = rig.wait(EngineFailed)
    assert failure.turn == turn
    assert failure.model_lost
    error = failure.error
    assert isinstance(error, EngineError)
    assert f"signal {number.value} ({number.name}) {DOING[phase]}" in error.what
    blamed = "the file may be damaged, or not supported by this llama.cpp" in error.what
    assert blamed == (phase == "loading" and number is not signal.SIGKILL)
    assert error.next_step
    if phase != "loading":
        assert "llama" in error.detail  # its log
    if number is not signal.SIGKILL:
        assert "Fatal Python error" in error.detail
    assert not psutil.pid_exists(pid)
    rig.load(slow)
    assert rig.answer("hello", SHORT)
    assert len(rig.of(EngineFailed)) == 1


@pytest.mark.parametrize("phase", ["loading", "prefill"])
def test_an_unknown_instruction_is_no_fault_of_the_model(rig: Rig, slow: Path, phase: str) -> None:
    reach(rig, phase, slow)
    signal_child(rig, signal.SIGILL)
    error = rig.wait(EngineFailed).error
    assert isinstance(error, EngineError)
    assert "damaged" not in error.what
    assert "built for another processor" in error.next_step
    assert "pip install" in error.next_step


@pytest.fixture
def deadly(tmp_path: Path) -> Path:
    """A model for which this llama.cpp fails an assertion while it reads the metadata."""
    path = tmp_path / "deadly.gguf"
    return write_tiny_gguf(path, tweak=lambda writer: writer.add_expert_used_count(5))


def test_a_model_that_ends_the_process_while_loading_is_named_as_the_cause(
    rig: Rig, tiny: Path, deadly: Path
) -> None:
    rig.load(tiny)
    turn = rig.ask_load(deadly)
    behind = rig.start("hello")
    error = rig.failed(turn).error
    assert isinstance(error, EngineError)
    assert error.what == (
        "The engine process was ended by signal 6 (SIGABRT) while loading deadly.gguf: "
        "the file may be damaged, or not supported by this llama.cpp."
    )
    assert "another model" in error.next_step
    assert "Fatal Python error" in error.detail
    assert "deadly.gguf" in str(rig.failed(behind).error)  # what waited is told the same
    rig.load(tiny)
    assert rig.answer("hello", SHORT)
    assert len(rig.of(EngineFailed)) == 2


@pytest.mark.parametrize("loaded", [True, False])
def test_a_plan_that_ends_the_process_says_why(
    rig: Rig, tiny: Path, deadly: Path, *, loaded: bool
) -> None:
    if loaded:
        rig.load(tiny)
    rig.engine.plan(3, LoadSpec(path=str(deadly)))
    planned = rig.wait(Planned)
    assert (planned.query, planned.plan) == (3, None)
    words = "while planning to load deadly.gguf: the file may be damaged, or not supported"
    assert words in str(planned.error)
    rig.load(tiny)
    assert rig.answer("hello", SHORT)
    lost = [(failure.turn, failure.model_lost) for failure in rig.of(EngineFailed)]
    assert lost == ([(None, True)] if loaded else [])  # the model in use went with it


def test_a_model_that_ends_the_process_while_it_answers(
    rig: Rig, tiny: Path, tmp_path: Path
) -> None:
    """Loading does not look at this number; computing fails an assertion."""
    path = tmp_path / "deadly.gguf"
    rig.load(write_tiny_gguf(path, tweak=lambda writer: writer.add_layer_norm_rms_eps(-1.0)))
    error = rig.failed(rig.start("hello")).error
    assert isinstance(error, EngineError)
    assert "(SIGABRT) while reading the prompt with deadly.gguf" in error.what
    assert "If it ends the same way, choose another model." in error.next_step
    rig.load(tiny)
    assert rig.answer("hello", SHORT)


@pytest.mark.parametrize("phase", [*PHASES, "stopped"])
def test_kill_ends_it_in_any_phase(rig: Rig, slow: Path, phase: str) -> None:
    turn = reach(rig, "prefill" if phase == "stopped" else phase, slow)
    pid = rig.engine.pid
    assert pid is not None
    if phase == "stopped":
        signal_child(rig, signal.SIGSTOP)
    rig.kill()
    assert not psutil.pid_exists(pid)
    assert not rig.of(EngineFailed)
    killed = len(rig.events)
    assert isinstance(rig.events[-1], EngineKilled)
    wait_until(lambda: rig.engine.pid)  # a fresh one starts by itself
    rig.load(slow)
    assert rig.answer("hello", SHORT)
    if turn is not None:
        assert all(getattr(event, "turn", None) != turn for event in rig.events[killed:])


def test_kill_without_a_child_is_answered_too(rig: Rig, tiny: Path) -> None:
    rig.kill()
    assert rig.engine.pid is None
    rig.load(tiny)
    rig.engine.kill()
    rig.engine.kill()
    rig.until(lambda: len(rig.of(EngineKilled)) == 3)
    rig.load(tiny)


def test_an_abort_that_a_death_leaves_open_is_answered_by_the_failure(rig: Rig, slow: Path) -> None:
    """An Aborted beside it would overtake the failure on the control lane."""
    turn = reach(rig, "prefill", slow)
    assert turn is not None
    signal_child(rig, signal.SIGSTOP)
    rig.engine.abort(turn)
    signal_child(rig, signal.SIGKILL)
    rig.wait(EngineFailed, lambda event: event.turn == turn)
    rig.load(slow)
    assert not any(event.turn == turn for event in rig.of(Aborted))
