"""Credit across the pipe: out of it, the decode loop rests."""

from pathlib import Path

import psutil
import pytest

from actors.engine import EngineFinished, Piece
from actors.sampling import Sampling
from actors.turn import TurnId
from tests.tkinfer.engines.rig import Rig
from tests.waiting import nap, wait_until

FORTY = Sampling(temperature=0, max_tokens=40)


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def rests(process: psutil.Process) -> bool:
    """Whether all threads of a process wait, and no CPU is used between two looks."""
    before = cpu_s(process)
    for _ in range(10):
        nap()
    return cpu_s(process) == before and process.status() == psutil.STATUS_SLEEPING


@pytest.mark.parametrize("window", [1, 2])
def test_exactly_as_many_pieces_as_credit(rig: Rig, tiny: Path, window: int) -> None:
    rig.load(tiny)
    ungated = rig.answer("hello", FORTY)
    assert rig.engine.pid is not None
    child = psutil.Process(rig.engine.pid)
    turn = rig.start("hello", FORTY, credit=window)
    sent = 0
    while not rig.of(EngineFinished, turn):
        sent += window
        wait_until(lambda due=sent: len(rig.of(Piece, turn)) >= due or rig.of(EngineFinished, turn))
        wait_until(lambda: rests(child))
        assert len(rig.of(Piece, turn)) <= sent
        rig.engine.grant(turn, window)
        if len(rig.of(Piece, turn)) >= 10:  # seen often enough
            rig.engine.grant(turn, 1000)
            rig.finished(turn)
    assert rig.text(turn) == ungated
    figures = rig.finished(turn).figures
    assert 0 < figures.paused_s < figures.decode_s


def test_a_pause_uses_no_cpu(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    turn = rig.start("hello", FORTY, credit=1)
    rig.pieces(turn, 1)
    assert rig.engine.pid is not None
    child = psutil.Process(rig.engine.pid)
    wait_until(lambda: rests(child))
    before = cpu_s(child)
    for _ in range(100):
        nap()
    assert cpu_s(child) - before <= 0.01  # the kernel's own resolution
    rig.abort(turn)


def test_the_end_costs_no_credit(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    sampling = Sampling(temperature=0, max_tokens=3)
    pieces = len(rig.of(Piece, _done(rig, sampling)))
    turn = rig.start("hello", sampling, credit=pieces)
    rig.finished(turn)
    assert len(rig.of(Piece, turn)) == pieces


def _done(rig: Rig, sampling: Sampling) -> TurnId:
    turn = rig.start("hello", sampling)
    rig.finished(turn)
    return turn


def test_a_stale_grant_gives_nothing_to_the_next_turn(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    first = rig.start("hello", FORTY, credit=1)
    rig.pieces(first, 1)
    rig.abort(first)
    second = rig.start("hello", FORTY, credit=1)
    rig.engine.grant(first, 100)
    rig.pieces(second, 1)
    assert rig.engine.pid is not None
    child = psutil.Process(rig.engine.pid)
    wait_until(lambda: rests(child))
    assert len(rig.of(Piece, second)) == 1
    rig.engine.grant(second, 1000)
    rig.finished(second)
