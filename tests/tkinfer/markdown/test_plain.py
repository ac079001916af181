"""Plain text with fences: the picture does not depend on the cuts, and no character is lost."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.drawing import BlockKind, CloseBlock, DrawOp, InsertText, OpenBlock
from tkinfer.markdown.plain import MAX_FENCE_LINE, PlainRenderer


def joined(ops: list[DrawOp]) -> list[DrawOp]:
    """The picture: neighbouring insertions with the same tags are one."""
    out: list[DrawOp] = []
    for op in ops:
        last = out[-1] if out else None
        if isinstance(op, InsertText) and isinstance(last, InsertText) and last.tags == op.tags:
            out[-1] = InsertText(
                text=last.text + op.text, tags=op.tags, source=last.source + op.source
            )
        else:
            out.append(op)
    return out


def picture(*pieces: str) -> list[DrawOp]:
    renderer = PlainRenderer()
    ops: list[DrawOp] = []
    for piece in pieces:
        ops += renderer.feed(piece)
    return joined(ops + renderer.finish())


FENCES = ["```", "`", "~~~", "~", "`````", "python", "y" * 299]
TEXTS = ["\n", "\r", "\r\n", " ", "    ", "a", "x" * 150, "\t", "é", "🦀", "\0", "\u2028"]
FRAGMENTS = st.sampled_from([*FENCES, *TEXTS])


@given(st.lists(FRAGMENTS, max_size=25), st.randoms(use_true_random=False))
def test_any_cut_gives_the_same_picture_and_keeps_the_source(
    fragments: list[str], random: Random
) -> None:
    text = "".join(fragments)
    cuts = sorted({0, len(text), *(random.randint(0, len(text)) for _ in range(len(text)))})
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    ops = picture(*pieces)
    assert ops == picture(text)
    assert "".join(op.source for op in ops) == text


def test_code_is_tagged_and_its_fences_are_not_drawn() -> None:
    assert picture("see\n```py", "thon x\n", "a = 1\n", "``", "`\nend") == [
        InsertText(text="see\n", source="see\n"),
        OpenBlock(kind=BlockKind.CODE, info="python", source="```python x\n"),
        InsertText(text="a = 1\n", tags=("code",), source="a = 1\n"),
        CloseBlock(source="```\n"),
        InsertText(text="end", source="end"),
    ]


def test_a_fence_of_four_holds_one_of_three() -> None:
    ops = picture("````\n```\nx\n```\n````\n")
    assert [type(op) for op in ops] == [OpenBlock, InsertText, CloseBlock]
    assert ops[1].text == "```\nx\n```\n"


def test_an_unclosed_fence_ends_with_the_answer() -> None:
    ops = picture("```\nx")
    assert ops[-1] == CloseBlock(source="")


@pytest.mark.parametrize(
    "text", ["``` a`b\n", "    ```\n", "``\n", "```" + "i" * MAX_FENCE_LINE + "\n"]
)
def test_what_is_no_fence_is_text(text: str) -> None:
    assert picture(text) == [InsertText(text=text, source=text)]


def test_text_is_released_at_once_unless_a_fence_may_begin() -> None:
    renderer = PlainRenderer()
    assert renderer.feed("a `b`") == [InsertText(text="a `b`", source="a `b`")]
    assert renderer.feed("\n``") == [InsertText(text="\n", source="\n")]
    assert renderer.feed("x``") == [InsertText(text="``x``", source="``x``")]


def test_indented_code_keeps_its_indent() -> None:
    """Case S-4 c."""
    ops = picture("```py\n", "if x:\n", "    ", "return", " 1\n", "```\n")
    assert ops[1].text == "if x:\n    return 1\n"


def test_a_block_of_5000_lines_is_one_block() -> None:
    """Case B-3: exactly 5,000 lines, and the prose below is not code."""
    lines = [f"line {n}\n" for n in range(5000)]
    ops = picture("```c\n", *lines, "```\n", "Done.")
    assert [type(op) for op in ops] == [OpenBlock, InsertText, CloseBlock, InsertText]
    assert ops[1].text == "".join(lines)
    assert ops[3].tags == ()
