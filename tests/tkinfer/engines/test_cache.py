from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.engines.cache import Cache
from tkinfer.engines.shelf import Shelf
from tkinfer.errors import EngineError

GRID = 4


class Memory:
    """A cache of tokens that can be aborted after some of a chunk, or be unable to rewind."""

    def __init__(self, *, rewinds: bool = True) -> None:
        self.tokens: list[int] = []
        self.rewinds = rewinds
        self.abort_after: int | None = None
        self.breaks = False

    def evaluate(self, tokens: Sequence[int], *, all_outputs: bool = False) -> bool:
        del all_outputs
        if self.breaks:
            what = "broken"
            raise EngineError(what)
        taken = tokens if self.abort_after is None else tokens[: self.abort_after]
        self.tokens += taken
        return self.abort_after is None

    def held(self) -> int:
        return len(self.tokens)

    def cuts_to(self, length: int) -> bool:
        del length
        return self.rewinds

    def truncate(self, length: int) -> bool:
        if self.rewinds:
            del self.tokens[length:]
        return self.rewinds

    def clear(self) -> None:
        self.tokens.clear()

    def save(self) -> bytes:
        return bytes(self.tokens)

    def restore(self, state: bytes) -> bool:
        self.tokens = list(state)
        return True


def cache_of(memory: Memory, limit_bytes: int = 1000) -> Cache:
    return Cache(memory, GRID, Shelf(limit_bytes))


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
    cache = cache_of(memory)
    cache.evaluate([ord(letter) for letter in held])
    assert cache.reuse([ord(letter) for letter in prompt]) == kept
    assert memory.tokens == cache.tokens == [ord(letter) for letter in held[:kept]]


def test_after_an_abort_the_memory_is_asked() -> None:
    memory = Memory()
    cache = cache_of(memory)
    cache.evaluate([1, 2, 3, 4])
    memory.abort_after = 2
    assert not cache.evaluate([5, 6, 7, 8])
    assert cache.tokens == memory.tokens == [1, 2, 3, 4, 5, 6]


def test_what_cannot_rewind_is_cleared() -> None:
    memory = Memory(rewinds=False)
    cache = cache_of(memory)
    cache.evaluate([1, 2, 3, 4])
    assert cache.reuse([1, 2, 3, 4, 5]) == 4
    memory.abort_after = 1
    cache.evaluate([5, 6])
    assert cache.tokens == memory.tokens == []


def test_a_failure_leaves_an_empty_cache() -> None:
    memory = Memory()
    cache = cache_of(memory)
    cache.evaluate([1, 2])
    memory.breaks = True
    with pytest.raises(EngineError):
        cache.evaluate([3])
    assert cache.tokens == memory.tokens == []


ONE, TWO = [1] * 9, [2] * 9


def test_a_chat_that_was_left_is_taken_up_again() -> None:
    memory = Memory()
    cache = cache_of(memory)
    cache.evaluate(ONE)
    assert cache.reuse(TWO) == 0
    cache.evaluate(TWO)
    assert cache.reuse([*ONE, 3]) == len(ONE)
    assert memory.tokens == ONE
    assert cache.reuse([*TWO, 3]) == len(TWO)
    assert memory.tokens == TWO


def test_trying_again_puts_nothing_aside() -> None:
    """Most of the cache stays of use, so copying it would be for nothing."""
    cache = cache_of(Memory())
    cache.evaluate([1] * 9)
    cache.reuse([1] * 8 + [2])
    assert len(cache.shelf) == 0


def test_a_damaged_state_is_not_taken_up() -> None:
    memory = Memory()
    cache = cache_of(memory)
    states: list[bytearray] = []

    def save() -> bytearray:
        states.append(bytearray(memory.tokens))
        return states[-1]

    memory.save = save
    cache.evaluate(ONE)
    cache.reuse(TWO)
    states[0][3] ^= 1
    assert cache.reuse([*ONE, 3]) == 0
    assert cache.tokens == memory.tokens == []


def test_a_model_that_refuses_a_state_begins_anew() -> None:
    memory = Memory()
    cache = cache_of(memory)
    cache.evaluate(ONE)
    cache.reuse(TWO)
    memory.restore = lambda _state: False
    assert cache.reuse([*ONE, 3]) == 0
    assert cache.tokens == memory.tokens == []


def test_the_shelf_is_bounded_and_the_oldest_goes_first() -> None:
    memory = Memory()
    cache = cache_of(memory, limit_bytes=20)
    for token in (1, 2, 3, 4):
        cache.reuse([token] * 9)
        cache.evaluate([token] * 9)
    assert cache.shelf.size == 18
    assert cache.reuse([1] * 10) == 0
    assert cache.reuse([3] * 10) == 9


def test_a_state_larger_than_the_shelf_is_let_go() -> None:
    cache = cache_of(Memory(), limit_bytes=8)
    cache.evaluate(ONE)
    cache.reuse(TWO)
    assert len(cache.shelf) == 0


def test_what_cannot_rewind_goes_back_to_a_checkpoint() -> None:
    """Trying an answer again: the prompt is the same, the answer is not part of it."""
    memory = Memory(rewinds=False)
    cache = cache_of(memory)
    prompt = [1, 1, 1, 1, 2, 2, 2, 2, 3]
    cache.evaluate(prompt[:8])
    cache.checkpoint()
    cache.evaluate([*prompt[8:], 7, 7, 7])
    for _ in range(2):
        assert cache.reuse(prompt) == 8
        assert memory.tokens == prompt[:8]
        cache.evaluate([3, 7])


def test_wrong_guesses_leave_the_cache() -> None:
    memory = Memory()
    cache = cache_of(memory)
    cache.evaluate([1, 2, 3, 4, 5])
    cache.drop_last(2)
    assert cache.tokens == memory.tokens == [1, 2, 3]
    cache.drop_last(0)
    assert cache.tokens == [1, 2, 3]


TOKENS = st.lists(st.integers(0, 1), min_size=1, max_size=14)


@given(
    st.lists(st.tuples(TOKENS, st.none() | st.integers(0, 4), st.booleans()), max_size=8),
    st.booleans(),
    st.integers(0, 40),
)
def test_the_list_never_differs_from_the_memory(
    prompts: list[tuple[list[int], int | None, bool]], rewinds: bool, limit_bytes: int
) -> None:
    memory = Memory(rewinds=rewinds)
    cache = cache_of(memory, limit_bytes)
    for prompt, abort_after, checkpoint in prompts:
        kept = cache.reuse(prompt)
        assert kept < len(prompt)
        assert memory.tokens == cache.tokens == prompt[:kept]
        assert cache.shelf.size <= limit_bytes
        memory.abort_after = abort_after
        done = cache.evaluate(prompt[kept : kept + 4])
        if checkpoint:
            cache.checkpoint()
        assert memory.tokens == cache.tokens
        assert done == (abort_after is None)
