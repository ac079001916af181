"""The tokens that a model has made, in the history and where an answer is gone on with."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.engine import ChatMessage, PromptFormat, Template
from tests.tkinfer.engines.fake_vocabulary import CONTROL, FakeVocabulary
from tests.tkinfer.engines.prompt_rig import chat
from tkinfer.engines.answertext import AnswerText
from tkinfer.engines.prompt import Prompt, PromptBuilder

THINK, END_THINK = "<|START_THINKING|>", "<|END_THINKING|>"
HARMONY = ("<|start|>", "<|end|>", "<|message|>", "<|channel|>")
VOCABULARY = FakeVocabulary([*CONTROL, THINK, END_THINK, *HARMONY])
C = VOCABULARY.control
TEXTS = ("the", " the", "he", "\U0001f980")
THE, _THE, HE, CRAB = (VOCABULARY.tokenize(text, special=False)[0] for text in TEXTS)
OPENER = VOCABULARY.tokenize("<think>\n", special=False)
CLOSER = VOCABULARY.tokenize("\n</think>\n\n", special=False)
BODY = "<|im_start|>{{ m.role }}\n{{ %s }}<|im_end|>\n"
KEEPING = "{% for m in messages %}" + BODY % "m.content" + "{% endfor %}<|im_start|>assistant\n"
TRIMMING = (
    "{% for m in messages %}" + BODY % "m.content | trim" + "{% endfor %}<|im_start|>assistant\n"
)
SPLITTING = (
    "{% for m in messages %}"
    + BODY
    % "(m.content.split('</think>')[-1].lstrip('\n') if m.role == 'assistant' else m.content)"
    + "{% endfor %}<|im_start|>assistant\n"
)
OPENING = KEEPING + "<think>\n"
OPENING = OPENING.replace("<think>\n", "<think>{{ '\n' }}")
CLOSING = KEEPING + "<think>{{ '\n\n' }}</think>{{ '\n\n' }}"


def build(
    messages: Sequence[ChatMessage],
    source: str = KEEPING,
    *,
    resume: bool = False,
    vocabulary: FakeVocabulary = VOCABULARY,
    **form: str,
) -> Prompt:
    maker = PromptBuilder(vocabulary, [Template(name="", source=source)])
    return maker.build(
        messages,
        format=PromptFormat(**form),
        resume=resume,
        context_size=100_000,
        max_tokens=None,
        check=lambda: None,
    )


def said(content: str, tokens: Sequence[int], reasoning: str = "") -> ChatMessage:
    return ChatMessage(role="assistant", content=content, reasoning=reasoning, tokens=tuple(tokens))


def in_history(answer: ChatMessage, source: str = KEEPING) -> list[int]:
    """What stands for the answer in the prompt of the next turn, markers of the turn cut off."""
    tokens = build([*chat("u:q"), answer, *chat("u:z")], source).tokens
    begin = [at for at, token in enumerate(tokens) if token == C["<|im_start|>"]][1]
    end = tokens.index(C["<|im_end|>"], begin)
    return tokens[begin + 1 + len("assistant\n") : end]


# ---- in the history -----------------------------------------------------------------------------


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
        # The rest is tokenised.
        (said("the the", b"the"), [*b"the", _THE]),
        (said("the x the", b"the xylophone"), [*b"the x", _THE]),
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
    answer = said(" the\n", [_THE, ord("\n")])
    assert in_history(answer, KEEPING) == [_THE, ord("\n")]
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
    st.lists(st.sampled_from([*range(97, 110), THE, _THE, CRAB, 256, 257]), min_size=1), st.data()
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


# ---- going on with an answer --------------------------------------------------------------------


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
        (said("the the", b"the"), [*b"the", _THE], ""),
        (said("", b"<think>so", "so the"), [*b"<think>so", _THE], "<think>"),
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
            [_THE],
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
