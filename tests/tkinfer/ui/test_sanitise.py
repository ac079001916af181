import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.ui import sanitise
from tkinfer.ui.sanitise import clean, clean_line

ANY_TEXT = st.text(alphabet=st.characters(codec=None))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("ab\0cd", "ab␀cd"),
        ("\x1b[1m\x07", "␛[1m␇"),
        ("a\r\nb\rc\n", "a\nb␍c\n"),
        ("tab\tstays", "tab\tstays"),
        ("\x7f\x85", "␡\ufffd"),
        ("line\u2028para\u2029", "line\u2424para¶"),
        ("high \ud83d low \ude00", "high \ufffd low \ufffd"),
        ("👩‍💻 鯨", "👩‍💻 鯨"),
    ],
)
def test_unsafe_characters_get_visible_stand_ins(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(ANY_TEXT)
def test_what_was_cleaned_is_safe_and_stays_as_it_is(raw: str) -> None:
    once = clean(raw)
    assert clean(once) == once
    once.encode()  # no lone surrogates
    assert not [char for char in once if char < " " and char not in "\t\n"]


@given(ANY_TEXT)
def test_nothing_but_the_cr_of_a_crlf_is_dropped(raw: str) -> None:
    assert len(clean(raw)) == len(raw.replace("\r\n", "\n"))


def test_labels_are_one_line() -> None:
    assert clean_line(" two\nlines\t\0 ") == "two lines ␀"


def test_astral_characters_are_replaced_where_they_end_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sanitise, "_xft_is_fragile", True)
    assert clean("a😀b") == "a\ufffdb"
