"""The tokens that a model has made, where an answer is gone on with."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.engine import ChatMessage
from tests.tkinfer.engines.kept_rig import (
    CLOSER,
    CLOSING,
    CRAB,
    END_THINK,
    KEEPING,
    OPENER,
    OPENING,
    SPACE_THE,
    THE,
    THINK,
    VOCABULARY,
    C,
    build,
    said,
)
from tests.tkinfer.engines.prompt_rig import chat
from tkinfer.engines.answertext import AnswerText
from tkinfer.engines.prompt import Prompt


def gone_on(answer: ChatMessage, source: str = KEEPING) -> Prompt:
    prompt = build([*chat("u:q"), answer], source, resume=True)
    fresh = build(chat("u:q"), source)
    count = len(prompt.tokens) - len(prompt.answered)
    assert prompt.tokens == [*fresh.tokens, *prompt.answered]
    assert count == len(fresh.tokens)
    return prompt


@pytest.mark.parametrize(
    ("answer", "answered", "opened"),
    [
        (said("the th", [THE, *b" th"]), [THE, *b" th"], ""),
        (
            said("the", b"<think>so</think>\n\nthe", "so"),
            [*b"<think>so</think>\n\nthe"],
            "",
        ),
        (said("", b"<think>so it", "so it"), [*b"<think>so it"], "<think>"),
        (said("", b"<think>so</think>\n\n", "so"), [*b"<think>so</think>\n\n"], ""),
        (
            said("", [C[THINK], *b"so"], "so"),
            [C[THINK], *b"so"],
            THINK,
        ),
        (
            said("the", [C[THINK], *b"so", C[END_THINK], *b"the"], "so"),
            [C[THINK], *b"so", C[END_THINK], *b"the"],
            "",
        ),
        # Made, but not drawn.
        (said("th", b"the thing"), [*b"th"], ""),
        (said("", b"<think>so it is", "so"), [*b"<think>so"], "<think>"),
        # Drawn, but its tokens are not known.
        (said("the the", b"the"), [*b"the", SPACE_THE], ""),
        (said("", b"<think>so", "so the"), [*b"<think>so", SPACE_THE], "<think>"),
        (
            said("the", b"<think>so", "so"),
            [*b"<think>so", *CLOSER, THE],
            "",
        ),
        # A half character (S-2).
        (said("ok �", [*b"ok ", 0xE9, 0xAF]), [*b"ok ", *"�".encode()], ""),
        # A bad byte that was shown is as it was made.
        (said("ok � so", [*b"ok ", 0xE9, *b" so"]), [*b"ok ", 0xE9, *b" so"], ""),
        # Without usable tokens.
        (said("the", []), [THE], ""),
        (said("the", b"nothing"), [THE], ""),
        (said("the", [], "so"), [*OPENER, *b"so", *CLOSER, THE], ""),
        (said("<|im_end|>", []), [*b"<|im_end|>"], ""),
        # Nothing yet.
        (said("", []), [], ""),
        (said("", b"<think>"), [], ""),
    ],
)
def test_going_on(answer: ChatMessage, answered: list[int], opened: str) -> None:
    prompt = gone_on(answer)
    assert VOCABULARY.written(prompt.answered) == VOCABULARY.written(answered)
    assert prompt.answered == answered
    assert prompt.reasoning_open == opened


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (said("", b"so it", "so it"), "so it"),
        (said("the", b"so</think>\n\nthe", "so"), "so</think>\n\nthe"),
        (said("", [], "so"), "so"),
        (said("the", [], "so"), "so\n</think>\n\nthe"),
        (said("the", []), "\n</think>\n\nthe"),
        (said("", []), ""),
    ],
)
def test_going_on_where_the_template_opens_the_reasoning(answer: ChatMessage, text: str) -> None:
    prompt = gone_on(answer, OPENING)
    assert VOCABULARY.written(prompt.answered) == text
    assert prompt.reasoning_open == "<think>"


def test_going_on_where_the_template_closes_the_reasoning() -> None:
    prompt = gone_on(said("the", b"the"), CLOSING)
    assert prompt.answered == [*b"the"]
    assert prompt.reasoning_open == ""


def test_going_on_in_the_harmony_format() -> None:
    source = KEEPING.replace("im_start", "start") + "{# <|channel|>analysis<|message|> #}"
    think = [C["<|channel|>"], *b"analysis", C["<|message|>"], *b"so"]
    head = [
        C["<|end|>"],
        C["<|start|>"],
        *b"assistant",
        C["<|channel|>"],
        *b"final",
        C["<|message|>"],
    ]
    assert gone_on(said("", think, "so"), source).answered == think
    assert gone_on(said("the", [*think, *head, *b"the"], "so"), source).answered == [
        *think,
        *head,
        *b"the",
    ]
    written = VOCABULARY.written(gone_on(said("the", [], "so"), source).answered)
    assert written == (
        "<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>the"
    )
    written = VOCABULARY.written(gone_on(said("the", []), source).answered)
    assert written == "<|channel|>final<|message|>the"


def test_going_on_does_not_change_the_request() -> None:
    answer = said("the", b"the thing")
    messages = [*chat("u:q"), answer]
    build(messages, resume=True)
    assert messages == [*chat("u:q"), said("the", b"the thing")]


def test_an_answer_alone() -> None:
    prompt = build([said("the", b"the")], resume=True)
    assert prompt.tokens[-3:] == [*b"the"]


def shown(tokens: Sequence[int], opened: str) -> tuple[str, str]:
    """What the engine shows of an answer."""
    texts = {token: text for text, token in C.items()}
    answer = AnswerText(reasoning_open=opened)
    spans = [
        span
        for token in tokens
        for span in (
            answer.control(texts[token]) if token in texts else answer.feed(VOCABULARY.piece(token))
        )
    ]
    spans += answer.finish()
    parts = {"reasoning": "", "answer": ""}
    for span in spans:
        parts[span.channel] += span.text
    return parts["reasoning"], parts["answer"]


PARTS = st.lists(
    st.sampled_from(
        [
            list(b"<think>"),
            list(b"</think>\n\n"),
            [C[THINK]],
            [C[END_THINK]],
            [THE],
            [SPACE_THE],
            [CRAB],
            [0xE9, 0xAF],
            [0xF0, 0x9F, 0xA6, 0x80],
            list(b"so "),
            list(b"\n"),
        ]
    ),
    max_size=8,
).map(lambda parts: [token for part in parts for token in part])


@given(PARTS, st.sampled_from([KEEPING, OPENING]))
def test_what_was_shown_is_shown_again(tokens: list[int], source: str) -> None:
    """Whatever a model makes: going on with all that was drawn begins with the same texts."""
    opened = "<think>" if source is OPENING else ""
    reasoning, content = shown(tokens, opened)
    prompt = gone_on(said(content, tokens, reasoning), source)
    assert shown(prompt.answered, opened) == (reasoning, content)
    whole = bytes(b"".join(VOCABULARY.piece(token) for token in tokens))
    try:
        whole.decode()
    except UnicodeDecodeError:
        return
    if content:
        assert prompt.answered == tokens[: len(prompt.answered)]
