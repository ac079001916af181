"""Presets by name."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.sampling import BAN, Sampling, TokenBias
from tkinfer import settings
from tkinfer.settings import Settings
from tkinfer.tables import MAX_PRESETS
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.presets import BUILT_IN, MAX_NAME, Presets, checked_name

OWN = Sampling(temperature=0.3, logit_bias=(TokenBias(text="x", bias=BAN),), seed=4, stop=("a",))


@pytest.mark.parametrize(
    "name",
    [
        "007",
        "a.b.c",
        '"quoted"',
        "{braces} [0] = #",
        "默认",
        "می‌خواهم",
        "👨‍👩‍👧",
        "x" * MAX_NAME,
        "-",
    ],
)
def test_names_of_any_script_come_back_from_a_file(tmp_path: Path, name: str) -> None:
    kept = Settings()
    assert Presets(kept.presets).save(name, OWN) == name
    settings.save(kept, tmp_path)
    presets = Presets(settings.load(tmp_path)[0].presets)
    assert presets.own == (name,)
    assert presets.apply(name, Sampling()) == OWN


@given(st.text(max_size=MAX_NAME + 20))
def test_any_name_is_kept_as_one_line_or_refused(name: str) -> None:
    try:
        kept = checked_name(name)
    except FieldError:
        return
    assert checked_name(kept) == kept
    assert kept == " ".join(kept.split())
    kept.encode("utf-8")


@pytest.mark.parametrize("name", ["", "  \n", "\x00", "\ud800", "\u200b", "balanced", "GREEDY "])
def test_names_that_cannot_be_used_are_refused(name: str) -> None:
    with pytest.raises(FieldError):
        Presets([]).save(name, OWN)


def test_a_name_that_is_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(FieldError, match=f"{MAX_NAME}.*1,000"):
        checked_name("x" * 1000)


def test_a_built_in_preset_leaves_what_is_no_sampler_alone() -> None:
    presets = Presets([])
    for name in BUILT_IN:
        applied = presets.apply(name, OWN)
        assert (applied.seed, applied.stop, applied.logit_bias) == (4, ("a",), OWN.logit_bias)
        assert presets.matching(applied) == name
    assert presets.apply("Greedy", OWN).temperature == 0
    assert presets.apply("Balanced", Sampling()) == Sampling()


def test_an_own_preset_is_taken_over_whole() -> None:
    presets = Presets([])
    presets.save("mine", OWN)
    assert presets.apply("mine", Sampling(seed=1, max_tokens=3)) == OWN
    assert presets.matching(OWN) == "mine"
    assert presets.matching(Sampling(temperature=1.9)) == ""


def test_saving_again_replaces_and_deleting_forgets() -> None:
    presets = Presets([])
    presets.save("a", OWN)
    presets.save(" a ", Sampling(top_k=3))
    assert presets.own == ("a",)
    assert presets.apply("a", OWN) == Sampling(top_k=3)
    presets.delete("a")
    presets.delete("Balanced")
    assert presets.own == ()
    assert presets.apply("Balanced", Sampling(temperature=1)) == Sampling()


def test_an_unknown_preset_changes_nothing() -> None:
    assert Presets([]).apply("gone", OWN) == OWN


def test_there_are_only_so_many() -> None:
    presets = Presets([])
    for number in range(MAX_PRESETS):
        presets.save(str(number), OWN)
    with pytest.raises(FieldError, match="delete one"):
        presets.save("one more", OWN)
    presets.save("7", Sampling())


def test_unusable_presets_of_a_file_go() -> None:
    tables: list[dict[str, Any]] = [
        {"name": ""},
        {"name": "Precise", "sampling": {}},
        {"name": "two\nlines"},
        {"name": "same", "sampling": {"top_k": 1}},
        {"name": "same", "sampling": {"top_k": 2}},
        {"name": "odd", "sampling": 3},
    ]
    presets = Presets(tables)
    assert presets.own == ("odd", "same")
    assert presets.apply("same", OWN) == Sampling(top_k=1)
    assert presets.apply("odd", OWN) == Sampling()
