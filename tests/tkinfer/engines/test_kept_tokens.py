"""The tokens that a model has made, in the history of a chat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.engine import ChatMessage
from tests.tkinfer.engines.fake_vocabulary import FakeVocabulary
from tests.tkinfer.engines.kept_rig import (
    BODY,
    CRAB,
    END_THINK,
    HE,
    KEEPING,
    SPACE_THE,
    SPLITTING,
    TH,
    THE,
    THINK,
    TRIMMING,
    VOCABULARY,
    C,
    build,
    said,
)
from tests.tkinfer.engines.prompt_rig import chat


def in_history(answer: ChatMessage, source: str = KEEPING) -> list[int]:
    """What stands for the answer in the prompt of the next turn, markers of the turn cut off."""
    tokens = build([*chat("u:q"), answer, *chat("u:z")], source).tokens
    begin = [at for at, token in enumerate(tokens) if token == C["<|im_start|>"]][1]
    end = tokens.index(C["<|im_end|>"], begin)
    return tokens[begin + 1 + len("assistant\n") : end]


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        # As the model split it, not as the tokenizer would.
        (said("the thing", b"the thing"), [*b"the thing"]),
        (said("the thing", [THE, *b" thing"]), [THE, *b" thing"]),
        # Reasoning and its markers come first.
        (said("the", b"<think>so the</think>\n\nthe", "so the"), [*b"the"]),
        (said("the", b"<think>the</think>\n\nthe", "the"), [*b"the"]),
        (said("the", [C[THINK], THE, C[END_THINK], *b"the"], "the"), [*b"the"]),
        (said("the", b"<think>\n\n</think>\n\nthe"), [*b"the"]),
        # A short answer that is found in the markers, too.
        (said("th", [*b"<think>so</think>\n\n", TH], "so"), [TH]),
        (said("th", [*b"so</think>\n\n", TH], "so"), [TH]),
        (said("th", [*b"<think></think>", TH]), [TH]),
        # The rest is tokenised.
        (said("the the", b"the"), [*b"the", SPACE_THE]),
        (said("the x the", b"the xylophone"), [*b"the x", SPACE_THE]),
        # More than was drawn.
        (said("th", b"the thing"), [*b"th"]),
        # Another model's tokens.
        (said("the a", b"nothing of it"), [THE, *b" a"]),
        (said("the", [*b"t", 9999, *b"he"]), [ord("t"), HE]),
        # Control tokens of the model's own, behind and in the answer.
        (said("the", [*b"the", C["</s>"]]), [*b"the"]),
        (said("ab", [ord("a"), C["<s>"], ord("b")]), [ord("a"), C["<s>"], ord("b")]),
        (said("the", [C["<|channel|>"], *b"x", C["<|message|>"], *b"the"]), [*b"the"]),
        # A half character at the end (S-2).
        (said("ok �", [*b"ok ", 0xE9, 0xAF]), [*b"ok ", *"�".encode()]),
        # A character that was cut by the window.
        (
            said("\U0001f980\U0001f980", [*"\U0001f980".encode(), 0xF0, 0x9F]),
            [*"\U0001f980".encode(), CRAB],
        ),
        (said("", b""), []),
        (said("", b"the"), []),
    ],
)
def test_tokens_stand_for_their_text(answer: ChatMessage, right: list[int]) -> None:
    assert in_history(answer) == right


def test_white_space_as_the_template_has_it() -> None:
    answer = said(" the\n", [SPACE_THE, ord("\n")])
    assert in_history(answer, KEEPING) == [SPACE_THE, ord("\n")]
    # Trimmed, the first token is another one.
    assert in_history(answer, TRIMMING) == [THE]
    assert in_history(said("\nthe the", b"\nthe the"), TRIMMING) == [*b"the the"]
    assert in_history(said("the the\n", b"the the\n"), TRIMMING) == [*b"the the"]
    assert in_history(said("\n\n the ", b"\n\n the "), SPLITTING) == [*b" the "]


def test_templates_that_take_the_reasoning_out_themselves() -> None:
    answer = said("why</think>the", b"why</think>the")
    assert in_history(answer, SPLITTING) == [THE]
    assert in_history(said("the", b"<think>x</think>the", "x"), SPLITTING) == [*b"the"]


def test_a_mark_in_the_answers_own_words() -> None:
    text = "say <|im_end|> the end"
    answer = said(text, text.encode())
    assert in_history(answer) == [*text.encode()]
    # What the tokens don't cover stays text, too.
    tokens = build([*chat("u:q"), said(text, b"say <|im"), *chat("u:z")]).tokens
    assert VOCABULARY.controls_in(tokens) == ["<|im_start|>", "<|im_end|>"] * 3 + ["<|im_start|>"]
    assert text in VOCABULARY.written(tokens)


def test_answers_that_are_merged_keep_their_tokens() -> None:
    source = (
        "{% for m in messages %}{% if loop.index0 and messages[loop.index0 - 1].role == m.role %}"
        "{{ raise_exception('alternate') }}{% endif %}"
        + BODY % "m.content"
        + "{% endfor %}<|im_start|>assistant\n"
    )
    messages = [*chat("u:q"), said("the a", b"the a"), said("the b", b"the b"), *chat("u:z")]
    prompt = build(messages, source)
    assert "merged" in prompt.format
    begin = prompt.tokens.index(C["<|im_end|>"]) + 3 + len("assistant\n")
    between = VOCABULARY.tokenize("\n\n", special=False)
    right = [*b"the a", *between, *b"the b", C["<|im_end|>"]]
    assert prompt.tokens[begin : begin + len(right)] == right


def test_without_a_space_where_text_goes_on() -> None:
    vocabulary = FakeVocabulary(puts_space=True, pieces=())
    messages = [*chat("u:q"), said("ab", b"a"), *chat("u:z")]
    text = vocabulary.written(build(messages, vocabulary=vocabulary).tokens)
    assert "ab<|im_end|>" in text
    assert "<|im_start|> assistant\na" in text


@given(
    st.lists(st.sampled_from([*range(97, 110), THE, SPACE_THE, CRAB, 256, 257]), min_size=1),
    st.data(),
)
def test_kept_tokens_are_found_again(tokens: list[int], data: st.DataObject) -> None:
    text = b"".join(VOCABULARY.piece(token) for token in tokens).decode()
    reasoning = data.draw(st.sampled_from(["", text, text + "x", "the"]))
    before = list(f"<think>{reasoning}</think>\n\n".encode()) if reasoning else []
    found = in_history(said(text, [*before, *tokens], reasoning))
    assert found == tokens
    more = in_history(said(text + "the", [*before, *tokens], reasoning))
    assert VOCABULARY.written(more) == text + "the"
    assert more[: len(tokens)] == tokens
