"""Where the tokens that a model has made stand for a text, byte for byte."""

import codecs
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import AnyStr, Final

from actors.turn import Channel
from tkinfer.engines.answertext import AnswerText, Span
from tkinfer.engines.markers import BY_OPEN

Piece = Callable[[int], bytes]
"""The bytes of a token; none for a control token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Tokens that stand for the first `characters` of a text."""

    tokens: tuple[int, ...]
    characters: int
    thinking: str = ""
    """The marker of reasoning that is open behind them."""


_OPENERS: Final = tuple(marker.encode() for marker in BY_OPEN)
_CLOSERS: Final = tuple(marker.close.encode() for marker in BY_OPEN.values() if marker.close)
_LONGEST_OPENER: Final = max(map(len, _OPENERS))
_FOREIGN: Final = b"\xff"  # in place of a token that this model doesn't have: in no text
_HALF_CHARACTER: Final = 3
_CONTINUES: Final = 0b1000_0000  # the high bits of all bytes of a character but its first
NOTHING = Kept(tokens=(), characters=0)


def kept_in_history(
    tokens: Sequence[int], piece: Piece, control: Mapping[int, str], reasoning: str, text: str
) -> Kept:
    """The part of an answer's tokens that is a beginning of its text as the template wrote it.

    The tokens begin with the reasoning and its markers, which a template leaves out of the
    history; the answer begins where most of the text agrees with what follows. Tokens of another
    model agree with little, and are not used.

    Args:
        tokens: The answer's, from its beginning.
        piece: The bytes of a token.
        control: The texts of control tokens.
        reasoning: What the tokens begin with.
        text: What they are to stand for.
    """
    pieces = [piece(token) or (b"" if token in control else _FOREIGN) for token in tokens]
    made, wanted = b"".join(pieces), _bytes(text)
    if not wanted:
        return NOTHING
    ends = list(accumulate(map(len, pieces)))
    first, most = _best_place(pieces, made, wanted, _behind(made, reasoning))
    start = ends[first - 1] if first else 0
    if start and most < len(wanted) / 2 and start + most < len(made) - _HALF_CHARACTER:
        return NOTHING
    count = bisect_right(ends, start + most)
    while count > first and (not pieces[count - 1] or _cuts(wanted, ends[count - 1] - start)):
        count -= 1
    if count <= first:
        return NOTHING
    covered = wanted[: ends[count - 1] - start]
    return Kept(tokens=tuple(tokens[first:count]), characters=len(covered.decode("utf-8")))


def _best_place(pieces: Sequence[bytes], made: bytes, wanted: bytes, begin: int) -> tuple[int, int]:
    """The piece, not before `begin`, from which on most agrees, and how many bytes do."""
    first, most, start = 0, 0, 0
    for index, raw in enumerate(pieces):
        if raw and start >= begin and raw[0] == wanted[0]:
            agree = _agreement(made, start, wanted)
            if agree > most:
                first, most = index, agree
            if most == len(wanted):
                break
        start += len(raw)
    return first, most


def _behind(made: bytes, reasoning: str) -> int:
    """Where the reasoning is over, with the marker that closes it; 0 if it isn't found."""
    thought = _bytes(reasoning.strip())
    head = made.lstrip()[:_LONGEST_OPENER]
    opener = max((raw for raw in _OPENERS if head.startswith(raw)), key=len, default=b"")
    # Behind the marker: short reasoning may be found in that, too.
    place = made.find(thought, made.find(opener) + len(opener))
    if place < 0:
        return 0
    end = place + len(thought)
    rest = made[end:].lstrip()
    # A short answer may be found in the closing marker.
    closer = max((raw for raw in _CLOSERS if rest.startswith(raw)), key=len, default=b"")
    if closer:
        return len(made) - len(rest) + len(closer)
    return end if thought else 0


def kept_to_resume(
    tokens: Sequence[int],
    piece: Piece,
    control: Mapping[int, str],
    drawn: tuple[str, str],
    opened: str,
) -> Kept:
    """The tokens that led to what was drawn of an answer, with all markers between them.

    Args:
        tokens: The answer's, from its beginning.
        piece: The bytes of a token.
        control: The texts of control tokens.
        drawn: Reasoning and answer.
        opened: The marker with which the prompt opens the reasoning, if it does.
    """
    own = takewhile(lambda token: token in control or piece(token), tokens)
    tokens = tuple(own)  # but for what another model made
    shown = AnswerText(reasoning_open=opened)
    agree = _agreement_with_drawn(shown, tokens, piece, control, drawn)
    ends = shown.ends
    count = len(tokens)
    while count and ends[count - 1] > agree:
        count -= 1
    while count and _ends_inside([piece(token) for token in tokens[:count]]):
        count -= 1
    if not count or not ends[count - 1]:
        return NOTHING
    again = AnswerText(reasoning_open=opened)
    for token in tokens[:count]:
        _feed(again, token, piece, control)
    marker = ""
    if again.reasoning:
        marker = opened or _last_opener(tokens[:count], piece, control)
    characters = min(ends[count - 1], agree)
    return Kept(tokens=tuple(tokens[:count]), characters=characters, thinking=marker)


def _agreement_with_drawn(
    shown: AnswerText,
    tokens: Sequence[int],
    piece: Piece,
    control: Mapping[int, str],
    drawn: tuple[str, str],
) -> int:
    """How many characters the tokens show of what was drawn."""
    spans = [span for token in tokens for span in _feed(shown, token, piece, control)]
    spans += shown.finish()
    thought = "".join(span.text for span in spans if span.channel is Channel.REASONING)
    agree = _common(thought, drawn[0])
    if agree == len(drawn[0]) == len(thought):
        said = "".join(span.text for span in spans if span.channel is Channel.ANSWER)
        agree += _common(said, drawn[1])
    return agree


def _feed(
    shown: AnswerText, token: int, piece: Piece, control: Mapping[int, str]
) -> Sequence[Span]:
    if token in control:
        return shown.control(control[token])
    return shown.feed(piece(token))


def _last_opener(tokens: Sequence[int], piece: Piece, control: Mapping[int, str]) -> str:
    raw = b"".join(_bytes(control[token]) if token in control else piece(token) for token in tokens)
    text = raw.decode("utf-8", "replace")
    place, marker = max((text.rfind(marker), marker) for marker in BY_OPEN)
    return marker if place >= 0 else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # as the tokenizer is given it


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return _agreement(one, 0, other)


def _agreement(made: AnyStr, start: int, wanted: AnyStr) -> int:
    """How much of `made` from `start` on is what `wanted` begins with."""
    low, high = 0, min(len(wanted), len(made) - start)
    while low < high:
        middle = (low + high + 1) // 2
        if made[start + low : start + middle] == wanted[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cuts(text: bytes, at: int) -> bool:
    """Whether a place is inside a character of valid UTF-8."""
    return at < len(text) and text[at] & 0b1100_0000 == _CONTINUES


def _ends_inside(pieces: Sequence[bytes]) -> bool:
    """Whether the bytes end with half a character."""
    tail = b"".join(pieces[-8:])[-4:]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(tail)
    return bool(decoder.getstate()[0])
