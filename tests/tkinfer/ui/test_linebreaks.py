import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.ui.linebreaks import HARD_LINE, MAX_LINE, SOFT_LINE, LineBreaker

FAMILY = "👩‍👩‍👧"
MARKED = "e\u0301"

STRETCHES = st.lists(
    st.sampled_from(["word ", "x" * 700, "語" * 500, FAMILY * 90, MARKED * 300, "\n", "🇩🇪" * 100]),
    max_size=12,
).map("".join)


def cut(text: str, *, at: list[int] | None = None) -> list[str]:
    """Stretches of a text given in one piece, or cut at these places."""
    breaker, stretches = LineBreaker(), [""]
    places = [0, *sorted(at or []), len(text)]
    for start, end in itertools.pairwise(places):
        first, *more = breaker.cut(text[start:end])
        stretches[-1] += first
        stretches += more
    return stretches


@given(STRETCHES)
def test_no_line_is_longer_than_allowed_and_nothing_is_lost(text: str) -> None:
    stretches = cut(text)
    assert "".join(stretches) == text
    assert max(len(line) for line in "\n".join(stretches).split("\n")) <= MAX_LINE


@given(STRETCHES, st.lists(st.integers(0, 8_000), max_size=20))
def test_breaks_do_not_depend_on_how_the_text_was_cut(text: str, places: list[int]) -> None:
    assert cut(text, at=[min(place, len(text)) for place in places]) == cut(text)


def test_a_line_is_broken_behind_a_space_if_there_is_one() -> None:
    first, second = cut("word " * 400 + "end")
    assert first.endswith(" ")
    assert SOFT_LINE <= len(first) < HARD_LINE
    assert second.startswith("word")


@pytest.mark.parametrize("cluster", [FAMILY, MARKED, "👍🏽", "\u1112\u1161\u11ab"])
def test_what_looks_like_one_character_stays_together(cluster: str) -> None:
    for stretch in cut(cluster * 1_000)[1:]:
        assert stretch.startswith(cluster[0])
        assert not unicodedata.category(stretch[0]).startswith("M")


def test_a_cluster_without_end_is_broken_all_the_same() -> None:
    stretches = cut("a" + "\u0301" * 10_000)
    assert max(map(len, stretches)) == MAX_LINE


def test_newlines_begin_a_line_of_full_length() -> None:
    assert cut("x" * 1_700 + "\n" + "y" * 1_700) == ["x" * 1_700 + "\n" + "y" * 1_700]
