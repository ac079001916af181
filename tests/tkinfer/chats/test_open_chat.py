"""What can be done with the last answer: again, on, another question, another version."""

import itertools
from pathlib import Path

import pytest

from actors.engine import GenerateRequest
from actors.messages import TokenChoice
from actors.sampling import Sampling
from actors.turn import EndReason, TurnId
from tests.headless import Desk
from tkinfer.chats.conversation import Message, MessageState, Role
from tkinfer.chats.token_log import MOST_PLACES, TokenLog
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.errors import EngineError, PromptError
from tkinfer.ui.view import Tone

REFUSAL = PromptError("The prompt has 9,000 tokens, the context only 8,192.", "Shorten it.")


def answers(tmp_path: Path, *scripts: Script) -> Desk:
    """A desk whose engine plays these scripts, one for each request."""
    left = iter(scripts)
    return Desk(ScriptedEngine(lambda _request: next(left)), tmp_path)


def request_of(desk: Desk) -> GenerateRequest:
    """What the engine was asked last."""
    assert isinstance(desk.engine, ScriptedEngine)
    return desk.engine.requests[-1]


def contents(desk: Desk) -> list[str]:
    return [message.content for message in request_of(desk).messages]


def shown(desk: Desk) -> list[str]:
    return [bubble.text for bubble in desk.view.bubbles]


def versions(desk: Desk) -> tuple[int, int]:
    assert desk.view.choices is not None
    return desk.view.choices.number, desk.view.choices.versions


# ---- again ------------------------------------------------------------------------------------


def test_again_makes_another_version_and_keeps_the_first(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["one"]), Script(pieces=["two"])) as desk:
        desk.open_model(sampling=Sampling(seed=7))
        desk.ask("count")
        assert request_of(desk).sampling.seed == 7
        desk.session.regenerate()
        assert desk.view.choices is None  # nothing is offered while an answer is made
        desk.wait_idle()
        assert shown(desk) == ["count", "two"]
        assert contents(desk) == ["count"]
        assert request_of(desk).sampling.seed is None
        assert versions(desk) == (2, 2)
        desk.session.step_version(-1)
        assert shown(desk) == ["count", "one"]
        assert versions(desk) == (1, 2)
        desk.session.step_version(-1)  # there is none before it
        assert shown(desk) == ["count", "one"]


def test_the_next_question_goes_on_from_the_version_that_is_shown(tmp_path: Path) -> None:
    pieces = ("one", "two", "three")
    with answers(tmp_path, *(Script(pieces=[piece]) for piece in pieces)) as desk:
        desk.open_model()
        desk.ask("count")
        desk.session.regenerate()
        desk.wait_idle()
        desk.session.step_version(-1)
        desk.ask("on")
        assert contents(desk) == ["count", "one", "on"]
        assert shown(desk) == ["count", "one", "on", "three"]
        assert versions(desk) == (1, 1)


def test_an_answer_stopped_before_its_first_character_is_no_version(tmp_path: Path) -> None:
    waits = Script(prefill_batches=1000, prefill_delay_s=0.05)
    with answers(tmp_path, waits, Script(pieces=["two"])) as desk:
        desk.open_model()
        desk.session.send("count")
        desk.session.stop()
        desk.wait_idle()
        desk.session.regenerate()
        desk.wait_idle()
        assert versions(desk) == (1, 1)
        assert shown(desk) == ["count", "two"]


def test_nothing_is_begun_beside_an_answer_that_is_made(tmp_path: Path) -> None:
    endless = Script(pieces=itertools.repeat("x"), piece_delay_s=0.001)
    with answers(tmp_path, endless) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.session.regenerate()
        desk.session.resume_answer()
        desk.session.edit_question()
        desk.session.step_version(1)
        assert not desk.session.send_edited("other")
        assert desk.view.edited is None
        assert len(desk.view.bubbles) == 2
        desk.session.stop()
        desk.wait_idle()


def test_a_new_version_that_is_refused_leaves_the_old_one(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["one"]), Script(refusal=REFUSAL)) as desk:
        desk.open_model()
        desk.ask("count")
        desk.session.regenerate()
        desk.wait_idle()
        assert shown(desk) == ["count", "one"]
        assert versions(desk) == (1, 1)
        assert "9,000" in desk.view.notices[-1].what
        assert desk.view.draft == ""


@pytest.mark.parametrize("edited", [False, True])
def test_what_is_refused_again_stays_out_of_the_next_prompt(tmp_path: Path, edited: bool) -> None:
    refused = Script(refusal=REFUSAL)
    with answers(tmp_path, refused, refused, Script(pieces=["hi"])) as desk:
        desk.open_model()
        desk.ask("too long")
        if edited:
            desk.session.send_edited("too long")
        else:
            desk.session.regenerate()
        desk.wait_idle()
        assert desk.view.edited == ("too long" if edited else None)
        desk.ask("short")
        assert contents(desk) == ["short"]


# ---- on ---------------------------------------------------------------------------------------


def test_an_answer_that_met_its_limit_goes_on_as_the_same_message(tmp_path: Path) -> None:
    cut = Script(pieces=["```py\nx", " = "], reason=EndReason.LENGTH)
    with answers(tmp_path, cut, Script(pieces=["1\n", "```"])) as desk:
        desk.open_model()
        desk.ask("code")
        assert desk.view.choices is not None
        assert desk.view.choices.resumable
        desk.session.resume_answer()
        desk.wait_idle()
        request = request_of(desk)
        assert request.resume
        assert [m.content for m in request.messages] == ["code", "```py\nx = "]
        assert request.messages[-1].tokens == (0, 1)
        message = desk.session.conversation.messages[-1]
        assert message.text == "```py\nx = 1\n```"
        assert message.tokens == (0, 1, 2, 3)
        assert message.state is MessageState.COMPLETE
        assert len(desk.view.bubbles) == 2
        assert desk.view.bubbles[-1].text == "x = 1\n"  # drawn inside its code block
        assert desk.view.bubbles[-1].note == ""
        assert not desk.view.choices.resumable


def test_a_stopped_answer_goes_on_behind_what_was_drawn(tmp_path: Path) -> None:
    """The engine may be ahead of the window: only the tokens that were drawn are kept."""
    endless = Script(pieces=itertools.repeat("ab "), piece_delay_s=0.0005)
    with answers(tmp_path, endless, Script(pieces=["end"])) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: len(desk.view.bubbles[-1].text) > 60, "text")
        desk.session.stop()
        desk.wait_idle()
        drawn = desk.view.bubbles[-1].text
        message = desk.session.conversation.messages[-1]
        assert len(message.tokens) == len(drawn) // 3
        desk.session.resume_answer()
        desk.wait_idle()
        assert desk.view.bubbles[-1].text == message.text == drawn + "end"
        assert message.note == ""


def test_another_model_gets_the_text_and_not_the_tokens(tmp_path: Path) -> None:
    cut = Script(pieces=["a", "b"], reason=EndReason.LENGTH)
    with answers(tmp_path, cut, Script(pieces=["c"])) as desk:
        desk.open_model("one.gguf")
        desk.ask("abc")
        desk.open_model("two.gguf")
        desk.session.resume_answer()
        desk.wait_idle()
        last = request_of(desk).messages[-1]
        assert (last.content, last.tokens) == ("ab", ())
        assert desk.view.bubbles[-1].text == "abc"


def test_a_complete_answer_does_not_go_on(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["done"])) as desk:
        desk.open_model()
        desk.ask("go")
        assert desk.view.choices is not None
        assert not desk.view.choices.resumable
        desk.session.resume_answer()
        assert not desk.view.running


def test_going_on_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    cut = Script(pieces=["a"], reason=EndReason.CONTEXT_FULL)
    with answers(tmp_path, cut, Script(refusal=REFUSAL)) as desk:
        desk.open_model()
        desk.ask("go")
        desk.session.resume_answer()
        desk.wait_idle()
        message = desk.session.conversation.messages[-1]
        assert (message.text, message.state) == ("a", MessageState.CONTEXT_FULL)
        assert desk.view.choices is not None
        assert desk.view.choices.resumable
        assert "9,000" in desk.view.bubbles[-1].note
        assert desk.view.draft == ""


def test_an_answer_whose_engine_died_can_go_on(tmp_path: Path) -> None:
    dies = Script(pieces=["a", "b"], error=EngineError("The engine died.", "Send again."))
    with answers(tmp_path, dies, Script(pieces=["c"])) as desk:
        desk.open_model()
        assert desk.ask("abc").tone is Tone.ERROR
        desk.session.resume_answer()
        desk.wait_idle()
        assert desk.view.bubbles[-1].text == "abc"
        assert desk.view.bubbles[-1].note == ""


# ---- another question -------------------------------------------------------------------------


def test_the_last_question_is_edited_and_the_way_back_stays(tmp_path: Path) -> None:
    with answers(tmp_path, *(Script(pieces=[text]) for text in ("a", "b", "c"))) as desk:
        desk.open_model()
        desk.ask("first")
        desk.ask("secund")
        desk.session.edit_question()
        assert desk.view.edited == "secund"
        assert desk.session.send_edited("second")
        desk.wait_idle()
        assert contents(desk) == ["first", "a", "second"]
        assert shown(desk) == ["first", "a", "second", "c"]
        assert versions(desk) == (2, 2)
        desk.session.step_version(-1)
        assert shown(desk) == ["first", "a", "secund", "b"]


def test_the_title_follows_the_first_question(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["a"]), Script(pieces=["b"])) as desk:
        desk.open_model()
        desk.ask("Helo")
        desk.session.send_edited("Hello")
        assert desk.view.title == "Hello"
        desk.wait_idle()
        desk.session.step_version(-1)
        assert desk.view.title == "Helo"


def test_an_edit_that_is_refused_can_be_edited_on(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["a"]), Script(refusal=REFUSAL)) as desk:
        desk.open_model()
        desk.ask("short")
        assert desk.session.send_edited("too long")
        desk.wait_idle()
        assert shown(desk) == ["short", "a"]
        assert desk.view.edited == "too long"
        assert "9,000" in desk.view.notices[-1].what


def test_another_chat_ends_the_edit(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["a"])) as desk:
        desk.open_model()
        desk.ask("one")
        desk.session.edit_question()
        desk.session.new_chat()
        assert desk.view.edited is None
        assert not desk.session.send_edited("two")
        desk.session.edit_question()
        assert desk.view.edited is None


# ---- reasoning, prompts, counts ---------------------------------------------------------------


def test_reasoning_is_kept_apart(tmp_path: Path) -> None:
    """Case S-6, the window's part."""
    thinks = Script(reasoning=["Let me ", "think."], pieces=["42"])
    with answers(tmp_path, thinks, Script(pieces=["b"]), Script(pieces=["c"])) as desk:
        desk.open_model()
        bubble = desk.ask("how much?")
        assert (bubble.thoughts, bubble.text) == ("Let me think.", "42")
        assert desk.session.answer_text() == "42"
        message = desk.session.conversation.messages[-1]
        assert (message.reasoning, message.text) == ("Let me think.", "42")
        assert message.tokens == (0, 1, 2)
        desk.ask("sure?")
        asked = request_of(desk).messages[1]
        assert (asked.content, asked.reasoning) == ("42", "Let me think.")
        desk.session.new_chat()
        action = desk.view.notices[-1].action
        assert action is not None
        action.run()
        assert desk.view.bubbles[1].thoughts == "Let me think."


def test_an_answer_cut_while_it_thinks_goes_on(tmp_path: Path) -> None:
    cut = Script(reasoning=["Let me "], reason=EndReason.LENGTH)
    with answers(tmp_path, cut, Script(reasoning=["think."], pieces=["42"])) as desk:
        desk.open_model()
        desk.ask("how much?")
        desk.session.resume_answer()
        desk.wait_idle()
        assert desk.view.bubbles[-1].thoughts == "Let me think."
        assert desk.view.bubbles[-1].text == "42"
        assert request_of(desk).messages[-1].reasoning == "Let me "


def test_what_has_no_room_in_the_prompt_is_said(tmp_path: Path) -> None:
    """Case M-4, the window's part."""
    plain = Script(pieces=["a"])
    with answers(tmp_path, plain, Script(pieces=["b"], left_out=2), plain) as desk:
        desk.open_model()
        desk.ask("the first question")
        bubble = desk.ask("the second")
        assert bubble.left_out.startswith("The first 2 messages, up to “a”, have no room")
        assert "2 messages left out" in desk.view.status[-1].figures
        assert desk.ask("the third").left_out == ""
        assert "left out" not in " ".join(desk.view.status[-1].figures)


def test_another_chat_format_than_the_one_asked_for_is_said_once(tmp_path: Path) -> None:
    """Case M-2, the window's part."""
    script = Script(pieces=["a"], format="chatml, because the model brings no template")
    other = Script(pieces=["a"], format=script.format, fell_back=True)
    with answers(tmp_path, script, other, other) as desk:
        desk.open_model()
        desk.ask()
        assert desk.view.notices == []
        desk.ask()
        desk.ask()
        assert [notice.what for notice in desk.view.notices] == [
            "The chat format in use is chatml, because the model brings no template."
        ]
        assert desk.tuning.format_in_use == (script.format, True)


def test_the_system_prompt_goes_first(tmp_path: Path) -> None:
    with answers(tmp_path, Script(pieces=["a"])) as desk:
        desk.open_model()
        desk.tuning.set_system_prompt("Be brief.")
        desk.ask("Hello?")
        roles = [(message.role, message.content) for message in request_of(desk).messages]
        assert roles == [("system", "Be brief."), ("user", "Hello?")]


def test_the_draft_is_counted(tmp_path: Path) -> None:
    with answers(tmp_path) as desk:
        desk.session.count_draft("no model yet")
        desk.tick()
        assert desk.view.draft_tokens == ""
        desk.open_model()
        desk.session.count_draft("an earlier draft")
        desk.session.count_draft("two words")
        desk.wait(lambda: desk.view.draft_tokens, "the count")
        assert desk.view.draft_tokens == "2 tokens of 4,096"
        desk.session.count_draft("")
        assert desk.view.draft_tokens == ""


@pytest.mark.errors_logged("can't be drawn")
def test_a_drawing_that_fails_loses_nothing_of_an_answer_that_goes_on(tmp_path: Path) -> None:
    cut = Script(pieces=["a"], reason=EndReason.LENGTH)
    with answers(tmp_path, cut, Script(pieces=["b", "c"])) as desk:
        desk.open_model()
        desk.ask("go")

        def breaks(ops: object) -> None:
            if "b" in str(ops):
                msg = "no b"
                raise RuntimeError(msg)

        desk.view.on_draw = breaks  # type: ignore[assignment]
        desk.session.resume_answer()
        desk.wait_idle()
        assert desk.session.conversation.messages[-1].text == "abc"
        assert desk.view.notices[-1].detail == "RuntimeError: no b"


# ---- tokens -----------------------------------------------------------------------------------

CAT = ((" cat", 0.75), (" dog", 0.25))


def test_what_else_could_have_been_written_is_known_of_the_newest_answer_only(
    tmp_path: Path,
) -> None:
    first = Script(pieces=["a", " cat"], alternatives=CAT)
    with answers(tmp_path, first, Script(pieces=["b"])) as desk:
        desk.open_model()
        desk.ask("count")
        desk.wait(lambda: len(desk.session.answer_tokens()) == 2, "each piece's alternatives")
        assert [(each.text, each.alternatives) for each in desk.session.answer_tokens()] == [
            *(("a", CAT), (" cat", CAT))
        ]
        desk.wait(lambda: desk.view.choices is not None and desk.view.choices.tokens, "offered")
        desk.session.regenerate()
        desk.wait_idle()
        assert desk.session.answer_tokens() == ()
        assert desk.view.choices is not None
        assert not desk.view.choices.tokens


def test_a_stopped_answer_gets_no_more_of_them(tmp_path: Path) -> None:
    endless = Script(pieces=itertools.repeat("a"), alternatives=CAT, piece_delay_s=0.001)
    with answers(tmp_path, endless) as desk:
        desk.open_model()
        assert desk.session.send("count")
        desk.wait(lambda: len(desk.session.answer_tokens()) > 3, "some have come")
        desk.session.stop()
        at_stop = len(desk.session.answer_tokens())
        desk.wait_idle()
        assert len(desk.session.answer_tokens()) == at_stop


def test_memory_for_alternatives_is_bounded() -> None:
    message = Message(Role.ASSISTANT, "Model")
    log = TokenLog()
    log.begin(TurnId(1), message)
    for number in range(MOST_PLACES + 5):
        log.add(TokenChoice(turn=TurnId(1), text=str(number), alternatives=CAT))
    log.add(TokenChoice(turn=TurnId(2), text="late", alternatives=CAT))
    places = log.of(message)
    assert len(places) == MOST_PLACES
    assert places[-1].text == str(MOST_PLACES + 4)
