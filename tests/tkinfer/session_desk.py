"""A session over a scripted engine, and what its tests wait for."""

from pathlib import Path

from tests.headless import Desk
from tests.waiting import nap
from tkinfer.engines.scripted import Script, ScriptedEngine


def desk_for(tmp_path: Path, *pieces: str | bytes, **script: object) -> Desk:
    return Desk(ScriptedEngine(Script(pieces=pieces, **script)), tmp_path)  # type: ignore[arg-type]


def engine_of(desk: Desk) -> ScriptedEngine:
    assert isinstance(desk.engine, ScriptedEngine)
    return desk.engine


def at_rest(engine: ScriptedEngine) -> int:
    """Wait until the engine waits for credit; return the pieces it has sent so far."""
    seen = -1
    while seen != (seen := engine.counts.pieces):
        for _ in range(5):
            nap()
    return seen
