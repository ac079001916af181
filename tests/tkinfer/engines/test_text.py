from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.engines.text import TextDecoder

CASES = {
    # S-1
    "crab in two pieces": (["f0 9f a6", "80", "21"], ["", "🦀", "🦀!"], "🦀!"),
    "whale byte by byte": (["e9", "af", "a8", "e3 81 a8"], ["", "", "鯨", "鯨と"], "鯨と"),
    "joined emoji": (
        ["f0 9f 91 a9", "e2 80 8d", "f0 9f 92 bb"],
        ["👩", "👩\u200d", "👩\u200d💻"],
        "👩\u200d💻",
    ),
    # S-2
    "cut character": (["6f 6b 20", "e9 af"], ["ok ", "ok "], "ok \ufffd"),
    # S-4
    "leading spaces": (["20", "20 70", "20 20 20 20"], [" ", "  p", "  p    "], "  p    "),
    "nothing": ([], [], ""),
}


@pytest.mark.parametrize("name", CASES)
def test_text_grows_by_whole_characters_only(name: str) -> None:
    pieces, steps, whole = CASES[name]
    decoder = TextDecoder()
    text = ""
    for piece, step in zip(pieces, steps, strict=True):
        text += decoder.feed(bytes.fromhex(piece))
        assert text == step
    assert text + decoder.flush() == whole


@given(raw=st.binary(max_size=60) | st.text(max_size=20).map(str.encode), data=st.data())
def test_any_cuts_give_the_text_of_decoding_at_once(raw: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    bounds = [0, *cuts, len(raw)]
    decoder = TextDecoder()
    text = "".join(decoder.feed(raw[start:end]) for start, end in pairwise(bounds))
    assert text + decoder.flush() == raw.decode("utf-8", "replace")


def test_a_flushed_decoder_starts_afresh() -> None:
    decoder = TextDecoder()
    decoder.feed(b"\xe9\xaf")
    assert decoder.flush() == "\ufffd"
    assert decoder.flush() == ""
    assert decoder.feed(b"a") == "a"


BAD = {
    "a byte that begins nothing": ("ff", "\ufffd"),
    "a character broken off by a letter": ("f0 9f 41", "\ufffdA"),
    "two broken off, one after the other": ("e9 af e9 af 41", "\ufffd\ufffdA"),
    "half a surrogate": ("ed a0", "\ufffd\ufffd"),
    "an overlong slash": ("c0 af", "\ufffd\ufffd"),
    "past the last character": ("f4 90", "\ufffd\ufffd"),
    "a letter and a bad byte": ("41 80", "A\ufffd"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("alone", [False, True])
def test_bad_bytes_are_shown_at_once(name: str, alone: bool) -> None:
    raw, shown = bytes.fromhex(BAD[name][0]), BAD[name][1]
    decoder = TextDecoder()
    pieces = [bytes([byte]) for byte in raw] if alone else [raw]
    assert "".join(map(decoder.feed, pieces)) == shown
    assert not decoder.half
    assert decoder.flush() == ""


def test_a_half_character_is_known() -> None:
    decoder = TextDecoder()
    decoder.feed(b"a\xe9")
    assert decoder.half
    decoder.feed(b"\xaf")
    assert decoder.half
    decoder.feed(b"\xa8")
    assert not decoder.half
