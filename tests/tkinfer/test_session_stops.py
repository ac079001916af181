"""Stop and Cancel at every stage, over a scripted engine, headless."""

import itertools
from pathlib import Path

from actors.engine import GenerateRequest
from actors.turn import Phase
from tests.fake_clock import FakeClock
from tests.headless import Desk
from tests.tkinfer.session_desk import desk_for
from tests.waiting import wait_until
from tkinfer.engines.scripted import LoadScript, Script, ScriptedEngine
from tkinfer.ui.view import EmptyState


def test_stop_while_the_prompt_is_read(tmp_path: Path) -> None:
    """Case C-1."""
    with desk_for(tmp_path, prefill_batches=1000, prefill_delay_s=0.05) as desk:
        desk.open_model()
        desk.session.send("a long prompt")
        desk.wait(lambda: desk.phase is Phase.PREFILL and desk.engine.counts.prefill_batches > 2)
        assert "Reading the prompt" in desk.view.status[-1].words
        desk.session.stop()
        assert not desk.view.running  # the widgets don't wait for the engine
        batches = desk.engine.counts.prefill_batches
        desk.wait_idle()
        assert desk.engine.counts.prefill_batches <= batches + 1
        assert [bubble.text for bubble in desk.view.bubbles] == ["a long prompt", ""]
        assert desk.view.bubbles[-1].note == "Stopped."
        assert "while reading the prompt, engine idle" in desk.view.status[-1].receipt
        desk.engine._script = Script(pieces=["yes"])
        assert desk.ask("again").text == "yes"
        roles = [message.role for message in desk.engine.requests[-1].messages]
        assert roles == ["user", "user"]  # an answer without text is no message


def test_stop_and_send_again_at_once(tmp_path: Path) -> None:
    """Case C-2: a hundred times, never busy, never mixed, never two at once."""

    def script(request: GenerateRequest) -> Script:
        if request.messages[-1].content == "A":
            return Script(pieces=itertools.repeat("A"), piece_delay_s=0.0002)
        return Script(pieces=["B"] * 20)

    engine = ScriptedEngine(script)
    with Desk(engine, tmp_path) as desk:
        desk.open_model()
        for _ in range(100):
            assert desk.session.send("A")
            desk.wait(lambda: len(desk.view.bubbles[-1].text) >= 50)
            desk.session.stop()
            assert desk.session.send("B")
            desk.wait_idle()
            first, second = desk.view.bubbles[-3], desk.view.bubbles[-1]
            assert set(first.text) == {"A"}
            assert second.text == "B" * 20
            desk.session.new_chat()
        assert engine.counts.most_inside == 1


def test_what_was_drawn_is_what_is_kept(tmp_path: Path) -> None:
    with Desk(ScriptedEngine(Script(pieces=itertools.repeat("ab "))), tmp_path) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: len(desk.view.bubbles[-1].text) > 500)
        desk.session.stop()
        shown = desk.view.bubbles[-1].text
        desk.wait_idle()
        assert desk.view.bubbles[-1].text == shown
        assert desk.session.conversation.messages[-1].text == shown


def test_stop_twice_gives_one_receipt(tmp_path: Path) -> None:
    with Desk(ScriptedEngine(Script(pieces=itertools.repeat("x"))), tmp_path) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text)
        desk.session.stop()
        desk.session.stop()
        desk.wait_idle()
        receipts = {status.receipt for status in desk.view.status if status.receipt}
        assert len(receipts) == 1


def test_stop_while_only_drawing_is_left(tmp_path: Path) -> None:
    with desk_for(tmp_path, *["word "] * 100) as desk:
        desk.open_model()
        desk.session.send("go")
        wait_until(lambda: desk.engine.counts.inside == 0 and desk.engine.counts.pieces == 100)
        wait_until(lambda: desk.chain.hops()[0].queued == 0)
        desk.session.stop()
        desk.wait_idle()
        assert "ms while" in desk.view.status[-1].receipt
        assert desk.view.bubbles[-1].note == "Stopped."


def test_cancel_loading_and_send_loads_again(tmp_path: Path) -> None:
    loads = iter([LoadScript(steps=1000, step_delay_s=0.01), LoadScript()])
    engine = ScriptedEngine(Script(pieces=["hi"]), lambda _spec: next(loads))
    with Desk(engine, tmp_path) as desk:
        desk.session.load_model("m.gguf")
        desk.wait(lambda: desk.view.badge.loading and desk.view.badge.loading > 0)
        assert desk.view.empty is EmptyState.LOADING
        desk.session.cancel_load()
        desk.wait(lambda: desk.view.status[-1].receipt, "the receipt")
        assert "while loading, engine ended" in desk.view.status[-1].receipt
        assert desk.view.badge.loading is None
        assert not desk.view.badge.loaded
        assert desk.ask().text == "hi"
        assert engine.counts.loads == 2


def test_stop_of_an_answer_that_waits_for_its_model(tmp_path: Path) -> None:
    engine = ScriptedEngine(Script(), LoadScript(steps=1000, step_delay_s=0.01))
    with Desk(engine, tmp_path) as desk:
        desk.session.load_model("m.gguf")
        desk.session.send("hello")
        desk.wait(lambda: desk.view.badge.loading and desk.view.badge.loading > 0)
        desk.session.stop()
        desk.wait(lambda: "while waiting" in desk.view.status[-1].receipt)
        assert desk.view.badge.loading is not None  # the model goes on loading
        desk.session.cancel_load()
        desk.wait_idle()


def test_an_engine_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    clock = FakeClock()
    engine = ScriptedEngine(Script(pieces=itertools.repeat("x"), deaf=True))
    with Desk(engine, tmp_path, clock=clock) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text)
        desk.session.stop()
        desk.wait(lambda: clock.pending == 1, "the deadline is set")
        assert not desk.view.running
        clock.advance(1.1)
        desk.wait_idle()
        assert "did not answer" in desk.view.status[-1].receipt
        assert engine.counts.kills == 1
        assert not desk.view.badge.loaded
        engine._script = Script(pieces=["fine"])
        assert desk.ask("again").text == "fine"
        assert engine.counts.loads == 2


def test_a_new_model_replaces_a_load_and_an_answer(tmp_path: Path) -> None:
    engine = ScriptedEngine(
        Script(pieces=itertools.repeat("x")), LoadScript(steps=5, step_delay_s=0.001)
    )
    with Desk(engine, tmp_path) as desk:
        desk.session.load_model("a.gguf")
        desk.session.load_model("b.gguf")
        desk.wait(lambda: desk.view.badge.loaded and desk.view.badge.label == "b")
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text)
        desk.session.load_model("c.gguf")
        desk.wait(lambda: desk.view.badge.loaded and desk.view.badge.label == "c")
        desk.wait_idle()
        assert desk.view.bubbles[-1].note == "Stopped."
