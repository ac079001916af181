from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from actors.turn import Channel
from tkinfer.engines.answertext import AnswerText
from tkinfer.engines.markers import BY_OPEN

Token = bytes | str  # a str is the text of a control token


class Outcome(NamedTuple):
    reasoning: str
    answer: str
    stopped: bool
    decided: int
    ends: list[int]
    steps: list[tuple[str, str]]


def play(tokens: Sequence[Token], stop: Sequence[str] = (), opened: str = "") -> Outcome:
    """Feed the tokens, until a stop string if need be, and check what must hold after each."""
    text = AnswerText(stop=stop, reasoning_open=opened)
    shown = dict.fromkeys(Channel, "")
    steps: list[tuple[str, str]] = []
    for token in [*tokens, None]:
        if token is None:
            spans = text.finish()
        else:
            spans = text.feed(token) if isinstance(token, bytes) else text.control(token)
        assert all(span.text for span in spans)
        for span in spans:
            shown[span.channel] += span.text
        steps.append((shown[Channel.REASONING], shown[Channel.ANSWER]))
        assert text.decided >= sum(map(len, shown.values()))
        assert list(text.ends) == sorted(text.ends)
        if text.stopped:
            break
    total = sum(map(len, shown.values()))
    assert text.decided == total
    assert not text.ends or text.ends[-1] <= total
    ends = list(text.ends)
    if text.stopped:
        assert not text.feed(b"x")
        assert not text.control("<think>")
    assert not text.finish()
    assert list(text.ends) == ends
    reasoning, answer = steps[-1]
    return Outcome(reasoning, answer, text.stopped, total, ends, steps[:-1])


def cuts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens as they are; all in one; single bytes; every cut in two, and in three."""
    yield list(tokens)
    raw = b"".join(token for token in tokens if isinstance(token, bytes))
    yield [bytes([byte]) for byte in raw]
    for inner in (*combinations(range(1, len(raw)), 1), *combinations(range(1, len(raw)), 2), ()):
        yield [raw[start:end] for start, end in pairwise([0, *inner, len(raw)])]


CASES = {
    "S-1 a": (["f0 9f a6", "80", "21"], "", "🦀!"),
    "S-1 b": (["e9", "af", "a8", "e3 81 a8"], "", "鯨と"),
    "S-1 c": (["f0 9f 91 a9", "e2 80 8d", "f0 9f 92 bb"], "", "👩\u200d💻"),
    "S-2": (["6f 6b 20", "e9 af"], "", "ok \ufffd"),
    "S-4 a": ([" Once", " upon", " a", " time"], "", " Once upon a time"),
    "S-4 b": ([" ", " padded", " row"], "", "  padded row"),
    "S-4 c": (["if x:\n", "    ", "return", " 1\n"], "", "if x:\n    return 1\n"),
    "S-6 a": (["<t", "hin", "k>", "plan", "</th", "ink>", "\n\n4", "2"], "plan", "42"),
    "S-6 b": (["a <th", "ree>"], "", "a <three>"),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    pieces, reasoning, answer = CASES[name]
    raw = bytes.fromhex if name < "S-4" else str.encode
    for tokens in cuts([raw(piece) for piece in pieces]):
        outcome = play(tokens)
        assert (outcome.reasoning, outcome.answer) == (reasoning, answer)
        for step in outcome.steps:
            assert reasoning.startswith(step[0])
            assert answer.startswith(step[1])


def test_a_character_is_shown_when_it_is_whole() -> None:
    outcome = play([b"\xf0\x9f\xa6", b"\x80", b"!"])
    assert [answer for _, answer in outcome.steps] == ["", "🦀", "🦀!"]


S3 = [
    (["\nHuman:"], ["Hello", "\nHu", "man", ": hi"], "Hello", True),
    (["\nHuman:"], ["Tools:\n", "Hu", "ge saw"], "Tools:\nHuge saw", False),
    (["\n", "Mia:"], ["Mia", "!", " Bye"], "Mia! Bye", False),
    (["###"], ["C#", "#"], "C##", False),
    (["DONE", "HALT"], ["a HALT b DONE c"], "a ", True),
    (["aab"], ["aa", "ab", "x"], "a", True),
]


@pytest.mark.parametrize(("stops", "pieces", "right", "stopped"), S3)
def test_s3_stop_strings(stops: list[str], pieces: list[str], right: str, stopped: bool) -> None:
    for tokens in cuts([piece.encode() for piece in pieces]):
        for order in (stops, stops[::-1]):
            outcome = play(tokens, order)
            assert (outcome.answer, outcome.stopped) == (right, stopped)
            assert all(right.startswith(answer) for _, answer in outcome.steps)


def test_stop_strings_are_not_looked_for_in_the_reasoning() -> None:
    outcome = play([b"<think>a DONE b</think>c DO", b"NE d"], ["DONE"])
    assert outcome[:3] == ("a DONE b", "c ", True)


def test_held_answer_comes_before_the_reasoning_that_follows_it() -> None:
    text = AnswerText(stop=["\n\n"])
    assert [span.text for span in text.feed(b"a\n")] == ["a"]
    assert [span.text for span in text.control("<|channel>")] == []
    spans = text.feed(b"b")
    assert [(span.channel, span.text) for span in spans] == [
        (Channel.ANSWER, "\n"),
        (Channel.REASONING, "b"),
    ]


def test_a_control_token_breaks_a_character() -> None:
    assert play([b"\xe9\xaf", "<|eot|>", b"\xa8a"]).answer == "\ufffd\ufffda"


ENDS = {
    "plain": ([b"ab", b"", b"c"], [], [2, 2, 3]),
    "half a character counts": ([b"\xe9", b"\xaf", b"\xa8a"], [], [1, 1, 2]),
    "a marker counts for nothing": ([b"<th", b"ink>", b"a"], [], [0, 0, 1]),
    "white space beside a marker": ([b"<think>a", b"\n", b"</think>\nb"], [], [1, 1, 2]),
    "white space that is shown": ([b"<think>a", b"\n", b"b"], [], [1, 2, 3]),
    "half a character of a marker": ([b"\xe2\x97", b"\x81think\xe2\x96\xb7a"], [], [0, 1]),
    "half a wide space": ([b"<think>a</think>\xe3\x80", b"\x80b"], [], [1, 2]),
    "half a wide space in front": ([b"<think>\xe3\x80", b"\x80b"], [], [0, 1]),
    "a stop string": ([b"ab", b"DO", b"NE"], ["DONE"], [2, 2, 2]),
    "control tokens": (["[THINK]", b"a", "[/THINK]", b"b", "<|eot|>"], [], [0, 1, 1, 2, 2]),
}


@pytest.mark.parametrize("name", ENDS)
def test_each_token_accounts_for_what_is_shown_of_it(name: str) -> None:
    tokens, stops, ends = ENDS[name]
    assert play(tokens, stops).ends == ends


def test_a_token_that_is_held_is_decided_beyond_what_is_shown() -> None:
    text = AnswerText(stop=["###"])
    text.feed(b"a")
    assert (text.decided, text.ends) == (1, [1])
    assert text.feed(b"##") == []
    assert (text.decided, text.ends) == (3, [1, 3])
    text.feed(b"#")
    assert (text.decided, text.ends, text.stop_tokens) == (1, [1, 1, 1], 2)


def test_markers_are_not_taken_for_the_stop_string() -> None:
    text = AnswerText(stop=["DONE"], reasoning_open="<think>")
    text.feed(b"a\n")
    text.feed(b"</think>DONE")
    assert (text.ends, text.stop_tokens) == ([1, 1], 1)


def test_the_end_corrects_what_a_broken_header_held() -> None:
    outcome = play(
        ["<|channel|>", b"analysis", "<|message|>", b"a", "<|end|>", "<|start|>", b"assi"]
    )
    assert outcome.ends == [0, 0, 0, 1, 1, 1, 1]


def test_replaying_kept_tokens_goes_on_where_the_answer_was_cut() -> None:
    tokens = [b"<think>", b"I was", b" thinking", b"</think>", b"\n\n", b" so", b" 4"]
    whole = play(tokens)
    for kept in range(len(tokens) + 1):
        text = AnswerText()
        before = [span for token in tokens[:kept] for span in text.feed(token)]
        after = [span for token in tokens[kept:] for span in text.feed(token)]
        spans = [*before, *after, *text.finish()]
        joined = "".join(span.text for span in spans if span.channel is Channel.REASONING)
        assert (joined, list(text.ends)) == (whole.reasoning, whole.ends)


MARKS = [part for marker in BY_OPEN.values() for part in (marker.open, marker.close)]
MARKS += ["thought\n", "<|start|>", "<|message|>", "<|content|>", "<|begin|>", "<|END_RESPONSE|>"]
MARKS += ["<|channel|>", "<|START_RESPONSE|>", "assistant", "analysis", "final", "<|eot|>"]
LONGEST = 139  # characters that may be held as a header; no marker is longer

words = st.sampled_from(
    [*MARKS, "<", "<think>", "</think>", " ", "\n", "\u3000", "a", "é", "🦀", "#"]
)
texts = st.lists(words | st.text(max_size=3), max_size=8).map(lambda parts: "".join(parts).encode())
segments = st.lists(texts | st.binary(max_size=4) | st.sampled_from(MARKS), max_size=8)
stop_lists = st.lists(st.sampled_from(["", "#", "##", "a#", "#a", "\n", "\n\n", "🦀a"]), max_size=3)
openings = st.sampled_from(["", "", "<think>\n", "[THINK]", "<|channel>thought", "<ponder>"])


def joined(tokens: Sequence[Token]) -> list[Token]:
    """Bytes between control tokens given at once."""
    whole: list[Token] = []
    for token in tokens:
        if isinstance(token, bytes) and whole and isinstance(last := whole[-1], bytes):
            whole[-1] = last + token
        else:
            whole.append(token)
    return whole


@given(tokens=segments, stops=stop_lists, opened=openings, data=st.data())
def test_any_cuts_show_the_same(
    tokens: list[Token], stops: list[str], opened: str, data: st.DataObject
) -> None:
    pieces: list[Token] = []
    for token in (whole := joined(tokens)):
        if isinstance(token, str):
            pieces.append(token)
            continue
        inner = data.draw(st.lists(st.integers(0, len(token)), max_size=6))
        pieces += [token[start:end] for start, end in pairwise([0, *sorted(inner), len(token)])]
    single = [
        part
        for token in whole
        for part in ([token] if isinstance(token, str) else [bytes([byte]) for byte in token])
    ]
    right = play(whole, stops, opened)
    for cut in (pieces, single):
        outcome = play(cut, stops, opened)
        assert outcome[:4] == right[:4]
        for reasoning, answer in outcome.steps:
            assert right.reasoning.startswith(reasoning)
            assert right.answer.startswith(answer)


@given(tokens=segments, stops=stop_lists, opened=openings)
def test_little_is_held_and_only_at_the_end(
    tokens: list[Token], stops: list[str], opened: str
) -> None:
    text = AnswerText(stop=stops, reasoning_open=opened)
    shown, run = 0, 0
    for token in tokens:
        if text.stopped:
            break
        spans = text.feed(token) if isinstance(token, bytes) else text.control(token)
        shown += sum(len(span.text) for span in spans)
        run += (
            sum(char.isspace() for char in token.decode(errors="replace"))
            if isinstance(token, bytes)
            else 0
        )
        longest = max(map(len, stops), default=0)
        assert text.decided - shown <= LONGEST + longest + run + 1
        assert all(end <= text.decided for end in text.ends)


@given(tokens=st.lists(texts | st.sampled_from(["[THINK]", "[/THINK]", "<|eot|>"]), max_size=6))
def test_tokens_account_for_the_same_however_they_are_cut(tokens: list[Token]) -> None:
    at, single, bounds = 0, [], []
    for token in tokens:
        parts = [token] if isinstance(token, str) else [bytes([byte]) for byte in token]
        single += parts
        at += len(parts)
        bounds.append(at)
    ends = [0, *play(single).ends]
    # A broken header gives its name away late: then large tokens may account for more at first.
    assume(b"<|" not in b"".join(token for token in tokens if isinstance(token, bytes)))
    assert play(tokens).ends == [ends[bound] for bound in bounds]


def test_long_white_space_is_held_in_small_steps() -> None:
    text = AnswerText(reasoning_open="<think>")
    text.feed(b"a")
    for _ in range(20_000):
        assert not text.feed(b"\n ")
    assert text.decided == 40_001
    spans = text.feed(b"</think>b")
    assert [span.text for span in spans] == ["b"]
    assert text.ends[-2:] == [1, 2]
