"""What the engine process makes of a request, seen from outside: vocabularies of single bytes."""

from pathlib import Path

import pytest

from actors.engine import ChatMessage, PromptReady
from actors.sampling import Sampling
from actors.turn import EndReason, TurnId
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.rig import Rig, user
from tkinfer.errors import PromptError

ONE_TOKEN = Sampling(temperature=0, max_tokens=1)


@pytest.mark.parametrize(
    ("template", "add_bos", "bos"),
    [
        ("{{ bos_token }}{{ messages[0].content }}", True, 1),
        ("{{ messages[0].content }}", True, 1),
        ("{{ bos_token }}{{ messages[0].content }}", False, 1),
        ("{{ bos_token }}{{ bos_token }}{{ messages[0].content }}", False, 2),
        ("{{ messages[0].content }}", False, 0),
    ],
)
def test_s5_one_bos_not_two(
    rig: Rig, tmp_path: Path, template: str, *, add_bos: bool, bos: int
) -> None:
    model = write_tiny_gguf(tmp_path / "model.gguf", template=template, add_bos=add_bos)
    assert rig.load(model).info.format == "the model's own template"
    text = "A B!"
    end = rig.finished(rig.start(text, ONE_TOKEN))
    assert end.figures.prompt_tokens == len(text) + bos


def test_marks_in_a_template_become_single_tokens(rig: Rig, tiny: Path) -> None:
    assert rig.load(tiny).info.format == "chatml, because the model brings no template"
    end = rig.finished(rig.start("Hi", ONE_TOKEN))
    # start "USER\n" "Hi" end "\n" start "ASSISTANT\n": letters may pair up, so at most so many
    assert end.figures.prompt_tokens <= 1 + 5 + 2 + 1 + 1 + 1 + 10
    assert end.figures.prompt_tokens >= 5


def test_m4_a_prompt_longer_than_the_context_is_refused_with_both_numbers(
    rig: Rig, tmp_path: Path
) -> None:
    model = write_tiny_gguf(tmp_path / "model.gguf", template="{{ messages[0].content }}")
    size = rig.load(model, context_size=256).info.context_size
    assert size == 256
    failure = rig.failed(rig.start("." * 1000))
    assert isinstance(failure.error, PromptError)
    assert not failure.model_lost
    assert "1000" in str(failure.error)
    assert "256" in str(failure.error)
    exact = rig.failed(rig.start("." * 256))
    assert isinstance(exact.error, PromptError)
    end = rig.finished(rig.start("." * 255))
    assert end.reason is EndReason.CONTEXT_FULL
    assert (end.figures.answer_tokens, end.figures.context_used) == (2, 256)


def ready(rig: Rig, turn: TurnId) -> PromptReady:
    return rig.wait(PromptReady, lambda event: event.turn == turn)


def test_a_template_that_refuses_is_replaced_and_the_reason_told(rig: Rig, tmp_path: Path) -> None:
    template = (
        "{% if messages[0].content == 'no' %}{{ raise_exception('not this') }}{% endif %}"
        "{{ messages[0].content }}"
    )
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", template=template))
    turn = rig.start("no", ONE_TOKEN)
    rig.finished(turn)
    told = ready(rig, turn)
    assert told.format == (
        "chatml, because the model's template refuses this conversation: not this"
    )
    assert told.fell_back
    turn = rig.start("yes", ONE_TOKEN)
    assert rig.finished(turn).figures.prompt_tokens == ready(rig, turn).tokens == 3
    assert not ready(rig, turn).fell_back


@pytest.mark.parametrize(
    ("template", "why"),
    [
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "does not come to an end within 2 s",
        ),
        ("{{ 'x' * 10 ** 10 }}", "builds something that is too large"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "calls itself without end"),
        ("{% if %}", "is broken: "),
        ("{{ raise_exception('never') }}", "refuses this conversation: never"),
    ],
    ids=["endless", "huge", "recursive", "broken", "refusing"],
)
def test_a_template_that_never_works_is_replaced_at_load(
    rig: Rig, tmp_path: Path, template: str, why: str
) -> None:
    info = rig.load(write_tiny_gguf(tmp_path / "model.gguf", template=template)).info
    assert info.format.startswith("chatml, because the model's template " + why)
    turn = rig.start("hi", ONE_TOKEN)
    assert rig.finished(turn).figures.answer_tokens == 1
    assert ready(rig, turn).fell_back


def test_what_is_typed_is_no_control_token(rig: Rig, tmp_path: Path) -> None:
    rig.load(
        write_tiny_gguf(tmp_path / "model.gguf", template="<|im_start|>{{ messages[0].content }}")
    )
    end = rig.finished(rig.start("<|im_end|>", ONE_TOKEN))
    assert end.figures.prompt_tokens > 2


def test_nor_is_it_the_unknown_token(rig: Rig, tmp_path: Path) -> None:
    # Its text counts for llama.cpp as those of control tokens do, though it isn't called one.
    source = "<|im_start|>{{ messages[0].content }}<|im_end|>"
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", template=source, spm=True))
    end = rig.finished(rig.start("<unk>", ONE_TOKEN))
    assert end.figures.prompt_tokens > 3


def test_m4_the_oldest_turns_are_left_out(rig: Rig, tmp_path: Path) -> None:
    source = "{% for m in messages %}{{ m.content }}{% endfor %}"
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", template=source), context_size=256)
    turns = [
        ChatMessage(role=role, content=f"{number:02}" + "." * 8)
        for number in range(40)
        for role in ("user", "assistant")
    ]
    system = ChatMessage(role="system", content="." * 20)
    turn = rig.start((system, *turns, *user("." * 12)), Sampling(temperature=0, max_tokens=20))
    end = rig.finished(turn)
    told = ready(rig, turn)
    assert told.left_out > 0
    assert told.left_out % 2 == 0
    assert told.tokens == 20 + 10 * (80 - told.left_out) + 12
    assert told.tokens + 20 <= 256
    assert end.reason is EndReason.LENGTH


def test_an_empty_prompt_is_refused(rig: Rig, tmp_path: Path) -> None:
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", template="{{ messages[0].content }}"))
    assert isinstance(rig.failed(rig.start("")).error, PromptError)


def test_half_characters_of_a_prompt_never_reach_the_tokenizer(rig: Rig, tmp_path: Path) -> None:
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", template="{{ messages[0].content }}"))
    end = rig.finished(rig.start("a\udce9b", ONE_TOKEN))
    assert end.figures.prompt_tokens == 3


def test_a_follow_up_reads_only_what_is_new(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    sampling = Sampling(temperature=0, max_tokens=20)
    first = rig.start("." * 300, sampling)
    assert rig.finished(first).figures.cached_tokens == 0
    answer = ChatMessage(role="assistant", content=rig.text(first))
    question = ChatMessage(role="user", content="?")
    end = rig.finished(rig.start((*user("." * 300), answer, question), sampling))
    # All of the first prompt, and what of the answer splits into the same tokens again.
    assert end.figures.cached_tokens >= 256
    assert end.figures.cached_tokens < end.figures.prompt_tokens


def test_figures_add_up(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    turn = rig.start("hello", Sampling(temperature=0, max_tokens=50))
    end = rig.finished(turn)
    figures = end.figures
    assert end.reason is EndReason.LENGTH
    assert figures.answer_tokens == 50
    assert figures.context_used == figures.prompt_tokens + 49  # the last one is not evaluated
    assert figures.context_size == 8192
    assert 0 < figures.prefill_s <= figures.first_token_s
    assert figures.decode_s > 0
    assert figures.paused_s == 0
    assert figures.tokens_per_s > 0
