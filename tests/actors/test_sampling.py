"""What is wrong with settings is told with field, value and what is allowed."""

import math
from dataclasses import fields, replace
from typing import Any

import pytest

from actors.sampling import BAN, RANGES, WHOLE, Sampling, TokenBias, problems

NOT_NUMBERS = {
    "dry_sequence_breakers",
    "logit_bias",
    "stop",
    "grammar",
    "json_schema",
    "mirostat",
    "prompt_lookup",
}
ANY_WHOLE = {"seed", "max_tokens"}


def test_the_defaults_are_in_their_ranges() -> None:
    assert problems(Sampling()) == []
    assert problems(Sampling(logit_bias=(TokenBias(text="a", bias=BAN),), stop=("x",))) == []


def test_no_field_is_forgotten() -> None:
    names = {field.name for field in fields(Sampling)}
    assert names == RANGES.keys() | NOT_NUMBERS | ANY_WHOLE
    counting = {name for name in names if "int" in str(Sampling.__annotations__[name])}
    assert counting == WHOLE


@pytest.mark.parametrize("name", RANGES)
def test_each_number_out_of_its_range_is_named_with_it(name: str) -> None:
    low, high = RANGES[name]
    for value in (low - 1, high + 1, math.nan):
        (problem,) = problems(replace(Sampling(), **{name: value}))
        assert problem == f"{name} is {value:g}; it must be {low:g} to {high:g}"
    for value in (low, high):
        assert problems(replace(Sampling(), **{name: value})) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"max_tokens": -1}, "max_tokens is -1; it must be 0 or more"),
        ({"max_tokens": 2.5}, "max_tokens is 2.5; it must be a whole number"),
        ({"seed": 1.5}, "seed is 1.5; it must be a whole number"),
        ({"stop": ("a", "")}, "stop has an empty text"),
        ({"dry_sequence_breakers": ("",)}, "dry_sequence_breakers has an empty text"),
        ({"dry_sequence_breakers": ("a", "b\0")}, "breakers has a text with a NUL character"),
        ({"logit_bias": (TokenBias(text="", bias=1),)}, "logit_bias has an empty text"),
        ({"logit_bias": (TokenBias(text="a", bias=200),)}, "logit_bias of 'a' is 200; it must be"),
        ({"logit_bias": (TokenBias(text="a", bias=math.nan),)}, "logit_bias of 'a' is nan"),
        ({"grammar": "root ::= x", "json_schema": "{}"}, "grammar and json_schema are both set"),
    ],
)
def test_other_values_that_cannot_be_used(changes: dict[str, Any], named: str) -> None:
    (problem,) = problems(replace(Sampling(), **changes))
    assert named in problem


@pytest.mark.parametrize("name", sorted(WHOLE & RANGES.keys()))
def test_a_fraction_of_what_counts_is_named(name: str) -> None:
    (problem,) = problems(replace(Sampling(), **{name: 2.5}))
    assert problem == f"{name} is 2.5; it must be a whole number"


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = replace(Sampling(), temperature=-1, top_k=1.5, stop=("",), seed=0.5)
    assert len(problems(wrong)) == 4
