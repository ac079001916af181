from collections.abc import Sequence
from itertools import pairwise
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.engine import ChatMessage, PromptFormat, Template
from tests.tkinfer.engines.fake_vocabulary import FakeVocabulary
from tests.tkinfer.engines.prompt_rig import chat
from tkinfer.engines.fitting import Chat, TokenRate, choose_cut, room_for_answer
from tkinfer.engines.prompt import Prompt, PromptBuilder
from tkinfer.errors import PromptError

PLAIN = "{% for m in messages %}{{ m.content }}{% endfor %}"


def build(
    messages: Sequence[ChatMessage],
    context_size: int,
    *,
    builder: PromptBuilder | None = None,
    resume: bool = False,
    max_tokens: int | None = None,
) -> Prompt:
    builder = builder or plain()
    return builder.build(
        messages,
        format=PromptFormat(),
        resume=resume,
        context_size=context_size,
        max_tokens=max_tokens,
        check=lambda: None,
    )


def plain() -> PromptBuilder:
    """All bytes of all messages, and nothing else."""
    return PromptBuilder(FakeVocabulary(control=(), pieces=()), [Template(name="", source=PLAIN)])


@pytest.mark.parametrize(
    ("context_size", "max_tokens", "room"),
    [
        (8192, None, 1024),
        (2048, None, 512),
        (256, 16, 16),
        (256, 1000, 128),
        (256, 0, 1),
        (2, None, 1),
    ],
)
def test_room_for_the_answer(context_size: int, max_tokens: int | None, room: int) -> None:
    assert room_for_answer(context_size, max_tokens) == room


@pytest.mark.parametrize(
    ("roles", "head", "begins"),
    [
        ("u", 0, (0,)),
        ("suaua", 1, (1, 3)),
        ("ssuu", 2, (2, 3)),
        ("auau", 0, (0, 3)),
        ("suasua", 1, (1, 4)),
        ("s", 1, (1,)),
        ("", 0, (0,)),
        ("a", 0, (0,)),
    ],
)
def test_turns(roles: str, head: int, begins: tuple[int, ...]) -> None:
    assert Chat.of(chat(*(f"{role}:x" for role in roles))) == Chat(head, begins)


def test_40_turns_in_a_small_context() -> None:  # M-4 a
    turns = [f"{role}:{number:02}{'.' * 8}" for number in range(40) for role in "ua"]
    messages = chat("s:be brief", *turns, "u:the newest")
    prompt = build(messages, 256)
    text = bytes(prompt.tokens).decode()
    assert text.startswith("be brief")
    assert text.endswith("the newest")
    assert len(prompt.tokens) + 64 <= 256
    assert prompt.left_out % 2 == 0
    kept = messages[1 + prompt.left_out :]
    assert text == "be brief" + "".join(message.content for message in kept)
    assert len(messages) == 82


def test_one_message_that_is_too_long() -> None:  # M-4 b
    with pytest.raises(PromptError, match=r"has 1000 tokens, the context only 256\."):
        build(chat("u:" + "." * 1000), 256)
    with pytest.raises(PromptError, match=r"has 300 tokens"):
        build(chat("u:old", "a:old", "u:" + "." * 300), 256)
    with pytest.raises(PromptError, match=r"has 256 tokens"):
        build(chat("u:" + "." * 256), 256)


def test_one_token_of_room_is_enough_where_nothing_can_be_left_out() -> None:
    prompt = build(chat("u:old", "a:older", "u:" + "." * 255), 256)
    assert len(prompt.tokens) == 255
    assert prompt.left_out == 2


def test_what_fits_stays_whole() -> None:
    messages = chat("s:" + "s" * 30, *(["u:" + "q" * 20, "a:" + "w" * 20] * 4), "u:?")
    exact = 30 + 8 * 20 + 1
    assert build(messages, exact + 64, max_tokens=64).left_out == 0
    assert build(messages, exact + 63, max_tokens=64).left_out > 0


def test_an_answer_that_is_gone_on_with_stays_with_its_question() -> None:
    messages = chat(*(["u:" + "q" * 20, "a:" + "w" * 20] * 10), "u:newest", "a:so far")
    prompt = build(messages, 128, resume=True)
    text = bytes(prompt.tokens).decode()
    assert text.endswith("newestso far")
    assert prompt.left_out > 0
    assert len(text) <= 96
    with pytest.raises(PromptError):
        build(chat("u:q", "a:" + "w" * 300), 256, resume=True)


def test_cuts_move_in_steps() -> None:
    """Turn after turn, the beginning of the prompt stays the same for a while."""
    builder = plain()
    cuts: list[int] = []
    messages = chat("s:system")
    for number in range(60):
        messages += chat(f"u:{number:02}" + "q" * 30)
        cuts.append(build(messages, 1024, builder=builder, max_tokens=64).left_out)
        messages += chat("a:" + "w" * 30)
    assert cuts == sorted(cuts)
    changes = [after - before for before, after in pairwise(cuts) if after != before]
    assert changes
    # Turns have some 62 tokens, and their template's share: at least three in a step of 256.
    assert min(changes) >= 6
    assert len(changes) <= 60 / 3


def test_ten_thousand_messages_need_few_renderings() -> None:
    messages = [
        message
        for number in range(5000)
        for message in chat(
            f"u:{number} " + "question " * (number * 7 % 40),
            f"a:{number} " + "ответ " * (number * 11 % 40),
        )
    ]
    vocabulary = FakeVocabulary()
    builder = PromptBuilder(vocabulary, [])
    vocabulary.tokenized = 0
    renderings = 0

    def check() -> None:
        nonlocal renderings
        renderings += 1

    prompt = builder.build(
        [*messages, *chat("u:last")],
        format=PromptFormat(),
        resume=False,
        context_size=8192,
        max_tokens=None,
        check=check,
    )
    assert 4096 <= len(prompt.tokens) <= 7168
    assert renderings <= 16
    assert vocabulary.tokenized < 200_000  # of some 4 million characters


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=200),
    st.integers(1, 300),
    st.integers(1, 2000),
    st.floats(0.3, 3),
)
def test_the_cut_is_the_first_that_fits(
    sizes: list[int], step: int, limit: int, wrong: float
) -> None:
    """Whatever the estimates are worth, and with few measurements."""
    estimates = [round(size * wrong) for size in sizes]
    measured: list[int] = []

    def measure(cut: int) -> int:
        measured.append(cut)
        return sum(sizes[cut:])

    cut = choose_cut(estimates, step, limit, measure)
    steps = [
        cut
        for cut in range(len(sizes))
        if cut == 0 or sum(estimates[:cut]) // step > sum(estimates[: cut - 1]) // step
    ]
    every = [*steps, *range(steps[-1], len(sizes))]
    assert cut == next((cut for cut in every if sum(sizes[cut:]) <= limit), None)
    assert len(measured) <= 2 * (log2(len(sizes)) + 6)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1, max_size=40))
def test_the_next_turn_has_the_same_cut_unless_it_must_move(turns: list[tuple[int, int]]) -> None:
    builder, fresh = plain(), plain()
    messages: list[ChatMessage] = []
    before = 0
    for question, answer in turns:
        messages += chat("u:" + "q" * question)
        prompt = build(messages, 256, builder=builder, max_tokens=32)
        if prompt.left_out == before:
            assert len(prompt.tokens) <= 224
        else:
            assert prompt.left_out > before
            # The old cut would have left too little room.
            assert sum(len(message.content) for message in messages[before:]) > 224
        before = prompt.left_out
        again = build(messages, 256, builder=fresh, max_tokens=32)
        assert again == prompt
        messages += chat("a:" + "w" * answer)


def test_token_rates() -> None:
    rate = TokenRate(0.25, 0.5)
    assert rate.message(ChatMessage(role="user", content="a" * 100)) == 25 + 6
    assert rate.message(ChatMessage(role="user", content="é" * 10)) == 10 + 6
    assert rate.message(ChatMessage(role="user", content="\ud800")) == 6
