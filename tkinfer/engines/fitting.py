"""What is left out where a chat has no room in the context (case M-4).

Everything here is a function of the messages and of the context's size. It doesn't depend on what
the KV cache holds, so the same chat is cut in the same way after a restart; and since the cut
moves in steps of a quarter of the context, most turns find the beginning that they know.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from actors.engine import ChatMessage

_MOST_ROOM: Final = 1024
_PER_MESSAGE: Final = 6
"""Tokens of the template's around a message; about that in all common formats."""
_GUESSES: Final = 4
"""So many times a size is guessed from the estimates before halving takes over."""


def room_for_answer(context_size: int, max_tokens: int | None) -> int:
    """The tokens that are to be free behind the prompt: at least 1."""
    if max_tokens is None:
        room = min(_MOST_ROOM, context_size // 4)
    else:
        room = min(max_tokens, context_size // 2)
    return max(1, room)


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation as a head that always stays, and turns.

    A turn is a user's message and all up to the next one; what stands before the first user's
    message belongs to the first turn.
    """

    head: int
    """System messages at the beginning."""
    begins: tuple[int, ...]
    """Where each turn begins, as an index of a message; at least one turn."""

    @classmethod
    def of(cls, messages: Sequence[ChatMessage]) -> "Chat":
        """Divide a conversation."""
        head = 0
        while head < len(messages) and messages[head].role == "system":
            head += 1
        users = [at for at in range(head, len(messages)) if messages[at].role == "user"]
        return cls(head, (head, *users[1:]))

    @property
    def last(self) -> int:
        """The newest turn."""
        return len(self.begins) - 1

    def without(self, turns: int, length: int) -> tuple[int, ...]:
        """Which of `length` messages are left without the first so many turns."""
        return (*range(self.head), *range(self.begins[turns], length))

    def left_out(self, turns: int) -> int:
        """How many messages these turns have."""
        return self.begins[turns] - self.head


@dataclass(frozen=True, slots=True)
class TokenRate:
    """Tokens of a vocabulary for each byte of text, roughly."""

    ascii: float
    other: float

    def message(self, message: ChatMessage) -> int:
        """The tokens of a message, roughly: a matter of microseconds."""
        raw = len(message.content.encode("utf-8", "replace"))
        plain = len(message.content.encode("ascii", "ignore"))
        return round(plain * self.ascii + (raw - plain) * self.other) + _PER_MESSAGE

    def turns(self, messages: Sequence[ChatMessage], chat: Chat) -> list[int]:
        """The tokens of each turn, roughly."""
        bounds = (*chat.begins, len(messages))
        sizes = [self.message(message) for message in messages]
        return [sum(sizes[a:b]) for a, b in pairwise(bounds)]


def choose_cut(
    estimates: Sequence[int], step: int, limit: int, measure: Callable[[int], int]
) -> int | None:
    """How many of the oldest turns to leave out; None if even the newest alone is too large.

    Cuts where the tokens left out reach a multiple of `step` come first, smallest first, then
    all others, smallest first.

    Args:
        estimates: The tokens of each turn, roughly.
        step: In tokens; above 0.
        limit: The prompt may have so many tokens.
        measure: The exact tokens of the prompt without so many turns; called as seldom as can be.
    """
    before = [0, *accumulate(estimates)]
    total, last = before[-1], len(estimates) - 1
    multiples = range(step, before[last] + 1, step)
    stepped = sorted({0, *(bisect_left(before, multiple) for multiple in multiples)})
    stepped = [cut for cut in stepped if cut <= last]
    rest = [total - before[cut] for cut in range(last + 1)]
    cut = _first_that_fits(stepped, rest, limit, measure)
    if cut is None:
        others = range(stepped[-1] + 1, last + 1)
        cut = _first_that_fits(others, rest, limit, measure)
    return cut


def _first_that_fits(
    cuts: Sequence[int], rest: Sequence[int], limit: int, measure: Callable[[int], int]
) -> int | None:
    """The first of these cuts with a prompt of at most `limit` tokens; later ones are smaller."""
    low, high = -1, len(cuts)
    scale = 1.0
    for turn in range(len(cuts) + 1):
        if high - low <= 1:
            break
        if turn < _GUESSES:
            likely = bisect_left(cuts, True, key=lambda cut: rest[cut] * scale <= limit)
        else:
            likely = (low + high) // 2
        at = min(max(likely, low + 1), high - 1)
        size = measure(cuts[at])
        if size <= limit:
            high = at
        else:
            low = at
        scale = size / max(1, rest[cuts[at]])
    return cuts[high] if high < len(cuts) else None
