"""The law of the Markdown renderer: however the text is cut, the picture is that of the whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.drawing import (
    BlockKind,
    CloseBlock,
    DrawOp,
    InsertRuns,
    InsertText,
    OpenBlock,
    Run,
    TableRow,
    Tail,
)
from tests.tkinfer.markdown.texts import PAGE, TEXTS, cut
from tkinfer.markdown.inline import InlineParser
from tkinfer.markdown.renderer import MarkdownRenderer


def flat(ops: list[DrawOp]) -> list[object]:
    """The picture: settled operations, runs of the same kind joined."""
    made: list[object] = []
    text: list[tuple[str, object]] = []

    def put(runs: tuple[Run, ...]) -> None:
        for run in runs:
            key = (run.tags, run.copied, run.link)
            if text and text[-1][1] == key and run.copied is None:
                text[-1] = (text[-1][0] + run.text, key)
            else:
                text.append((run.text, key))

    for op in ops:
        match op:
            case InsertText():
                put((Run(op.text, op.tags),))
            case InsertRuns():
                put(op.runs)
            case Tail():
                continue
            case OpenBlock():
                made += [*text, (op.kind, op.info, op.align)]
                text.clear()
            case TableRow():
                made += [*text, op.cells]
                text.clear()
            case CloseBlock():
                made += [*text, "end"]
                text.clear()
    return [*made, *text]


def rendered(pieces: list[str]) -> list[DrawOp]:
    renderer = MarkdownRenderer()
    ops = [op for piece in pieces for op in renderer.feed(piece)]
    return [*ops, *renderer.finish()]


def source(ops: list[DrawOp]) -> str:
    return "".join(op.source for op in ops if not isinstance(op, Tail))


@settings(max_examples=1_000, deadline=None, derandomize=True)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
def test_however_it_is_cut_the_picture_is_that_of_the_whole(text: str, places: list[int]) -> None:
    whole, pieces = rendered([text]), rendered(cut(text, places))
    assert flat(pieces) == flat(whole)
    assert source(whole) == source(pieces) == text


@settings(max_examples=200, deadline=None, derandomize=True)
@given(TEXTS)
def test_what_was_drawn_is_always_the_beginning_of_the_text(text: str) -> None:
    renderer = MarkdownRenderer()
    settled = ""
    for number, char in enumerate(text, 1):
        ops = renderer.feed(char)
        settled += source(ops)
        assert isinstance(ops[-1], Tail)
        assert text[:number].startswith(settled + ops[-1].source)


def test_a_page_of_every_construct_letter_by_letter() -> None:
    assert flat(rendered(list(PAGE))) == flat(rendered([PAGE]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*a* _b_", [("a", "em"), (" ", None), ("b", "em")]),
        ("snake_case_name", [("snake_case_name", None)]),
        ("**b**", [("b", "strong")]),
        ("&amp; `x`", [("& ", None), ("x", "code.inline")]),
    ],
)
def test_inline_styles(text: str, shown: list[tuple[str, str | None]]) -> None:
    runs = [run for op in rendered([text]) if isinstance(op, InsertRuns) for run in op.runs]
    assert [(run.text, run.tags[-1] if run.tags else None) for run in runs] == shown


def test_four_backticks_hold_three_and_an_open_fence_ends_with_the_text() -> None:
    ops = rendered(["````\n```\nx\n````\n```py\ny"])
    opened = [op for op in ops if isinstance(op, OpenBlock)]
    assert [(op.kind, op.info) for op in opened] == [(BlockKind.CODE, ""), (BlockKind.CODE, "py")]
    assert len([op for op in ops if isinstance(op, CloseBlock)]) == 2


def test_the_last_row_of_a_table_appears_without_its_line_feed() -> None:
    rows = [op for op in rendered(["a|b\n-|-\n1|2"]) if isinstance(op, TableRow)]
    assert [[cell[0].text for cell in row.cells] for row in rows] == [["a", "b"], ["1", "2"]]


def test_only_web_and_mail_addresses_are_links() -> None:
    text = "[a](javascript:x) [b](https://b.org) [c](file:///etc/passwd) [d](mailto:d@e.org)"
    runs = [run for op in rendered([text]) if isinstance(op, InsertRuns) for run in op.runs]
    assert [run.link for run in runs if run.link] == ["https://b.org", "mailto:d@e.org"]


@pytest.mark.errors_logged("this Markdown can't be drawn")
@pytest.mark.parametrize("text", ["a **bad** word\n\nnext\n", "| bad |\n|---|\n| bad |\n\nnext\n"])
def test_what_can_not_be_parsed_is_shown_as_it_is_written(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = InlineParser.runs

    def runs(self: InlineParser, words: str, own: tuple[str, ...] = ()) -> list[Run]:
        if "bad" in words:
            raise RecursionError
        return real(self, words, own)

    monkeypatch.setattr(InlineParser, "runs", runs)
    ops = rendered(list(text))
    assert source(ops) == text
    shown = str(flat(ops))
    assert "bad" in shown
    assert "next" in shown
