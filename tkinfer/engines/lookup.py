"""Prompt lookup: guesses the next tokens from what followed the same words before.

Answers that quote, correct or rewrite the prompt repeat long stretches of it. A guess is evaluated
in one batch, and each of its tokens counts only if the sampler chooses it too: so the answer is the
same as without, only faster (on the CPU bitwise, as long as a batch has fewer than 64 tokens and
there is one thread; elsewhere up to the rounding of llama.cpp's kernels).
The idea: Saxena, Prompt Lookup Decoding (2023).
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

NGRAM: Final = 3
"""So many tokens must have been there before in the same order."""
MOST: Final = 40
"""Tokens of one guess. Flash attention on the CPU rounds differently from 64 tokens on."""
_LONG_MATCH: Final = 10
"""A place where so many tokens are the same is another kind of place: the answer copies."""
_LEAST: Final = 2
_PAUSE: Final = 48
_LONGEST_PAUSE: Final = 768
_DECAY: Final = 0.8
_HOPES: Final = {True: 0.9, False: 0.6}
"""How many guesses are right, before anything is known: at long matches, and at short ones."""
_HOPE_WEIGHT: Final = 10.0
_FIRST_COST: Final = 0.3
_NEWEST_COST: Final = 0.2
"""The weight of the newest measurement. The first ones weigh more: else a processor where guesses
never pay would lose 8 % of a short answer before that is known.
"""


class Trust:
    """How often guesses of one kind are right, token by token; recent ones count more."""

    def __init__(self, hope: float) -> None:
        self._hope = hope
        self._right, self._tried = hope * _HOPE_WEIGHT, _HOPE_WEIGHT
        self._pause = _PAUSE
        self._resume_at = 0

    def length(self, cost: float) -> int:
        """How many tokens to guess: as long as the last one is right more often than it costs.

        `cost` is that of one more token in a batch, as a share of a token evaluated alone. 0 when
        guessing does not pay.
        """
        share = min(self._right / self._tried, 0.995)
        length = int(math.log(min(max(cost, 0.02), 0.98)) / math.log(share)) if share > 0 else 0
        return length if length >= _LEAST else 0

    def resting(self, now: int) -> bool:
        """Whether it is too early to try again; `now` counts tokens."""
        return now < self._resume_at

    def rest(self, now: int) -> None:
        """Do not guess for a while, longer each time, and then as if nothing were known."""
        self._resume_at = now + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        self._right, self._tried = self._hope * _HOPE_WEIGHT, _HOPE_WEIGHT

    def judged(self, drafted: int, right: int) -> None:
        """Of a guess so many tokens were right, up to the first wrong one."""
        self._right = _DECAY * self._right + right
        self._tried = _DECAY * self._tried + min(right + 1, drafted)
        if right == drafted:
            self._pause = _PAUSE


class PromptLookup:
    """Remembers every n-gram of prompt and answer, and measures whether guessing pays."""

    def __init__(
        self,
        tokens: Sequence[int],
        ends: Callable[[int], bool] = lambda _token: False,
        most: int = MOST,
    ) -> None:
        """`ends` tells the tokens behind which no answer goes on; a guess has at most `most`."""
        self._tokens: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        self._ends = ends
        self._most = min(most, MOST)
        self._trust = {kind: Trust(hope) for kind, hope in _HOPES.items()}
        self._long_match = False
        self._plain_s = 0.0
        self._cost = _FIRST_COST
        self._costs = 1
        """How many measurements are in it, the hope among them."""
        self.drafted = 0
        self.accepted = 0
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """The text goes on with this token."""
        if len(self._tokens) >= NGRAM:
            self._after[tuple(self._tokens[-NGRAM:])] = len(self._tokens)
        self._tokens.append(token)

    def guess(self, room: int) -> list[int]:
        """What may come next: at most `room` tokens, none if guessing does not pay now."""
        tokens = self._tokens
        at = self._after.get(tuple(tokens[-NGRAM:]))
        if at is None or self._plain_s == 0.0:
            return []
        before = tokens[max(0, at - _LONG_MATCH) : at]
        self._long_match = len(before) == _LONG_MATCH and before == tokens[-_LONG_MATCH:]
        length = self._length(self._trust[self._long_match])
        found = tokens[at : at + min(length, self._most, room)]
        for index, token in enumerate(found):
            if self._ends(token):
                return found[: index + 1]
        return found if len(found) >= _LEAST else []

    def _length(self, trust: Trust) -> int:
        now = len(self._tokens)
        if trust.resting(now):
            return 0
        length = trust.length(self._cost)
        if not length:
            trust.rest(now)
            # Also what was measured: a batch that the system held up must not end it for good.
            self._cost = min(self._cost, _FIRST_COST)
        return length

    def plain(self, seconds: float) -> None:
        """A token was evaluated without a guess in this time."""
        self._plain_s = seconds if not self._plain_s else 0.9 * self._plain_s + 0.1 * seconds

    def judged(self, drafted: int, accepted: int, seconds: float) -> None:
        """Of the last guess so many tokens were right; the batch took this time."""
        self.drafted += drafted
        self.accepted += accepted
        self._trust[self._long_match].judged(drafted, accepted)
        cost = (seconds / self._plain_s - 1) / drafted
        self._costs += 1
        weight = max(_NEWEST_COST, 1 / self._costs)
        self._cost += weight * (min(max(cost, 0.0), 2.0) - self._cost)
