from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.engines.cache import Cache
from tkinfer.errors import EngineError

GRID = 4


class Memory:
    """A cache of tokens that can be aborted after some of a chunk, or be unable to rewind."""

    def __init__(self, *, rewinds: bool = True) -> None:
        self.tokens: list[int] = []
        self.rewinds = rewinds
        self.abort_after: int | None = None
        self.breaks = False

    def evaluate(self, tokens: Sequence[int]) -> bool:
        if self.breaks:
            what = "broken"
            raise EngineError(what)
        taken = tokens if self.abort_after is None else tokens[: self.abort_after]
        self.tokens += taken
        return self.abort_after is None

    def held(self) -> int:
        return len(self.tokens)

    def truncate(self, length: int) -> bool:
        if self.rewinds:
            del self.tokens[length:]
        return self.rewinds

    def clear(self) -> None:
        self.tokens.clear()


@pytest.mark.parametrize(
    ("held", "prompt", "kept"),
    [
        ("", "abc", 0),
        ("abcde", "abcdefgh", 5),  # goes on behind all that is held
        ("abcdefg", "abcdefg", 4),  # the same again: whole chunks, and one token is left to do
        ("abcdefgh", "abcdefgh", 4),
        ("abcdefghij", "abcdefghxx", 8),
        ("abcdefghij", "abcxx", 0),
        ("abcdefghij", "abcde", 4),
        ("a", "a", 0),
    ],
)
def test_how_much_is_reused(held: str, prompt: str, kept: int) -> None:
    memory = Memory()
    cache = Cache(memory, GRID)
    cache.evaluate([ord(letter) for letter in held])
    assert cache.reuse([ord(letter) for letter in prompt]) == kept
    assert memory.tokens == cache.tokens == [ord(letter) for letter in held[:kept]]


def test_after_an_abort_the_memory_is_asked() -> None:
    memory = Memory()
    cache = Cache(memory, GRID)
    cache.evaluate([1, 2, 3, 4])
    memory.abort_after = 2
    assert not cache.evaluate([5, 6, 7, 8])
    assert cache.tokens == memory.tokens == [1, 2, 3, 4, 5, 6]


def test_what_cannot_rewind_is_cleared() -> None:
    memory = Memory(rewinds=False)
    cache = Cache(memory, GRID)
    cache.evaluate([1, 2, 3, 4])
    assert cache.reuse([1, 2, 3, 4, 5]) == 4
    memory.abort_after = 1
    cache.evaluate([5, 6])
    assert cache.tokens == memory.tokens == []


def test_a_failure_leaves_an_empty_cache() -> None:
    memory = Memory()
    cache = Cache(memory, GRID)
    cache.evaluate([1, 2])
    memory.breaks = True
    with pytest.raises(EngineError):
        cache.evaluate([3])
    assert cache.tokens == memory.tokens == []


TOKENS = st.lists(st.integers(0, 1), min_size=1, max_size=14)


@given(st.lists(st.tuples(TOKENS, st.none() | st.integers(0, 4)), max_size=6), st.booleans())
def test_the_list_never_differs_from_the_memory(
    prompts: list[tuple[list[int], int | None]], rewinds: bool
) -> None:
    memory = Memory(rewinds=rewinds)
    cache = Cache(memory, GRID)
    for prompt, abort_after in prompts:
        kept = cache.reuse(prompt)
        assert kept < len(prompt)
        assert memory.tokens == cache.tokens == prompt[:kept]
        memory.abort_after = abort_after
        done = cache.evaluate(prompt[kept : kept + 4])
        assert memory.tokens == cache.tokens
        assert done == (abort_after is None)
