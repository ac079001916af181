from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tkinfer.engines.stopstrings import StopStrings, overlap

S3 = {
    "over three pieces": (["\nHuman:"], ["Hello", "\nHu", "man", ": hi"], "Hello"),
    "a false start": (["\nHuman:"], ["Tools:\n", "Hu", "ge saw"], "Tools:\nHuge saw"),
    "two, neither met": (["\n", "Mia:"], ["Mia", "!", " Bye"], "Mia! Bye"),
    "a tail at the end": (["###"], ["C#", "#"], "C##"),
    "the earliest wins": (["DONE", "HALT"], ["a HALT b DONE c"], "a "),
    "overlapping start": (["aab"], ["aa", "ab", "x"], "a"),
}


@pytest.mark.parametrize("name", S3)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("alone", [False, True])
def test_stop_strings_over_pieces(name: str, backwards: bool, alone: bool) -> None:
    stops, pieces, right = S3[name]
    found = StopStrings(reversed(stops) if backwards else stops)
    shown = ""
    for piece in "".join(pieces) if alone else pieces:
        shown += found.feed(piece)
        assert right.startswith(shown)
    assert shown + found.release() == right
    assert found.release() == ""


def first_stop(text: str, stops: list[str]) -> int | None:
    """Where the stop string begins that is complete first; the longest, if several are."""
    for end in range(len(text) + 1):
        met = [stop for stop in stops if stop and text[:end].endswith(stop)]
        if met:
            return end - max(map(len, met))
    return None


few = st.text("ab\n", max_size=5)


@given(text=st.text("ab\n", max_size=40), stops=st.lists(few, max_size=4), data=st.data())
@example(text="abcx", stops=["abcd", "bc"], data=None)
def test_any_cuts_end_at_the_same_place(
    text: str, stops: list[str], data: st.DataObject | None
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8))) if data else [2]
    found = StopStrings(stops)
    at = first_stop(text, stops)
    shown = ""
    for start, end in pairwise([0, *cuts, len(text)]):
        shown += found.feed(text[start:end])
        if found.matched:
            break
        held = text[len(shown) : end]
        assert len(held) == found.held
        assert not held or any(stop != held and stop.startswith(held) for stop in stops)
    assert found.matched == (at is not None)
    assert shown + found.release() == text[:at]


@given(text=st.text("ab", max_size=12), pattern=st.text("ab", min_size=1, max_size=6))
def test_overlap_is_the_longest_beginning_at_the_end(text: str, pattern: str) -> None:
    begins = [size for size in range(len(pattern)) if text.endswith(pattern[:size])]
    assert overlap(text, pattern) == max(begins)


def test_nothing_is_let_through_after_the_stop() -> None:
    found = StopStrings(["b"])
    assert found.feed("abc") == "a"
    assert found.feed("d") == ""
    assert found.held == 0


def test_empty_stop_strings_stop_nothing() -> None:
    found = StopStrings(["", ""])
    assert not found
    assert found.feed("ab") == "ab"
    assert not found.matched


def test_signs_that_mean_something_to_a_pattern_are_plain_text() -> None:
    found = StopStrings(["]x", "^y", "\\z", "-"])
    assert found.feed("a[b^c\\d") == "a[b^c\\d"
    assert found.feed("]") == ""
    assert found.feed("x") == ""
    assert found.matched
