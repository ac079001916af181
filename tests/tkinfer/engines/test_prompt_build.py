"""The ends of a prompt, and what can't be built."""

import pytest

from actors.engine import ChatMessage, PromptFormat
from tests.tkinfer.engines.fake_vocabulary import BOS, FakeVocabulary
from tests.tkinfer.engines.prompt_rig import PLENTY, THINKING, VOCABULARY, build, builder, chat
from tkinfer.engines.rendering import Limits
from tkinfer.errors import PromptError


@pytest.mark.parametrize(
    ("source", "add_bos", "bos"),
    [
        ("{{ bos_token }}{{ messages[0].content }}", True, 1),
        ("{{ messages[0].content }}", True, 1),
        ("{{ bos_token }}{{ messages[0].content }}", False, 1),
        ("{{ bos_token }}{{ bos_token }}{{ messages[0].content }}", False, 2),
        ("{{ bos_token }}{{ bos_token }}{{ messages[0].content }}", True, 1),
        ("{{ messages[0].content }}", False, 0),
    ],
)
@pytest.mark.parametrize("content", ["A B!", "A <s> B", "<s>A"])
def test_one_bos_not_two(source: str, content: str, *, add_bos: bool, bos: int) -> None:
    vocabulary = FakeVocabulary(add_bos=add_bos)
    prompt = build(builder(source, vocabulary), [ChatMessage(role="user", content=content)])
    assert vocabulary.controls_in(prompt.tokens) == [BOS] * bos
    assert vocabulary.written(prompt.tokens) == BOS * bos + content


def test_a_model_without_bos() -> None:
    vocabulary = FakeVocabulary([], add_bos=True)
    prompt = build(builder("{{ bos_token }}{{ messages[0].content }}", vocabulary), chat("u:x"))
    assert prompt.tokens == list(b"x")


@pytest.mark.parametrize(
    ("tail", "opened"),
    [
        ("<|im_start|>assistant\n<think>\n", "<think>"),
        ("<|im_start|>assistant\n<think>", "<think>"),
        ("<think>\n\n</think>\n\n", ""),
        ("<|im_start|>assistant\n", ""),
        ("[THINK]", "[THINK]"),
        ("<|channel>thought\n", "<|channel>thought"),
        ("<|channel>thought\n<channel|>", ""),
    ],
)
def test_reasoning_that_the_template_opens(tail: str, opened: str) -> None:
    source = "{{ messages[0].content }}" + tail.replace("\n", "{{ '\n' }}")
    assert build(builder(source), chat("u:hi")).reasoning_open == opened


@pytest.mark.parametrize("content", ["<think>", "so <think>\n", "<think> "])
def test_a_marker_that_was_typed_opens_nothing(content: str) -> None:
    prompt = build(
        builder("{{ messages[0].content }}"), [ChatMessage(role="user", content=content)]
    )
    assert prompt.reasoning_open == ""
    assert VOCABULARY.written(prompt.tokens) == content


def test_the_switch_decides_whether_reasoning_is_open() -> None:
    maker = builder(THINKING)
    assert build(maker, chat("u:x"), PromptFormat(thinking=True)).reasoning_open == "<think>"
    assert build(maker, chat("u:x"), PromptFormat(thinking=False)).reasoning_open == ""


def test_nothing_to_answer() -> None:
    maker = builder("{{ messages[0].content }}")
    for messages in ([], chat("u:")):
        with pytest.raises(PromptError, match="nothing to answer"):
            build(maker, messages)


def test_a_stopped_turn_ends_between_renderings() -> None:
    class StoppedError(Exception):
        pass

    def check() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        builder().build(
            chat("u:hi"),
            format=PromptFormat(),
            resume=False,
            context_size=PLENTY,
            max_tokens=None,
            check=check,
        )


def test_even_the_built_in_format_has_limits() -> None:
    maker = builder(limits=Limits(characters=1000))
    with pytest.raises(PromptError, match="writes more than 1000 characters"):
        build(maker, chat("u:" + "x" * 2000))
