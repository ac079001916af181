"""Which tokens the KV cache holds, and how many of them the next prompt can use."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

from tkinfer.errors import EngineError


class Memory(Protocol):
    """A model with one sequence of tokens in its KV cache."""

    def evaluate(self, tokens: Sequence[int]) -> bool:
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


class Cache:
    """Keeps the list of tokens in step with what the model truly holds, aborts included.

    `grid` is the size of the chunks in which prompts are evaluated.
    """

    def __init__(self, memory: Memory, grid: int) -> None:
        self._memory = memory
        self._grid = grid
        self.tokens: list[int] = []

    def reuse(self, prompt: Sequence[int]) -> int:
        """Keep what the prompt can use of the cache; return how many tokens of it are there.

        At least the last token of the prompt is left to evaluate: sampling needs its logits.

        Where the prompt goes on behind all that is held, all of it is used. Where it departs
        from it, the chunks evaluated next must have the same bounds as in a fresh process, so
        use is cut to whole chunks: the rounding of llama.cpp's kernels depends on how many tokens
        are evaluated together (other bounds moved the logits of a 300-token prompt by up to 0.7,
        the same bounds by nothing), and a stopped prompt must not decide over a later answer.
        """
        pairs = zip(self.tokens, prompt, strict=False)
        keep = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if keep < len(self.tokens) or keep >= len(prompt):
            keep = min(keep, len(prompt) - 1) // self._grid * self._grid
        if keep < len(self.tokens):
            self._cut(keep)
        return len(self.tokens)

    def _cut(self, keep: int) -> None:
        if keep and self._memory.truncate(keep):
            del self.tokens[keep:]
        else:
            self._memory.clear()
            self.tokens.clear()

    def evaluate(self, tokens: Sequence[int]) -> bool:
        """Evaluate tokens behind those held; False if an abort cut it short.

        After an abort the model is asked what it holds: parts of the chunk may be there. One that
        can't be rewound (recurrent, hybrid) is cleared, since its state is of no known position.

        Raises:
            EngineError: llama.cpp failed; the cache is empty then.
        """
        try:
            done = self._memory.evaluate(tokens)
        except EngineError:
            self._memory.clear()
            self.tokens.clear()
            raise
        self.tokens.extend(tokens)
        if not done:
            self._cut(min(self._memory.held(), len(self.tokens)))
        return done
