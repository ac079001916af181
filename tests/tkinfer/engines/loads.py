"""Loading with options, and what came of it."""

from pathlib import Path
from typing import Any

from actors.engine import EngineFailed, Loaded, LoadFailed
from actors.loading import LoadSpec
from actors.sampling import Sampling
from tests.tkinfer.engines.rig import Rig

SHORT = Sampling(temperature=0, max_tokens=16)


def load_with(rig: Rig, path: Path, **options: Any) -> Loaded | LoadFailed | EngineFailed:
    """Load a model with these options of LoadSpec."""
    turn = rig.turn()
    rig.engine.load(turn, LoadSpec(path=str(path), **options))
    return rig.wait(Loaded | LoadFailed | EngineFailed, lambda event: event.turn == turn)


def loaded_with(rig: Rig, path: Path, **options: Any) -> Loaded:
    """Load a model that must load."""
    end = load_with(rig, path, **options)
    assert isinstance(end, Loaded), end
    return end


def refused_with(rig: Rig, path: Path, **options: Any) -> LoadFailed:
    """Load a model that must be refused."""
    end = load_with(rig, path, **options)
    assert isinstance(end, LoadFailed), end
    return end
