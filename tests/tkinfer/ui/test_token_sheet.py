"""The sheet with the likeliest tokens of each place of the last answer."""

import pytest

from actors.messages import TokenChoice
from actors.turn import TurnId
from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import button
from tkinfer.ui.tokensheet import TokenSheet, chosen, level
from tkinfer.ui.view import AnswerChoices, Tone

pytestmark = pytest.mark.ui


def place(text: str, **alternatives: float) -> TokenChoice:
    shares = tuple((token.replace("_", " "), share) for token, share in alternatives.items())
    return TokenChoice(turn=TurnId(1), text=text, alternatives=shares)


PLACES = (
    place("The", The=0.9, A=0.1),
    place(" cat", _dog=0.7, _cat=0.3),
    place(" \N{GRINNING FACE} sat", _sat=0.05, _lay=0.04),
    place("\nunseen", _is=0.5),
)


def opened(rig: Rig) -> TokenSheet:
    rig.actions.tokens = PLACES
    rig.window.add_user_message("?")
    rig.answer("The cat")
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    rig.window.show_choices(AnswerChoices(tokens=True))
    rig.window._sheets.show_tokens(rig.actions.tokens)
    rig.settle()
    sheet = rig.window._sheets._tokens
    assert sheet is not None
    return sheet


def test_the_chosen_token_is_found_and_the_rarer_marked_the_more() -> None:
    assert [chosen(each) for each in PLACES] == [0, 1, 0, None]
    assert [level(each) for each in PLACES] == [0, 2, 3, 3]


def test_keys_and_clicks_move_from_place_to_place(rig: Rig) -> None:
    sheet = opened(rig)
    assert sheet.text.get("sel.first", "sel.last") == "The"
    rig.press(sheet.text, "<Right>")
    assert sheet.text.get("sel.first", "sel.last") == " cat"
    lines = sheet.list.get("1.0", "end-1c").splitlines()
    assert [line.split("\t") for line in lines] == [[" ", "70.0%", "·dog"], ["▸", "30.0%", "·cat"]]
    x, y, *_ = sheet.text.bbox("1.12") or (0, 0)
    sheet.text.event_generate("<Button-1>", x=x + 2, y=y + 4)
    assert sheet.text.get("sel.first", "sel.last").strip().endswith("sat")
    rig.press(sheet.text, "<End>")
    assert "less" in sheet.list.get("1.0", "1.end")
    rig.press(sheet.text, "<Right>", "<Home>", "<Left>")
    assert sheet.text.get("sel.first", "sel.last") == "The"


def test_it_closes_by_key_and_by_button_and_can_not_be_edited(rig: Rig) -> None:
    sheet = opened(rig)
    before = sheet.text.get("1.0", "end")
    rig.press(sheet.text, "<Key-x>", "<BackSpace>", "<Control-v>")
    assert sheet.text.get("1.0", "end") == before
    rig.press(sheet.text, "<Escape>")
    assert not sheet.is_open
    rig.window._sheets.show_tokens(PLACES)
    button(rig, "Close").invoke()
    assert not sheet.is_open
