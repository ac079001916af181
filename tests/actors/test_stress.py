"""The chain with its real threads: stops, failures and floods in turn, windows of 1 and 2."""

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from actors.chain import Windows
from actors.outlet import Outlet
from actors.relay import RelayActor
from actors.renderer import RendererActor
from tests.headless import Desk
from tests.waiting import wait_until
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.ui.view import Tone

PIECES = 60
FALL = {
    "model": (Outlet, "flush"),
    "relay": (RelayActor, "_release"),
    "renderer": (RendererActor, "_work"),
}


class Saboteur:
    """Lets an actor's method raise, once, at a call that the test chooses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._armed: dict[str, int] = {}
        for name, (actor, method) in FALL.items():
            monkeypatch.setattr(actor, method, self._wrapped(name, getattr(actor, method)))

    def arm(self, name: str, after: int) -> None:
        self._armed[name] = after

    def _wrapped(self, name: str, method: Any) -> Any:
        def sabotaged(actor: Any) -> None:
            left = self._armed.get(name)
            if left is not None:
                self._armed[name] = left - 1
                if left == 0:
                    del self._armed[name]
                    msg = "sabotage"
                    raise RuntimeError(msg)
            method(actor)

        return sabotaged


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("victim", list(FALL))
@pytest.mark.errors_logged("Unhandled exception in")
def test_runs_that_end_stop_and_fail_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int, victim: str
) -> None:
    chance = random.Random(f"{victim}{window}")
    saboteur = Saboteur(monkeypatch)
    numbers = itertools.count()
    engine = ScriptedEngine(
        lambda _request: Script(pieces=[f"{next(numbers)} " for _ in range(PIECES)])
    )
    windows = Windows(engine=window, relay=window, renderer=window)
    how = ["end", "stop", "fail"] * 8
    chance.shuffle(how)
    with Desk(engine, tmp_path, windows=windows, screen_window=window) as desk:
        desk.open_model()
        for end in how:
            run_once(desk, end, chance, saboteur, victim)
            wait_until(lambda: desk.output.outstanding == 0)
        assert engine.counts.most_inside == 1
        assert engine.counts.loads == 1
        for hop in desk.chain.hops():
            assert hop.queued == 0
            assert hop.high_water <= hop.window


def run_once(desk: Desk, end: str, chance: random.Random, saboteur: Saboteur, victim: str) -> None:
    if end == "fail":
        saboteur.arm(victim, chance.randrange(2, PIECES // 4))
    assert desk.session.send("go")
    bubble = desk.view.bubbles[-1]
    if end == "stop":
        for _ in range(chance.randrange(5)):
            desk.tick()
        desk.session.stop()
    desk.wait_idle()
    words = [int(word) for word in bubble.text.split()]
    assert words == list(range(words[0], words[0] + len(words))) if words else True
    if end == "end":
        assert len(words) == PIECES
    elif end == "fail":
        assert bubble.tone is Tone.ERROR


@pytest.mark.errors_logged("Unhandled exception in")
def test_a_failure_on_the_way_of_a_stop_ends_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = RelayActor._drop

    def break_once(_relay: RelayActor, _stop: object) -> None:
        monkeypatch.setattr(RelayActor, "_drop", drop)
        msg = "sabotage"
        raise RuntimeError(msg)

    # The engine is deaf until the relay has failed, so the receipt cannot be first.
    engine = ScriptedEngine(Script(pieces=itertools.repeat("x "), deaf=True))
    with Desk(engine, tmp_path, stop_deadline_s=0.5) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text, "some text")
        monkeypatch.setattr(RelayActor, "_drop", break_once)
        desk.session.stop()
        wait_until(lambda: RelayActor._drop is drop, "the failure")
        desk.wait_idle()
