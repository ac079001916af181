"""Brings an engine into each phase of its work, and sends its process a signal there."""

import os
from pathlib import Path

from actors.engine import LoadProgress
from tests.tkinfer.engines.rig import Rig

LONG = "." * 6000
PHASES = ["loading", "prefill", "decode", "paused", "idle"]


def reach(rig: Rig, phase: str, model: Path) -> int | None:
    """Bring the engine into a phase; return the turn that runs."""
    if phase == "loading":
        turn = rig.ask_load(model)
        rig.wait(LoadProgress)
        return turn
    rig.load(model)
    if phase == "prefill":
        turn = rig.start(LONG)
        rig.prefilling(turn)
        return turn
    if phase == "idle":
        return None
    turn = rig.start("hello", credit=2 if phase == "paused" else 1_000_000)
    rig.pieces(turn, 2)
    return turn


def signal_child(rig: Rig, number: int) -> int:
    pid = rig.engine.pid
    assert pid is not None
    os.kill(pid, number)
    return pid
