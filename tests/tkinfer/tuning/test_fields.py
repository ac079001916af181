"""What may be typed into the fields of the settings panels."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.sampling import BAN, Sampling
from tkinfer.tuning import load_fields, sampling_fields
from tkinfer.tuning.escapes import from_line, from_lines, to_line, to_lines
from tkinfer.tuning.fields import FieldError, NumberField, on_slider
from tkinfer.tuning.sampling_checks import (
    MAX_GRAMMAR,
    MAX_TEXTS,
    check_grammar,
    check_schema,
    check_texts,
    read_bias,
    shown_bias,
)

SHARE = NumberField(name="x", label="X", help="", low=0.0, high=1.0)
COUNT = NumberField(name="n", label="N", help="", low=1, high=100_000, whole=True, empty="all")


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (SHARE, "0.5", 0.5),
        (SHARE, " ,25 ", 0.25),
        (SHARE, "1", 1.0),
        (SHARE, "5e-2", 0.05),
        (COUNT, "32,768", 32768),
        (COUNT, "32 768", 32768),
        (COUNT, "1e3", 1000),
        (COUNT, "7.0", 7),
        (COUNT, "", None),
    ],
)
def test_numbers_are_read_as_people_write_them(
    field: NumberField, text: str, value: float | None
) -> None:
    assert field.read(text) == value


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        (SHARE, "", "needed"),
        (SHARE, "hot", "no number"),
        (SHARE, "1.5", "from 0 to 1"),
        (SHARE, "-0.1", "from 0 to 1"),
        (SHARE, "nan", "no number"),
        (SHARE, "inf", "no number"),
        (SHARE, "1e999", "no number"),
        (SHARE, "1_0", "no number"),
        (COUNT, "0.5", "from 1"),
        (COUNT, "2.5", "whole"),
        (COUNT, "9" * 5000, "no whole number"),
        (COUNT, "1,2", "no whole number"),
    ],
)
def test_what_is_no_such_number_is_refused_with_the_reason(
    field: NumberField, text: str, reason: str
) -> None:
    with pytest.raises(FieldError, match=reason):
        field.read(text)


@given(st.sampled_from([*sampling_fields.NUMBERS.values(), load_fields.CONTEXT]), st.data())
def test_a_value_is_read_back_from_its_own_text(field: NumberField, data: st.DataObject) -> None:
    numbers = (
        st.integers(int(field.low), int(field.high))
        if field.whole
        else st.floats(field.low, field.high)
    )
    value = data.draw(numbers)
    assert field.read(field.shown(value)) == value


@given(st.text(max_size=60))
def test_any_text_is_a_number_within_the_limits_or_refused(text: str) -> None:
    for field in (SHARE, COUNT):
        with contextlib.suppress(FieldError):
            value = field.read(text)
            assert value is None or field.low <= value <= field.high


def test_every_field_takes_its_default() -> None:
    default = Sampling()
    for name, field in sampling_fields.NUMBERS.items():
        value = getattr(default, name)
        assert field.read(field.shown(value)) == value, name


def test_every_value_of_sampling_has_a_place_in_the_panel() -> None:
    """So that a value added to Sampling can't be forgotten here."""
    with_their_own_editors = {"logit_bias", "grammar", "json_schema", "stop", "prompt_lookup"}
    shown = {field.name for group in sampling_fields.GROUPS for field in group.fields}
    shown |= sampling_fields.NUMBERS.keys() | with_their_own_editors
    assert shown == set(Sampling.__dataclass_fields__)


def test_a_slider_goes_in_round_steps() -> None:
    assert on_slider(0.7034, sampling_fields.TEMPERATURE) == 0.7
    assert on_slider(39.8, sampling_fields.NUMBERS["top_k"]) == 40


@given(st.text())
def test_a_text_on_one_line_is_read_back(text: str) -> None:
    line = to_line(text)
    assert "\n" not in line
    assert from_line(line) == text


@given(st.lists(st.text(min_size=1), unique=True))
def test_texts_on_lines_are_read_back(texts: list[str]) -> None:
    assert from_lines(to_lines(tuple(texts))) == tuple(texts)


def test_a_backslash_that_begins_nothing_stands_for_itself() -> None:
    assert from_line(r"C:\dir \d \n") == "C:\\dir \\d \n"


@given(st.one_of(st.just(BAN), st.floats(-100, 100)))
def test_a_bias_is_read_back(bias: float) -> None:
    assert read_bias(shown_bias(bias)) == bias


@pytest.mark.parametrize("text", ["", "much", "101", "nan", "inf"])
def test_what_is_no_bias_is_refused(text: str) -> None:
    with pytest.raises(FieldError, match="ban"):
        read_bias(text)


def test_a_ban_is_a_bias() -> None:
    assert math.isinf(read_bias(" Ban "))


def test_too_many_texts_are_refused_with_both_numbers() -> None:
    with pytest.raises(FieldError, match=rf"{MAX_TEXTS}.* {MAX_TEXTS + 1}"):
        check_texts(tuple(map(str, range(MAX_TEXTS + 1))))


@pytest.mark.parametrize("text", ["", "  ", 'root ::= "yes" | "no"', "# c\n  root\t::= [a-z]+"])
def test_grammars_with_a_root_are_taken(text: str) -> None:
    assert check_grammar(text) == text


@pytest.mark.parametrize("text", ["yes", 'answer ::= "yes"', "x" * (MAX_GRAMMAR + 1)])
def test_other_grammars_are_refused(text: str) -> None:
    with pytest.raises(FieldError):
        check_grammar(text)


@pytest.mark.parametrize("text", ["", '{"type": "object"}', "true"])
def test_schemas_are_taken(text: str) -> None:
    assert check_schema(text) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": }', "line 1"),
        ("[1]", "object"),
        ("[" * 100_000, "too deeply"),
        ('{"maximum": ' + "9" * 9999 + "}", "No JSON"),
    ],
)
def test_other_schemas_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FieldError, match=reason):
        check_schema(text)
