"""What counts as drawn: settled text, and what a tail has shown, each once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.drawing import DrawOp, InsertText, Run, Tail
from tests.tkinfer.markdown.texts import TEXTS, cut
from tkinfer.chats.drawn import DrawnText
from tkinfer.markdown.renderer import MarkdownRenderer


def settled(text: str) -> InsertText:
    return InsertText(text=text, source=text)


def tail(text: str) -> Tail:
    return Tail(runs=(Run(text),), source=text)


@pytest.mark.parametrize(
    ("drawings", "texts"),
    [
        ([[settled("ab")], [settled("c")]], ["ab", "c"]),
        ([[tail("ab")], [tail("abc")], [settled("abc\n")]], ["ab", "c", "\n"]),
        ([[settled("a"), tail("bc")], [settled("b"), tail("cd")]], ["abc", "d"]),
        ([[tail("abc")], [tail("a")], [settled("ab")], [settled("cd")]], ["abc", "", "", "d"]),
        ([[tail("abc")], []], ["abc", ""]),
    ],
)
def test_each_character_is_told_once(drawings: list[list[DrawOp]], texts: list[str]) -> None:
    drawn = DrawnText()
    assert [drawn.new_text(ops) for ops in drawings] == texts


@settings(max_examples=200, deadline=None, derandomize=True)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
def test_what_is_drawn_of_a_text_is_its_beginning_and_in_the_end_all_of_it(
    text: str, places: list[int]
) -> None:
    renderer, drawn = MarkdownRenderer(), DrawnText()
    kept = ""
    for piece in cut(text, places):
        kept += drawn.new_text(renderer.feed(piece))
        assert text.startswith(kept)
    assert kept + drawn.new_text(renderer.finish()) == text
