import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.sampling import BAN, Sampling, TokenBias
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import PromptError

COUNT = 60
GREEDY = Sampling(temperature=0, max_tokens=COUNT)
VARIED = Sampling(
    temperature=1, top_k=0, top_p=1, min_p=0, seed=3, max_tokens=COUNT
)  # all that cuts the list is off
MUCH_Z = (TokenBias(text="Z", bias=8),)


def probe(model: Path, check: str) -> Any:
    command = [sys.executable, "-m", "tests.tkinfer.engines.sampler_probe", str(model), check]
    run = subprocess.run(command, capture_output=True, check=False, timeout=100)
    assert run.returncode == 0, run.stderr.decode()[-2000:]
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def noisy(tiny: Path) -> Iterator[Rig]:
    """An engine with the tiny model; its answers depend on nothing but the request."""
    with Rig() as rig:
        rig.load(tiny)
        yield rig


def answer(rig: Rig, sampling: Sampling, **changes: Any) -> str:
    return rig.answer("Hello", replace(sampling, **changes))


def test_wrong_settings_are_refused_and_the_engine_goes_on(noisy: Rig) -> None:
    turn = noisy.start("Hello", Sampling(top_p=1.5, mirostat_eta=-1))
    failed = noisy.failed(turn)
    assert isinstance(failed.error, PromptError)
    assert "top_p is 1.5; it must be 0 to 1; mirostat_eta is -1" in failed.error.what
    assert not failed.model_lost
    assert answer(noisy, GREEDY)


# The effect of each.


@pytest.mark.parametrize(
    "changes",
    [{"top_k": 1}, {"min_p": 1}, {"top_p": 0}, {"top_n_sigma": 0.001}, {"temperature": 0.0001}],
    ids=str,
)
def test_what_leaves_one_token_is_greedy(noisy: Rig, changes: dict[str, Any]) -> None:
    assert answer(noisy, VARIED, **changes) == answer(noisy, GREEDY)


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 0.5},
        {"dynatemp_range": 0.9, "dynatemp_exponent": 2},
        {"top_k": 5},
        {"top_p": 0.3},
        {"min_p": 0.3},
        {"typical_p": 0.2},
        {"top_n_sigma": 1},
        {"top_n_sigma": 1, "typical_p": 0.5},
        {"xtc_probability": 1, "xtc_threshold": 0.001},
        {"mirostat": True, "mirostat_tau": 1},
        {"presence_penalty": 5},
        {"frequency_penalty": 5},
        {"repeat_penalty": 3},
        {"repeat_penalty": 0.3},
        {"logit_bias": (TokenBias(text="q", bias=3),)},
        {"seed": 4},
    ],
    ids=str,
)
def test_each_setting_changes_the_answer_and_the_seed_brings_it_back(
    noisy: Rig, changes: dict[str, Any]
) -> None:
    changed = answer(noisy, VARIED, **changes)
    assert changed != answer(noisy, VARIED)
    assert changed == answer(noisy, VARIED, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"dynatemp_exponent": 3},
        {"xtc_probability": 1, "xtc_threshold": 0.6},
        {"dry_multiplier": 5, "dry_penalty_last_n": 0},
        {"repeat_penalty": 3, "repeat_last_n": 0},
        {"mirostat_tau": 1},
        {"top_n_sigma": 0},
    ],
    ids=str,
)
def test_what_is_off_changes_nothing(noisy: Rig, changes: dict[str, Any]) -> None:
    assert answer(noisy, VARIED, **changes) == answer(noisy, VARIED)


def test_temperature_0_wins_over_all_that_draws(noisy: Rig) -> None:
    drawing = {"mirostat": True, "dynatemp_range": 2, "xtc_probability": 1, "xtc_threshold": 0.01}
    assert answer(noisy, GREEDY, **drawing) == answer(noisy, GREEDY)


def test_mirostat_stands_in_place_of_the_cuts(noisy: Rig) -> None:
    cut = {"top_k": 1, "top_p": 0.1, "min_p": 1, "typical_p": 0.1, "top_n_sigma": 0.1}
    mirostat = answer(noisy, VARIED, mirostat=True)
    assert answer(noisy, VARIED, mirostat=True, **cut) == mirostat


@pytest.mark.parametrize("seed", [-1, 2**32 - 1, 2**64 + 5, 0])
def test_any_number_is_a_seed(noisy: Rig, seed: int) -> None:
    # 2^32 - 1 asks llama.cpp to draw one.
    changes = {"seed": seed, "xtc_probability": 0.5, "xtc_threshold": 0.01}
    assert answer(noisy, VARIED, **changes) == answer(noisy, VARIED, **changes)
    mirostat = {"seed": seed, "mirostat": True}
    assert answer(noisy, VARIED, **mirostat) == answer(noisy, VARIED, **mirostat)


def test_without_a_seed_each_answer_is_another(noisy: Rig) -> None:
    assert answer(noisy, VARIED, seed=None) != answer(noisy, VARIED, seed=None)


def test_a_banned_token_never_comes(noisy: Rig) -> None:
    many = replace(VARIED, max_tokens=600)
    for sampling in (GREEDY, many):
        # Small letters also come in pairs, which are tokens of their own.
        letter = next(one for one in answer(noisy, sampling) if "!" <= one <= "Z")
        ban = (TokenBias(text=letter, bias=BAN),)
        assert letter not in answer(noisy, sampling, logit_bias=ban)


def test_a_great_bias_always_comes(noisy: Rig) -> None:
    assert answer(noisy, VARIED, logit_bias=(TokenBias(text="Z", bias=100),)) == "Z" * COUNT


@pytest.mark.parametrize(
    "changes",
    [
        {"presence_penalty": 10, "frequency_penalty": 1},
        {"frequency_penalty": 2},
        {"repeat_penalty": 10},
        {"dry_multiplier": 10},
    ],
    ids=str,
)
def test_penalties_and_dry_end_a_loop(noisy: Rig, changes: dict[str, Any]) -> None:
    assert answer(noisy, GREEDY, logit_bias=MUCH_Z) == "Z" * COUNT
    broken = answer(noisy, GREEDY, logit_bias=MUCH_Z, **changes)
    assert broken.count("Z") < 0.8 * COUNT
    assert broken == answer(noisy, GREEDY, logit_bias=MUCH_Z, **changes)


def test_penalties_forget_what_is_further_back(noisy: Rig) -> None:
    short = answer(noisy, GREEDY, logit_bias=MUCH_Z, presence_penalty=10, repeat_last_n=2)
    long = answer(noisy, GREEDY, logit_bias=MUCH_Z, presence_penalty=10, repeat_last_n=-1)
    assert "Z" in short[10:]
    assert "Z" not in long[1:]


def test_penalties_count_the_prompt(noisy: Rig) -> None:
    harsh = replace(GREEDY, logit_bias=MUCH_Z, presence_penalty=10, repeat_last_n=-1)
    assert noisy.answer("Hello", harsh)[0] == "Z"
    assert "Z" not in noisy.answer("HelloZ", harsh)


def test_dry_leaves_short_repeats_and_breakers_alone(noisy: Rig) -> None:
    dry = replace(GREEDY, logit_bias=MUCH_Z, dry_multiplier=10)
    assert answer(noisy, dry, dry_allowed_length=5).startswith("ZZZZZ")
    assert not answer(noisy, dry).startswith("ZZZZZ")
    assert answer(noisy, dry, dry_sequence_breakers=("Z",)) == "Z" * COUNT
    assert answer(noisy, dry, dry_sequence_breakers=()) == answer(noisy, dry)


# The Sampler by itself.


def test_the_likeliest_alternatives_are_those_of_the_model(tiny: Path) -> None:
    found = probe(tiny, "alternatives")
    assert found["before"] == found["none"] == []
    assert found["found"] == found["still"]
    for (token, chance), (expected, likely) in zip(found["found"], found["expected"], strict=True):
        assert token == expected
        assert chance == pytest.approx(likely, rel=1e-4)
    plain, other = found["sampled"]
    assert plain == found["expected"][0][0]
    assert other != plain


def test_what_would_end_the_process_is_an_error_instead(tiny: Path) -> None:
    errors = probe(tiny, "refusals")
    assert errors.pop("last") == "none"
    assert errors.pop("nan").startswith("EngineError: The model computes no numbers")
    assert errors.pop("closed") == "EngineError: The sampler was closed."
    assert all(
        error.startswith("EngineError: llama.cpp has no output") for error in errors.values()
    )
    assert set(errors) == {"before", "inner", "far"}


def test_bans_of_all_tokens_are_refused(tiny: Path) -> None:
    found = probe(tiny, "banned")
    assert found["all"].startswith("PromptError: The token bans leave no token.")
    assert found["but_one"] == found["left"]


def test_typical_counts_only_what_is_possible(tiny: Path) -> None:
    """A probability of 0 in llama.cpp's sum makes the entropy NaN, and the choice arbitrary."""
    found = probe(tiny, "typical")
    assert found["found"] == found["expected"]
    assert len(set(found["expected"])) >= 3


def test_shortening_the_list_before_penalties_changes_nothing(tiny: Path) -> None:
    found = probe(tiny, "shortened")
    assert found["short"] == found["whole"]
    assert len(set(map(tuple, found["short"]))) == 3


# The starter model.


@pytest.mark.model
def test_words_are_banned_in_all_their_forms(rig: Rig, starter: Path) -> None:
    rig.load(starter)
    question = "Tell me a story about a ship."
    greedy = replace(GREEDY, max_tokens=60)
    assert "ship" in rig.answer(question, greedy)
    told = rig.answer(question, replace(greedy, logit_bias=(TokenBias(text="ship", bias=BAN),)))
    assert " ship " not in told.lower()
    assert len(told) > 60


def longest_loop(text: str) -> int:
    """How often "la" comes in a row, at most: a line feed is where DRY begins anew."""
    return max(len(run.split()) for run in re.findall(r"(?: la\b)*", text))


@pytest.mark.model
def test_a_loop_of_the_starter_model_ends(rig: Rig, starter: Path) -> None:
    rig.load(starter)
    question = "Repeat for ever: la la la la la la la la"
    # The bias makes the loop certain: which loop the model falls into, and whether within 60
    # tokens, hangs on how the processor rounds.
    greedy = replace(GREEDY, max_tokens=60, logit_bias=(TokenBias(text=" la", bias=8),))
    assert longest_loop(rig.answer(question, greedy)) > 40
    for changes in ({"dry_multiplier": 1}, {"repeat_penalty": 1.5}):
        assert longest_loop(rig.answer(question, replace(greedy, **changes))) < 20


@pytest.mark.model
@pytest.mark.parametrize("check", ["shortened", "short_grammar"])
def test_shortening_changes_nothing_with_a_large_vocabulary(starter: Path, check: str) -> None:
    found = probe(starter, check)
    assert found["short"] == found["whole"]
