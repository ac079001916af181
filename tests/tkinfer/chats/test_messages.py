"""What can be done with any message of the chat, not only the last one."""

import itertools
from pathlib import Path

import pytest

from tests.headless import Desk
from tkinfer.chats.conversation import MessageState
from tkinfer.chats.history import ChatHistory
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.markdown.renderer import MarkdownRenderer


def desk_of(tmp_path: Path, *answers: str) -> Desk:
    left = iter(answers)
    return Desk(ScriptedEngine(lambda _request: Script(pieces=[next(left)])), tmp_path)


def contents(desk: Desk) -> list[str]:
    assert isinstance(desk.engine, ScriptedEngine)
    return [message.content for message in desk.engine.requests[-1].messages]


def shown(desk: Desk) -> list[str]:
    return [bubble.text for bubble in desk.view.bubbles]


def undo(desk: Desk) -> None:
    action = desk.view.notices[-1].action
    assert action is not None
    assert action.label == "Undo"
    action.run()


def three_exchanges(tmp_path: Path) -> Desk:
    return desk_of(tmp_path, "one", "two", "three", "new", "more")


def ask_three(desk: Desk) -> list[str]:
    desk.open_model()
    for question in ("a", "b", "c"):
        desk.ask(question)
    return shown(desk)


@pytest.mark.parametrize("index", [2, 3])
def test_an_earlier_question_is_edited_and_what_came_later_can_come_back(
    tmp_path: Path, index: int
) -> None:
    with three_exchanges(tmp_path) as desk:
        before = ask_three(desk)
        desk.session.edit_message(index)
        assert desk.view.edited == "b"
        assert shown(desk) == before  # nothing happens before it is sent
        assert desk.session.send_edited("b2")
        desk.wait_idle()
        assert contents(desk) == ["a", "one", "b2"]
        assert shown(desk) == ["a", "one", "b2", "new"]
        assert desk.view.choices is not None
        assert (desk.view.choices.number, desk.view.choices.versions) == (2, 2)
        undo(desk)
        assert shown(desk) == before


def test_an_earlier_answer_is_made_anew(tmp_path: Path) -> None:
    with three_exchanges(tmp_path) as desk:
        before = ask_three(desk)
        desk.session.answer_again(1)
        desk.wait_idle()
        assert contents(desk) == ["a"]
        assert shown(desk) == ["a", "new"]
        desk.session.step_version(-1)
        assert shown(desk) == ["a", "one"]
        undo(desk)
        assert shown(desk) == before


@pytest.mark.parametrize("index", [2, 3])
def test_an_exchange_is_deleted_and_can_come_back(tmp_path: Path, index: int) -> None:
    with three_exchanges(tmp_path) as desk:
        before = ask_three(desk)
        desk.session.delete_message(index)
        assert shown(desk) == ["a", "one", "c", "three"]
        assert desk.view.shown_at == 2  # the reader stays there
        desk.ask("d")
        assert contents(desk) == ["a", "one", "c", "three", "d"]
        notices = [notice for notice in desk.view.notices if notice.what == "Deleted."]
        assert notices[-1].action is not None
        notices[-1].action.run()
        assert shown(desk) == before


def test_the_only_exchange_is_deleted(tmp_path: Path) -> None:
    with three_exchanges(tmp_path) as desk:
        desk.open_model()
        desk.ask("a")
        desk.session.delete_message(0)
        assert shown(desk) == []
        assert desk.view.choices is None
        assert desk.view.empty is not None
        undo(desk)
        assert shown(desk) == ["a", "one"]
        assert desk.view.empty is None


def test_nothing_of_it_while_an_answer_is_made(tmp_path: Path) -> None:
    endless = Script(pieces=itertools.repeat("x"), piece_delay_s=0.001)
    scripts = iter([Script(pieces=["one"]), endless])
    with Desk(ScriptedEngine(lambda _request: next(scripts)), tmp_path) as desk:
        desk.open_model()
        desk.ask("a")
        desk.session.send("b")
        desk.session.edit_message(0)
        desk.session.answer_again(1)
        desk.session.delete_message(0)
        assert desk.view.edited is None
        assert [message.text for message in desk.session.conversation.messages[:3]] == [
            *("a", "one", "b")
        ]
        desk.session.stop()
        desk.wait_idle()


def test_a_messages_text_is_what_was_written(tmp_path: Path) -> None:
    with desk_of(tmp_path, "**one**") as desk:
        desk.open_model()
        desk.ask("a")
        assert desk.session.message_text(0) == "a"
        assert desk.session.message_text(1) == "**one**"


def test_how_long_the_model_thought_is_told_and_kept(tmp_path: Path) -> None:
    script = Script(reasoning=["hm ", "so "], pieces=["four"], piece_delay_s=0.01)
    with Desk(ScriptedEngine(script), tmp_path) as desk:
        desk.open_model()
        bubble = desk.ask("2+2?")
        message = desk.session.conversation.messages[-1]
        assert message.thought_s > 0
        assert bubble.thinking == (message.thought_s, True)
        entry = ChatHistory(desk.session.conversation, MarkdownRenderer).entry(1)
        assert (entry.reasoning, entry.thought_s) == ("hm so ", message.thought_s)


def test_an_answer_with_tails_is_kept_to_the_character_and_goes_on(tmp_path: Path) -> None:
    scripts = iter(
        [
            Script(pieces=["# Ti", "tle\n\nA **bo"]),
            Script(pieces=["ld** end", "\n\n```py\n", "x = 1\n"]),
        ]
    )
    with Desk(
        ScriptedEngine(lambda _request: next(scripts)),
        tmp_path,
        make_text_renderer=MarkdownRenderer,
    ) as desk:
        desk.open_model()
        desk.ask("go")
        answer = desk.session.conversation.messages[-1]
        assert answer.text == "# Title\n\nA **bo"
        answer.state = MessageState.LENGTH
        desk.session.resume_answer()
        desk.wait_idle()
        assert answer.text == "# Title\n\nA **bold** end\n\n```py\nx = 1\n"
