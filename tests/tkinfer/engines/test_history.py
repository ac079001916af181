"""What a chat has been through never changes a later answer; and it is evaluated only once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from actors.engine import ChatMessage, Piece
from actors.loading import LoadSpec
from actors.sampling import Sampling
from actors.turn import EndReason
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.mixed_stops import MixedStops
from tests.tkinfer.engines.rig import Rig, user

LONG = Sampling(temperature=0, max_tokens=40)
ARCHITECTURES = ["llama", "gemma3", "mamba", "jamba", "lfm2"]
QUESTION = "the quick brown fox " * 20
STORY = (
    "Once there was a small boat in the harbour. Every morning the captain painted its sides, and "
    "every evening the rain washed the paint away. The children of the town laughed at him, but he "
    "went on painting. One day the rain stopped, and the boat was blue."
)


@pytest.fixture(params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "model.gguf", architecture=request.param, quantised=True)


@pytest.fixture
def fresh() -> Iterator[Rig]:
    with Rig() as rig:
        yield rig


def spec_of(model: Path, **options: object) -> LoadSpec:
    return LoadSpec(path=str(model), context_size=2048, threads=1, batch=32, **options)


def ask(rig: Rig, chat: tuple[ChatMessage, ...], sampling: Sampling = LONG) -> ChatMessage:
    """The answer as a message with its tokens."""
    turn = rig.start(chat, sampling)
    tokens = rig.finished(turn).tokens
    return ChatMessage(role="assistant", content=rig.text(turn), tokens=tokens.ids)


def cached(rig: Rig, chat: tuple[ChatMessage, ...], *, resume: bool = False) -> tuple[int, int]:
    """Tokens of the prompt that were in the cache, and all of them."""
    figures = rig.finished(rig.start(chat, LONG, resume=resume)).figures
    return figures.cached_tokens, figures.prompt_tokens


def test_the_next_turn_evaluates_only_what_is_new(rig: Rig, model: Path) -> None:
    rig.load_spec(spec_of(model))
    chat = user(QUESTION)
    answer = ask(rig, chat)
    kept, total = cached(rig, (*chat, answer, *user("go on")))
    assert total - kept < 80


def test_trying_again_evaluates_at_most_a_chunk(rig: Rig, model: Path) -> None:
    rig.load_spec(spec_of(model))
    chat = user(QUESTION)
    ask(rig, chat)
    kept, total = cached(rig, chat)
    assert total - kept <= 32


def test_going_on_evaluates_only_the_last_token(rig: Rig, model: Path) -> None:
    rig.load_spec(spec_of(model))
    chat = user(QUESTION)
    answer = ask(rig, chat)
    kept, total = cached(rig, (*chat, answer), resume=True)
    assert total - kept == 1


def test_a_chat_that_was_left_is_still_there(rig: Rig, model: Path) -> None:
    rig.load_spec(spec_of(model))
    one, two = user("one " + QUESTION), user("two " + QUESTION)
    answer = ask(rig, one)
    ask(rig, two)
    kept, total = cached(rig, (*one, answer, *user("go on")))
    assert total - kept < 80


def test_an_answer_that_is_gone_on_with_is_that_of_one_go(
    rig: Rig, fresh: Rig, model: Path
) -> None:
    """By the engine that began it, and by one that has seen nothing of it."""
    rig.load_spec(spec_of(model))
    chat = user(QUESTION)
    whole = ask(rig, chat)
    half = ask(rig, chat, replace(LONG, max_tokens=20))
    assert whole.tokens[:20] == half.tokens
    fresh.load_spec(spec_of(model))
    for engine in (rig, fresh):
        turn = engine.start((*chat, half), replace(LONG, max_tokens=20), resume=True)
        end = engine.finished(turn)
        assert half.content + engine.text(turn) == whole.content
        assert end.tokens.ids == whole.tokens


@pytest.mark.timeout(300)
def test_mixed_stops_poison_no_later_answer(rig: Rig, fresh: Rig, model: Path) -> None:
    mixed = MixedStops(rig, fresh, model, seed=3)
    for _ in range(30):
        mixed.stop_once()
    assert mixed.poisoned == []
    assert {"send", "edit", "regenerate", "continue"} <= set(mixed.kinds)


@pytest.mark.model
@pytest.mark.timeout(300)
def test_mixed_stops_of_the_starter_model(rig: Rig, fresh: Rig, starter: Path) -> None:
    mixed = MixedStops(rig, fresh, starter, seed=4)
    for _ in range(6):
        mixed.stop_once()
    assert mixed.poisoned == []


@pytest.mark.model
def test_prompt_lookup_changes_no_token(rig: Rig, starter: Path) -> None:
    rig.load_spec(spec_of(starter))
    copying = f"Repeat the following text word for word.\n\n{STORY}"
    for task, count in ((copying, 90), ("Tell me of a ship.", 30)):
        plain = rig.start(task, replace(LONG, max_tokens=count))
        guessed = rig.start(task, replace(LONG, max_tokens=count, prompt_lookup=True))
        ends = rig.finished(plain), rig.finished(guessed)
        assert ends[0].tokens == ends[1].tokens
        assert rig.text(plain) == rig.text(guessed)
        if task is copying:
            assert ends[1].figures.accepted_tokens > 20
        kept = [len(rig.of(Piece, turn)) for turn in (plain, guessed)]
        assert kept[0] == kept[1]


def test_prompt_lookup_with_a_seed_changes_no_token_either(rig: Rig, tmp_path: Path) -> None:
    rig.load_spec(spec_of(write_tiny_gguf(tmp_path / "tiny.gguf", quantised=True)))
    sampling = Sampling(temperature=0.2, seed=5, max_tokens=400, repeat_penalty=1.05)
    plain = rig.finished(rig.start(QUESTION, sampling))
    guessed = rig.finished(rig.start(QUESTION, replace(sampling, prompt_lookup=True)))
    assert plain.tokens == guessed.tokens
    assert guessed.reason in (EndReason.LENGTH, EndReason.END_OF_TEXT)
