"""Abort in every phase of a turn: always answered, once, and nothing of the turn follows."""

from pathlib import Path

import pytest

from actors.engine import Aborted, EngineFinished, Loaded, Piece, PrefillProgress
from actors.sampling import Sampling
from actors.turn import Phase, TurnId
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import EngineError

LONG = "." * 6000
SHORT = Sampling(temperature=0, max_tokens=24)


def events_of(rig: Rig, turn: TurnId) -> list[object]:
    return [event for event in rig.events if getattr(event, "turn", None) == turn]


def test_c1_while_the_prompt_is_read(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    turn = rig.start(LONG)
    rig.prefilling(turn)
    aborted = rig.abort(turn)
    assert aborted.phase is Phase.PREFILL
    assert aborted.tokens_kept == aborted.tokens_evaluated < 6000
    assert events_of(rig, turn)[-1] is aborted
    assert rig.answer("hello", SHORT)
    assert not rig.of(Piece, turn)


def test_while_text_flows(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    turn = rig.start("hello")
    rig.pieces(turn, 5)
    aborted = rig.abort(turn)
    assert aborted.phase is Phase.DECODE
    assert aborted.tokens_evaluated >= 5
    rig.answer("hello", SHORT)
    assert events_of(rig, turn)[-1] is aborted


def test_while_paused_for_credit(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    turn = rig.start("hello", credit=1)
    rig.pieces(turn, 1)
    assert rig.abort(turn).phase is Phase.DECODE
    assert len(rig.of(Piece, turn)) == 1
    assert rig.answer("hello", SHORT)


def test_at_once_behind_the_start(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    for _ in range(20):
        turn = rig.start(LONG)
        rig.abort(turn)
        assert not rig.of(EngineFinished, turn)


def test_of_a_turn_that_waits_behind_another(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    running = rig.start(LONG)
    waiting = rig.start("hello")
    assert rig.abort(waiting).phase is Phase.QUEUED
    assert rig.abort(running).phase in (Phase.PREFILL, Phase.QUEUED)
    assert rig.answer("hello", SHORT)
    assert len(events_of(rig, waiting)) == 1


@pytest.mark.parametrize("loaded", [True, False])
def test_of_a_turn_that_is_over_or_was_never_there(rig: Rig, tiny: Path, *, loaded: bool) -> None:
    turn = rig.turn()
    if loaded:
        rig.load(tiny)
        turn = rig.start("hello", SHORT)
        rig.finished(turn)
    assert rig.abort(turn).phase is Phase.IDLE
    assert rig.abort(turn).phase is Phase.IDLE


def test_twice(rig: Rig, slow: Path) -> None:
    rig.load(slow)
    turn = rig.start(LONG)
    rig.prefilling(turn)
    rig.engine.abort(turn)
    rig.engine.abort(turn)
    rig.until(lambda: len(rig.of(Aborted, turn)) == 2)
    rig.answer("hello", SHORT)
    assert len(rig.of(Aborted, turn)) == 2


def test_a_late_abort_spares_the_next_turn(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    right = rig.answer("hello", SHORT)
    for _ in range(50):
        first = rig.start("hello", SHORT)
        second = rig.start("hello", SHORT)
        rig.engine.abort(first)
        rig.finished(second)
        assert rig.text(second) == right
        rig.until(lambda turn=first: len(rig.of(Aborted, turn)) == 1)


def test_c2_stop_and_send_again_at_once(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    right = rig.answer("second", SHORT)
    for _ in range(100):
        first = rig.start("first")
        rig.pieces(first, 3)
        rig.engine.abort(first)
        second = rig.start("second", SHORT)
        rig.finished(second)
        assert rig.text(second) == right
        position = rig.events.index(rig.of(Aborted, first)[0])
        assert all(
            event.turn != first
            for event in rig.events[position + 1 :]
            if isinstance(event, Piece | PrefillProgress | EngineFinished)
        )


def test_of_a_load_leaves_no_model(rig: Rig, slow: Path) -> None:
    turn = rig.ask_load(slow)
    if rig.abort(turn).phase is Phase.IDLE:
        assert rig.of(Loaded, turn)  # it was faster
        return
    failure = rig.failed(rig.start("hello"))
    assert isinstance(failure.error, EngineError)
    assert failure.model_lost
    rig.load(slow)
    assert rig.answer("hello", SHORT)
