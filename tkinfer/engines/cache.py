"""Which tokens the KV cache holds, and how many of them the next prompt can use."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Protocol

from tkinfer.engines.shelf import Shelf, Snapshot, State
from tkinfer.errors import EngineError


class Memory(Protocol):
    """A model with one sequence of tokens in its KV cache."""

    rewinds: bool
    """The cache can be cut anywhere, always. Recurrent and hybrid models keep only their last
    state, and a sliding window may have lost what lies before it."""

    def cuts_to(self, length: int) -> bool:
        """Whether the cache, as it is, can be cut to so many tokens."""
        ...

    def evaluate(self, tokens: Sequence[int], *, all_outputs: bool = False) -> bool:
        """Evaluate tokens behind those held; False if aborted meanwhile."""
        ...

    def held(self) -> int:
        """How many tokens are held."""
        ...

    def truncate(self, length: int) -> bool:
        """Keep only the first tokens; False if that is not possible."""
        ...

    def clear(self) -> None:
        """Hold nothing."""

    def save(self) -> State:
        """All that is held, as bytes."""
        ...

    def restore(self, state: State) -> bool:
        """Hold what was saved, and nothing else; False if that failed, and nothing is held."""
        ...


class Cache:
    """Keeps the list of tokens in step with what the model truly holds, aborts included.

    `grid` is the size of the chunks in which prompts are evaluated. What would be lost when another
    chat's prompt comes is put on the shelf.
    """

    def __init__(self, memory: Memory, grid: int, shelf: Shelf) -> None:
        self._memory = memory
        self._grid = grid
        self.shelf = shelf
        self.tokens: list[int] = []

    def reuse(self, prompt: Sequence[int]) -> int:
        """Keep what the prompt can use of the cache; return how many tokens of it are there.

        At least the last token of the prompt is left to evaluate: sampling needs its logits.
        """
        keep = self._usable(self.tokens, prompt, self._memory.cuts_to)
        snapshot, found = self.shelf.best(
            lambda tokens: self._usable(tokens, prompt, lambda _length: self._memory.rewinds)
        )
        if snapshot is not None and found >= keep + self._grid:  # less isn't worth the copying
            self._put_aside(keep)
            keep = found if self._take_up(snapshot) else 0
        else:
            self._put_aside(keep)
        if keep < len(self.tokens):
            self._cut(keep)
        return len(self.tokens)

    def _usable(
        self, tokens: Sequence[int], prompt: Sequence[int], cuts_to: Callable[[int], bool]
    ) -> int:
        """How many of the tokens the prompt can use, if they are held.

        Where the prompt goes on behind all of them, all are used. Where it departs from them, the
        chunks evaluated next must have the same bounds as in a fresh process, so use is cut to
        whole chunks: the rounding of llama.cpp's kernels depends on how many tokens are evaluated
        together (from 64 tokens on, flash attention takes another way: that moved the logits of a
        300-token prompt by up to 0.7, the same bounds by nothing), and a stopped prompt must not
        decide over a later answer.
        """
        pairs = zip(tokens, prompt, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if same == len(tokens) < len(prompt):
            return same
        whole = min(same, len(prompt) - 1) // self._grid * self._grid
        return whole if whole and cuts_to(whole) else 0

    def _put_aside(self, keep: int) -> None:
        """Put the state on the shelf if most of it would be lost: it is another chat's."""
        if len(self.tokens) >= self._grid and 2 * keep < len(self.tokens):
            self.shelf.put(self.tokens, self._memory.save())

    def _take_up(self, snapshot: Snapshot) -> bool:
        state = self.shelf.use(snapshot, keep=not self._memory.rewinds)
        if state is None or not self._memory.restore(state):
            self._clear()
            return False
        self.tokens = list(snapshot.tokens)
        return True

    @property
    def cuts_anywhere(self) -> bool:
        """All that was evaluated is still held, so that the cache can be cut anywhere."""
        return self._memory.cuts_to(1)

    def checkpoint(self) -> None:
        """Put the present state on the shelf if the cache could not be cut back to it later."""
        if not self.cuts_anywhere:
            self.shelf.put(self.tokens, self._memory.save())

    def evaluate(self, tokens: Sequence[int], *, all_outputs: bool = False) -> bool:
        """Evaluate tokens behind those held; False if an abort cut it short.

        After an abort the model is asked what it holds: parts of the chunk may be there. One that
        can't be rewound is cleared, since its state is of no known position.

        Raises:
            EngineError: llama.cpp failed; the cache is empty then.
        """
        try:
            done = self._memory.evaluate(tokens, all_outputs=all_outputs)
        except EngineError:
            self._clear()
            raise
        self.tokens.extend(tokens)
        if not done:
            self._cut(min(self._memory.held(), len(self.tokens)))
        return done

    def drop_last(self, count: int) -> None:
        """Forget the last tokens: guesses that were wrong."""
        if count:
            self._cut(len(self.tokens) - count)

    def _cut(self, keep: int) -> None:
        if keep and self._memory.truncate(keep):
            del self.tokens[keep:]
        else:
            self._clear()

    def _clear(self) -> None:
        self._memory.clear()
        self.tokens.clear()
