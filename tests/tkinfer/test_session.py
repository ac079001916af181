"""The whole chain over a scripted engine, headless: streaming, Stop, failures, models."""

import itertools
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from actors.chain import Windows
from actors.drawing import DrawOp
from actors.engine import GenerateRequest
from actors.loading import LoadSpec
from actors.model import ModelActor
from actors.relay import RelayActor
from actors.renderer import RendererActor
from actors.turn import EndReason, Phase
from tests.fake_clock import FakeClock
from tests.headless import Desk
from tests.waiting import nap, wait_until
from tkinfer.chats.conversation import MessageState
from tkinfer.engines.scripted import LoadScript, Script, ScriptedEngine
from tkinfer.errors import EngineError, ModelFileError, PromptError
from tkinfer.ui.view import EmptyState, Tone


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


# ---- streaming text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "text", "seen"),
    [
        ([b"\xf0\x9f\xa6", b"\x80", b"!"], "🦀!", {"🦀", "🦀!"}),
        ([b"\xe9", b"\xaf", b"\xa8", b"\xe3\x81\xa8"], "鯨と", {"鯨", "鯨と"}),
        ([b"\xf0\x9f\x91\xa9", b"\xe2\x80\x8d", b"\xf0\x9f\x92\xbb"], "👩‍💻", None),
    ],
)
def test_a_character_in_several_pieces(
    tmp_path: Path, pieces: list[str | bytes], text: str, seen: set[str] | None
) -> None:
    """Case S-1."""
    with desk_for(tmp_path, *pieces) as desk:
        desk.open_model()
        assert desk.ask().text == text
        assert not any("\ufffd" in shown for shown in desk.view.snapshots)
        assert seen is None or set(desk.view.snapshots) <= seen
        assert desk.session.conversation.messages[-1].text == text


def test_an_answer_that_ends_inside_a_character(tmp_path: Path) -> None:
    """Case S-2."""
    with desk_for(tmp_path, "ok ", b"\xe9\xaf", reason=EndReason.LENGTH) as desk:
        desk.open_model()
        bubble = desk.ask()
        assert bubble.text == "ok \ufffd"
        assert "limit" in bubble.note
        assert desk.session.conversation.messages[-1].state is MessageState.LENGTH
        desk.ask("and then?")
        history = desk.engine.requests[-1].messages
        assert [message.content for message in history] == ["Hello?", "ok \ufffd", "and then?"]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([" Once", " upon", " a", " time"], " Once upon a time"),
        ([" ", " padded", " row"], "  padded row"),
        (["```py\n", "if x:\n", "    ", "return", " 1\n", "```"], "if x:\n    return 1\n"),
    ],
)
def test_spaces_at_the_start_of_pieces(tmp_path: Path, pieces: list[str], text: str) -> None:
    """Case S-4."""
    with desk_for(tmp_path, *pieces) as desk:
        desk.open_model()
        assert desk.ask().text == text
        assert desk.session.conversation.messages[-1].text == "".join(pieces)


def test_a_fast_engine_waits_for_a_slow_window(tmp_path: Path) -> None:
    """Case B-1: the window decides the pace, memory is bounded, and nothing is lost."""
    count = 200_000
    pieces = [f"{n:07d}" + ("\n" if n % 10 == 9 else " ") for n in range(count)]
    memory = psutil.Process()
    with desk_for(tmp_path, *pieces) as desk:
        engine = engine_of(desk)
        desk.open_model()
        desk.session.send("go")
        wait_until(lambda: engine.counts.pieces >= 128, "the engine runs out of credit")
        before = memory.memory_info().rss
        for _ in range(30):  # the slow phase: a frame only when the engine has come to rest
            desk.tick()
            at_rest(engine)
        assert memory.memory_info().rss - before < 20 * 1024 * 1024
        assert engine.counts.pieces < 30 * 4 * 128 + 512  # it really waited
        desk.wait_idle()
        assert desk.view.bubbles[-1].text == "".join(pieces)
        assert engine.counts.most_unacknowledged <= 128
        for hop in desk.chain.hops():
            assert hop.high_water <= hop.window, hop


def test_without_a_tick_the_engine_really_stops(tmp_path: Path) -> None:
    with Desk(
        ScriptedEngine(Script(pieces=itertools.repeat("x"))),
        tmp_path,
        windows=Windows(engine=2, relay=1, renderer=1),
        screen_window=1,
    ) as desk:
        desk.open_model()
        desk.session.send("go")
        engine = desk.engine
        wait_until(lambda: engine.counts.most_unacknowledged == 2, "out of credit")
        wait_until(lambda: engine.counts.inside == 1)
        assert at_rest(engine) <= 2 + 1 + 1 + 1 + 1  # all windows full, and one piece being merged
        desk.session.stop()
        desk.wait_idle()


# ---- Stop -------------------------------------------------------------------------------------


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


# ---- failures ---------------------------------------------------------------------------------


def test_an_engine_crash_keeps_the_text_and_the_next_send_works(tmp_path: Path) -> None:
    error = EngineError("The engine process was ended by signal 9.", "Send again.", "last log line")
    scripts = iter([Script(pieces=["Hel"], error=error), Script(pieces=["Hello"])])
    engine = ScriptedEngine(lambda _request: next(scripts))
    with Desk(engine, tmp_path) as desk:
        desk.open_model()
        bubble = desk.ask()
        assert (bubble.text, bubble.note, bubble.tone) == ("Hel", str(error), Tone.ERROR)
        assert desk.view.notices[-1].detail == "last log line"
        assert desk.session.conversation.messages[-1].state is MessageState.FAILED
        assert not desk.view.badge.loaded
        assert desk.ask().text == "Hello"
        assert engine.counts.loads == 2


def test_a_model_that_cannot_be_loaded_is_never_claimed(tmp_path: Path) -> None:
    error = ModelFileError("bad.gguf is not a GGUF file.", "Open another file.")
    engine = ScriptedEngine(
        Script(pieces=["still here"]),
        lambda spec: LoadScript(error=error if spec.path == "bad.gguf" else None),
    )
    with Desk(engine, tmp_path) as desk:
        desk.session.load_model("bad.gguf")
        desk.wait(lambda: desk.view.notices, "a notice")
        assert desk.view.notices[-1].what == error.what
        assert (desk.view.badge.loaded, desk.view.badge.label) == (False, "")
        assert desk.view.empty is EmptyState.NO_MODEL
        assert not desk.session.send("anyone?")
        desk.open_model("good.gguf")
        desk.session.load_model("bad.gguf")
        desk.wait(lambda: len(desk.view.notices) == 3)
        desk.wait_idle()
        assert (desk.view.badge.loaded, desk.view.badge.label) == (True, "good")
        assert desk.ask().text == "still here"


@pytest.fixture(params=["ModelActor", "RelayActor", "RendererActor"])
def victim(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One actor breaks at its next data message."""
    method = {
        "ModelActor": (ModelActor, "_on_piece"),
        "RelayActor": (RelayActor, "_send_batch"),
        "RendererActor": (RendererActor, "_draw"),
    }[request.param]
    original = getattr(*method)
    broken = [True]

    def breaks_once(self: object, *args: object) -> object:
        if broken and len(seen) >= 5:
            broken.clear()
            msg = "on purpose"
            raise ZeroDivisionError(msg)
        seen.append(1)
        return original(self, *args)

    seen: list[int] = []
    monkeypatch.setattr(*method, breaks_once)
    return request.param


@pytest.mark.errors_logged("Unhandled exception in")
@pytest.mark.usefixtures("victim")
def test_an_actor_that_fails_is_replaced(tmp_path: Path) -> None:
    """Case T-4: the turn is marked as failed, its text kept, credit comes back, Send works."""
    scripts = iter([Script(pieces=itertools.repeat("x\n"), piece_delay_s=0.0005)])
    engine = ScriptedEngine(lambda _request: next(scripts, Script(pieces=["y"] * 500)))
    with Desk(engine, tmp_path, windows=Windows(engine=8, relay=8, renderer=2)) as desk:
        desk.open_model()
        bubble = desk.ask()
        assert set(bubble.text) <= {"x", "\n"}
        assert desk.session.conversation.messages[-1].text == bubble.text
        assert bubble.tone is Tone.ERROR
        assert "on purpose" in desk.view.notices[-1].detail
        assert desk.ask().text == "y" * 500
        assert desk.view.badge.loaded  # the model in the engine lives on
        assert engine.counts.loads == 1


@pytest.mark.errors_logged("Unhandled exception in RelayActor")
def test_an_actor_that_fails_in_a_stop_leaves_nothing_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_self: object, _stop: object) -> None:
        monkeypatch.undo()
        msg = "on purpose"
        raise ZeroDivisionError(msg)

    with desk_for(tmp_path, *["x"] * 300, piece_delay_s=0.0005) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text)
        monkeypatch.setattr(RelayActor, "_drop", breaks)
        desk.session.stop()
        desk.wait_idle()
        assert desk.view.notices == []  # the answer was stopped: nothing else to say of it
        assert desk.ask("again").text == "x" * 300


@pytest.mark.errors_logged("can't be drawn")
def test_a_drawing_that_fails_does_not_stop_the_rest(tmp_path: Path) -> None:
    """Case T-4: piece 7 of 20 can't be drawn; 8 to 20 are, and nothing is lost from the chat."""
    pieces = [f"<{n}>" for n in range(1, 21)]
    with desk_for(tmp_path, *pieces, piece_delay_s=0.002) as desk:

        def breaks_at_seven(ops: Sequence[DrawOp]) -> None:
            if any("<7>" in op.source for op in ops):
                msg = "piece 7"
                raise RuntimeError(msg)

        desk.view.on_draw = breaks_at_seven
        desk.open_model()
        bubble = desk.ask()
        assert "<8>" in bubble.text
        assert bubble.text.endswith("<20>")
        assert desk.session.conversation.messages[-1].text == "".join(pieces)
        assert "piece 7" in desk.view.notices[-1].detail


# ---- the rest ---------------------------------------------------------------------------------


def test_nothing_polls_when_idle(tmp_path: Path) -> None:
    with desk_for(tmp_path, "a") as desk:
        assert desk.scheduler.pending == 0
        desk.open_model()
        desk.ask()
        desk.wait(lambda: desk.scheduler.pending == 0, "the pump sleeps")


def test_several_turns_of_conversation(tmp_path: Path) -> None:
    with desk_for(tmp_path, "an answer") as desk:
        desk.open_model()
        desk.ask("one")
        desk.ask("two")
        history = [(m.role, m.content) for m in desk.engine.requests[-1].messages]
        assert history == [("user", "one"), ("assistant", "an answer"), ("user", "two")]
        assert desk.view.title == "one"
        desk.session.new_chat()
        assert desk.view.bubbles == []
        desk.ask("three")
        assert len(desk.engine.requests[-1].messages) == 1


def test_a_new_chat_can_be_undone_and_the_undo_too(tmp_path: Path) -> None:
    """Chats are only in memory yet, so a wrong Ctrl+N must not cost one."""
    text = "see\n```py\nx = 1\n```\n"
    with desk_for(tmp_path, text, reason=EndReason.LENGTH) as desk:
        desk.open_model()
        desk.ask("one")
        before = [(b.author, b.text, b.note, b.tone, b.blocks) for b in desk.view.bubbles]
        desk.session.new_chat()
        action = desk.view.notices[-1].action
        assert action is not None
        assert (action.label, action.brief) == ("Undo", True)
        desk.ask("two")
        action.run()
        after = [(b.author, b.text, b.note, b.tone, b.blocks) for b in desk.view.bubbles]
        assert after == before
        assert desk.view.title == "one"
        back = desk.view.notices[-1].action
        assert back is not None
        back.run()
        assert desk.view.bubbles[0].text == "two"
        desk.session.new_chat()
        count = len(desk.view.notices)
        desk.session.new_chat()  # an empty chat is no loss
        assert len(desk.view.notices) == count


def test_random_stops_with_the_smallest_windows(tmp_path: Path) -> None:
    """No deadlock, no loss, no mixing, with windows of one everywhere."""
    rng = random.Random(7)
    counter = itertools.count()
    script = lambda _request: Script(  # noqa: E731
        pieces=[f"{next(counter)} " for _ in range(50)], prefill_batches=2
    )
    windows = Windows(engine=1, relay=1, renderer=1)
    with Desk(ScriptedEngine(script), tmp_path, windows=windows, screen_window=1) as desk:
        desk.open_model()
        for _ in range(60):
            assert desk.session.send("go")
            if rng.random() < 0.7:
                for _ in range(rng.randrange(6)):
                    desk.tick()
                desk.session.stop()
                if rng.random() < 0.5:
                    desk.wait_idle()
            else:
                desk.wait_idle()
                numbers = [int(word) for word in desk.view.bubbles[-1].text.split()]
                assert len(numbers) == 50
                assert numbers == list(range(numbers[0], numbers[0] + 50))
        desk.wait_idle()


def loads_for(bad: set[str], slow: set[str]) -> Callable[[LoadSpec], LoadScript]:
    """Files that are refused, and files that load for a long time."""
    error = ModelFileError("It is not a GGUF file.", "Open another file.")

    def script(spec: LoadSpec) -> LoadScript:
        steps = 1000 if spec.path in slow else 0
        return LoadScript(steps=steps, step_delay_s=0.01, error=error if spec.path in bad else None)

    return script


def test_after_a_cancelled_load_the_window_names_the_model_that_answers(tmp_path: Path) -> None:
    engine = ScriptedEngine(Script(pieces=["hi"]), loads_for(set(), {"b.gguf"}))
    with Desk(engine, tmp_path) as desk:
        desk.open_model("a.gguf")
        desk.session.load_model("b.gguf")
        desk.wait(lambda: desk.view.badge.loading)
        desk.session.cancel_load()
        desk.wait_idle()
        assert (desk.view.badge.label, desk.view.badge.loaded) == ("a", False)
        assert desk.ask().author == "a"
        assert (desk.view.badge.label, desk.view.badge.loaded) == ("a", True)


def test_an_answer_that_waits_for_a_model_that_fails_is_not_given_by_another(
    tmp_path: Path,
) -> None:
    engine = ScriptedEngine(Script(pieces=["hi"]), loads_for({"b.gguf"}, set()))
    with Desk(engine, tmp_path) as desk:
        desk.open_model("a.gguf")
        desk.session.load_model("b.gguf")
        desk.session.send("hello")
        desk.wait(lambda: desk.view.notices, "the notice")
        desk.wait_idle()
        assert desk.view.bubbles[-1].note == "Stopped."
        assert desk.ask("again").author == "a"


def test_a_reload_that_fails_leaves_no_model_chosen(tmp_path: Path) -> None:
    bad: set[str] = set()
    scripts = iter([Script(error=EngineError("It crashed."))])
    engine = ScriptedEngine(lambda _request: next(scripts, Script()), loads_for(bad, set()))
    with Desk(engine, tmp_path) as desk:
        desk.open_model("a.gguf")
        desk.ask()
        bad.add("a.gguf")
        assert "not a GGUF" in desk.ask("again").note
        assert desk.view.badge.label == ""
        assert not desk.session.send("and again")  # it says that no model is open
        bad.clear()
        desk.open_model("a.gguf")
        desk.ask("now")


def test_an_error_at_the_end_of_an_answer_does_not_lock_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with desk_for(tmp_path, "hi") as desk:
        desk.open_model()
        with monkeypatch.context() as patch, caplog.at_level("CRITICAL", "tkinfer.ui.pump"):
            patch.setattr(desk.view, "end_answer", lambda **_: 1 / 0)
            desk.ask()
        assert "ZeroDivisionError" in desk.view.notices[-1].detail
        assert desk.ask("again").text == "hi"


@pytest.mark.errors_logged("Unhandled exception in", "can't be replaced")
def test_a_chain_that_cannot_be_replaced_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_args: object) -> None:
        msg = "on purpose"
        raise ZeroDivisionError(msg)

    with desk_for(tmp_path, "hi") as desk:
        desk.open_model()
        monkeypatch.setattr(RelayActor, "_send_batch", breaks)
        monkeypatch.setattr(desk.chain, "_start_generation", breaks)
        assert desk.ask().tone is Tone.ERROR
        assert desk.ask("again").tone is Tone.ERROR  # no Send is lost in silence
        desk.wait(lambda: desk.pump.asleep)


def test_a_prompt_that_does_not_fit_is_given_back(tmp_path: Path) -> None:
    error = PromptError("The prompt has 9,000 tokens, the context only 8,192.", "Shorten it.")

    def script(request: GenerateRequest) -> Script:
        too_long = any(message.content == "too long" for message in request.messages)
        return Script(pieces=["hi"], refusal=error if too_long else None)

    with Desk(ScriptedEngine(script), tmp_path) as desk:
        desk.open_model()
        assert "9,000" in desk.ask("too long").note
        assert desk.view.draft == "too long"
        assert desk.ask("short").text == "hi"
