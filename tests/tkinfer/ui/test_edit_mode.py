"""A question that was sent, changed in the input box; and the draft's size in tokens."""

import pytest

from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import button, labels

pytestmark = pytest.mark.ui

STRIP = "Editing your last message"


def test_the_draft_waits_and_comes_back_after_sending(rig: Rig) -> None:
    rig.window.composer.type("my draft")
    rig.window.edit_question("What is a mutex?")
    assert STRIP in labels(rig)
    assert rig.window.composer.draft() == "What is a mutex?"
    rig.press(rig.box, "<End>")
    rig.type(rig.box, "x")
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send_edited", "What is a mutex?x")]
    assert rig.window.composer.draft() == "my draft"
    assert STRIP not in labels(rig)


@pytest.mark.parametrize("way", ["key", "button", "program"])
def test_leaving_gives_the_draft_back(rig: Rig, way: str) -> None:
    rig.window.composer.type("my draft")
    rig.window.edit_question("What is a mutex?")
    match way:
        case "key":
            rig.press(rig.box, "<Escape>")
        case "button":
            button(rig, "Cancel").invoke()
        case _:
            rig.window.leave_edit()
    assert rig.window.composer.draft() == "my draft"
    assert STRIP not in labels(rig)
    assert rig.actions.calls == []
    rig.press(rig.box, "<Control-z>")
    assert "mutex" not in rig.window.composer.draft()


def test_what_is_not_taken_stays_in_the_edit(rig: Rig) -> None:
    rig.window.composer.type("my draft")
    rig.window.edit_question("What?")
    rig.actions.takes = False
    rig.press(rig.box, "<Return>")
    assert rig.window.composer.draft() == "What?"
    rig.press(rig.box, "<Escape>")
    assert rig.window.composer.draft() == "my draft"


def test_a_question_given_back_meanwhile_joins_the_waiting_draft(rig: Rig) -> None:
    rig.window.composer.type("my draft")
    rig.window.edit_question("What?")
    rig.window.set_draft("given back ")
    assert rig.window.composer.draft() == "What?"
    rig.window.leave_edit()
    assert rig.window.composer.draft() == "given back my draft"


def test_editing_again_keeps_the_first_draft(rig: Rig) -> None:
    rig.window.composer.type("my draft")
    rig.window.edit_question("one")
    rig.window.edit_question("two")
    assert rig.window.composer.draft() == "two"
    rig.window.leave_edit()
    assert rig.window.composer.draft() == "my draft"


def test_while_an_answer_runs_a_changed_question_waits(rig: Rig) -> None:
    rig.window.edit_question("What?")
    rig.window.show_running(running=True)
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == []
    assert rig.window.composer.draft() == "What?"
    rig.press(rig.box, "<Escape>")
    assert rig.actions.calls == [("stop",)]


def test_the_draft_is_counted_once_it_rests(rig: Rig) -> None:
    for key in "hello":
        rig.type(rig.box, key)
    rig.wait(lambda: rig.actions.counted, "the draft was counted")
    assert rig.actions.counted == ["hello"]
    rig.window.show_draft_tokens("1 token of 8,192")
    assert "1 token of 8,192" in labels(rig)
    rig.press(rig.box, "<Return>")
    assert "1 token of 8,192" not in labels(rig)


def test_a_count_that_comes_late_is_not_shown_on_an_empty_box(rig: Rig) -> None:
    rig.window.show_draft_tokens("5 tokens")
    assert "5 tokens" not in labels(rig)
