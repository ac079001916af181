"""What goes wrong in the engine, in an actor or with a model; over a scripted engine, headless."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from actors.chain import Windows
from actors.drawing import DrawOp
from actors.engine import GenerateRequest
from actors.loading import LoadSpec
from actors.model import ModelActor
from actors.relay import RelayActor
from actors.renderer import RendererActor
from tests.headless import Desk
from tests.tkinfer.session_desk import desk_for
from tkinfer.chats.conversation import MessageState
from tkinfer.engines.scripted import LoadScript, Script, ScriptedEngine
from tkinfer.errors import EngineError, ModelFileError, PromptError
from tkinfer.ui.view import EmptyState, Tone


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
