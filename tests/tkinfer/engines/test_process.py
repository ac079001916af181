"""The client's side: counting, planning, unloading, closing, and what it costs its process."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from actors.engine import (
    Counted,
    LoadFailed,
    Piece,
    Planned,
    PrefillProgress,
    PromptReady,
    Unloaded,
)
from actors.loading import LoadSpec
from actors.sampling import Sampling
from actors.turn import Phase
from tests.tiny_gguf import START
from tests.tkinfer.engines.phases import LONG, PHASES, reach, signal_child
from tests.tkinfer.engines.rig import LIMIT_S, Rig
from tkinfer.engines.process import ProcessEngine

SHORT = Sampling(temperature=0, max_tokens=8)
ROOT = Path(__file__).resolve().parents[3]


def test_a_frozen_child_blocks_no_caller(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    signal_child(rig, signal.SIGSTOP)
    for _ in range(20):
        rig.start("." * 100_000)  # 2 MB into a pipe of 64 KiB: a caller that writes stays here
    assert rig.engine.pid is not None
    rig.kill()


def test_nothing_starts_before_it_is_needed() -> None:
    threads = threading.active_count()
    engine = ProcessEngine()
    engine.connect(lambda _: None)
    assert engine.pid is None
    assert threading.active_count() == threads
    engine.close()


def test_unload_and_abort_without_a_child_are_answered(rig: Rig) -> None:
    rig.engine.unload()
    rig.wait(Unloaded)
    turn = rig.turn()
    rig.abort(turn)
    rig.engine.grant(turn, 1)
    assert rig.engine.pid is None


def test_unload_gives_all_memory_back_and_the_next_load_works(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    pid = rig.engine.pid
    assert pid is not None
    rig.engine.unload()
    rig.wait(Unloaded)
    assert not psutil.pid_exists(pid)
    assert rig.engine.pid is None
    rig.load(tiny)
    assert rig.answer("hello", SHORT)


def test_tokens_are_counted_beside_an_answer(rig: Rig, tiny: Path) -> None:
    rig.engine.count(1, "hello")
    assert rig.wait(Counted, lambda event: event.query == 1).tokens is None
    rig.load(tiny)
    turn = rig.start("hello", credit=2)  # it waits for credit, in the middle of its work
    rig.pieces(turn, 2)
    rig.engine.count(2, "hello" + START)
    # Byte by byte, and a control token's text is only text here.
    assert rig.wait(Counted, lambda event: event.query == 2).tokens == 5 + len(START)
    assert rig.abort(turn).phase is Phase.DECODE


def test_a_plan_is_made_without_loading(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    rig.engine.plan(1, LoadSpec(path=str(tiny), context_size=512))
    plan = rig.wait(Planned, lambda event: event.query == 1).plan
    assert plan is not None
    assert plan.context_size == 512
    assert plan.weights_bytes
    assert plan.cache_bytes
    rig.engine.plan(2, LoadSpec(path=str(tmp_path / "missing.gguf")))
    refused = rig.wait(Planned, lambda event: event.query == 2)
    assert refused.plan is None
    assert "missing.gguf" in str(refused.error)
    assert rig.failed(rig.start("hello")).model_lost


def test_a_plan_that_an_engine_took_with_it_is_answered_too(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    turn = rig.start(LONG)
    rig.prefilling(turn)
    rig.engine.plan(7, LoadSpec(path=str(slow)))
    rig.kill()
    assert rig.wait(Planned, lambda event: event.query == 7).plan is None


def test_start_without_a_model_fails_in_words(rig: Rig) -> None:
    failure = rig.failed(rig.start("hello"))
    assert failure.model_lost
    assert "No model is loaded" in str(failure.error)


@pytest.mark.parametrize("phase", [*PHASES, "stopped", "starting", "unused"])
def test_close_in_any_phase_leaves_nothing(
    slow: Path, capfd: pytest.CaptureFixture[str], phase: str
) -> None:  # C-3; the process and its threads are counted after every test
    rig = Rig()
    if phase == "starting":
        rig.ask_load(slow)
    elif phase != "unused":
        reach(rig, "decode" if phase == "stopped" else phase, slow)
    if phase == "stopped":
        signal_child(rig, signal.SIGSTOP)
    pid = rig.engine.pid
    rig.engine.close()
    seen = len(rig.events)
    assert pid is None or not psutil.pid_exists(pid)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("engine-")]
    rig.engine.close()
    rig.start("hello")
    rig.engine.kill()
    rig.engine.unload()
    assert rig.engine.pid is None
    assert len(rig.events) == seen
    assert capfd.readouterr().err == ""


def test_a_new_sink_gets_what_follows(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    old = len(rig.events)
    second = Rig()
    second.engine.close()
    second.engine = rig.engine
    rig.engine.connect(second._collect)
    assert second.answer("hello", SHORT)
    assert len(rig.events) == old


def test_the_child_ends_when_its_parent_dies(slow: Path) -> None:
    script = (
        "import sys, time\n"
        "from actors.engine import *\n"
        "from tkinfer.engines.process import ProcessEngine\n"
        "def sink(event):\n"
        "    if isinstance(event, Loaded):\n"
        "        text = ChatMessage(role='user', content='.' * 6000)\n"
        "        engine.start(GenerateRequest(turn=2, messages=(text,), credit=1000))\n"
        "    if isinstance(event, PrefillProgress):\n"
        "        print(engine.pid, flush=True)\n"
        "engine = ProcessEngine()\n"
        "engine.connect(sink)\n"
        "engine.load(1, LoadSpec(path=sys.argv[1]))\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(slow)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        child = psutil.Process(pid)
        parent.kill()
    child.wait(LIMIT_S)


def test_the_parent_imports_nothing_heavy() -> None:
    code = (
        "import sys, tkinfer.engines.process, tkinfer.models.gguf, tkinfer.models.starter\n"
        "tkinfer.models.starter.starter_path()\n"
        "heavy = {'llama_cpp', 'jinja2', 'psutil', 'numpy', 'multiprocessing', 'llm'}\n"
        "sys.exit(', '.join(heavy & sys.modules.keys()) or None)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_events_come_in_order(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    turn = rig.start("hello", SHORT)
    rig.finished(turn)
    kinds = [type(event) for event in rig.events if getattr(event, "turn", None) == turn]
    pieces = kinds.count(Piece)
    progress = [PrefillProgress] * (len(kinds) - pieces - 2)
    assert kinds[: -pieces - 1] == [PromptReady, *progress]
    assert not rig.of(LoadFailed)
