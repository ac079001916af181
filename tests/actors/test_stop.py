"""Case C-5: a Stop overtakes what is queued, in every actor of the chain."""

import threading
from pathlib import Path

import pytest

from actors.chain import Windows
from actors.drawing import DrawOp, InsertText
from tests.headless import Desk
from tests.waiting import wait_until
from tkinfer.engines.scripted import Script, ScriptedEngine


class GatedRenderer:
    """A TextRenderer whose work takes as long as the test wants: one feed for each permit."""

    def __init__(self) -> None:
        self.permits = threading.Semaphore(0)
        self.feeds = 0

    def feed(self, text: str, *, tail: bool = True) -> list[DrawOp]:
        del tail
        self.feeds += 1
        self.permits.acquire()
        return [InsertText(text=text, source=text)]

    def finish(self) -> list[DrawOp]:
        return []


@pytest.mark.parametrize(
    "windows",
    [
        Windows(engine=8, relay=8, renderer=50),  # all wait at the renderer
        Windows(engine=8, relay=50, renderer=1),  # all wait at the relay
        Windows(engine=50, relay=1, renderer=1),  # all wait at the model
    ],
    ids=["renderer", "relay", "model"],
)
def test_stop_overtakes_fifty_queued_pieces(tmp_path: Path, windows: Windows) -> None:
    slow = GatedRenderer()
    engine = ScriptedEngine(Script(pieces=["x"] * 50))
    with Desk(engine, tmp_path, windows=windows, make_text_renderer=lambda: slow) as desk:
        desk.open_model()
        desk.session.send("go")
        wait_until(lambda: engine.counts.pieces == 50 and engine.counts.inside == 0)
        wait_until(lambda: slow.feeds == 1, "the renderer is at work")
        desk.session.stop()
        desk.wait(lambda: desk.view.status[-1].receipt, "the receipt, with the renderer stuck")
        slow.permits.release()  # the one piece that was in hand
        desk.wait_idle()
        desk.wait(lambda: all(hop.queued == 0 for hop in desk.chain.hops()))
        assert slow.feeds == 1  # none of the queued pieces was worked on
        assert desk.view.bubbles[-1].text == ""  # none is drawn after Stop
        for _ in range(200):
            slow.permits.release()
        assert desk.ask("again").text == "x" * 50  # a full window again, or this would hang
