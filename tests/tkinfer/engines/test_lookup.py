import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkinfer.engines.lookup import MOST, PromptLookup, Trust

PLAIN_S = 1.0
ENDS = 99


def lookup_of(tokens: list[int], most: int = MOST) -> PromptLookup:
    lookup = PromptLookup(tokens, ENDS.__eq__, most)
    lookup.plain(PLAIN_S)
    return lookup


def test_what_followed_before_is_guessed() -> None:
    lookup = lookup_of([1, 2, 3, 4, 5, 6, 7, 9, 9, 1, 2, 3])
    right = [4, 5, 6, 7, 9, 9]
    first = lookup.guess(100)
    assert len(first) >= 2
    assert first == right[: len(first)]
    lookup.add(4)
    second = lookup.guess(100)
    assert len(second) >= 2
    assert second == right[1 : len(second) + 1]


def test_the_latest_place_counts() -> None:
    lookup = lookup_of([1, 2, 3, 4, 4, 4, 1, 2, 3, 5, 5, 5, 1, 2, 3])
    assert lookup.guess(2) == [5, 5]


def test_nothing_is_guessed_behind_the_end_of_a_message() -> None:
    assert lookup_of([1, 2, 3, ENDS, 5, 6, 7, 1, 2, 3]).guess(100) == [ENDS]


def test_nothing_is_guessed_without_a_place_or_room_or_a_measured_token() -> None:
    assert lookup_of([1, 2, 3, 4, 5, 6]).guess(100) == []
    lookup = lookup_of([1, 2, 3, 4, 5, 6, 1, 2, 3])
    assert lookup.guess(0) == []
    assert lookup.guess(1) == []
    assert PromptLookup([1, 2, 3, 4, 5, 6, 1, 2, 3]).guess(100) == []


def copying(lookup: PromptLookup, rounds: int, cost: float) -> list[int]:
    """The lengths of guesses that are all right, where a token more costs so much."""
    lengths: list[int] = []
    for _ in range(rounds):
        guess = lookup.guess(100)
        lengths.append(len(guess))
        if not guess:
            break
        for token in guess:
            lookup.add(token)
        lookup.judged(len(guess), len(guess), (1 + cost * len(guess)) * PLAIN_S)
    return lengths


def test_guesses_grow_while_they_are_right() -> None:
    lengths = copying(lookup_of([*range(900), 0, 1, 2]), 12, cost=0.5)
    assert lengths[0] < lengths[-1] == MOST


def test_they_are_longer_where_a_batch_costs_little() -> None:
    cheap = copying(lookup_of([*range(900), 0, 1, 2]), 5, cost=0.05)
    dear = copying(lookup_of([*range(900), 0, 1, 2]), 5, cost=0.8)
    assert sum(cheap) > 2 * sum(dear)


def test_two_batches_tell_that_they_never_pay() -> None:
    lengths = copying(lookup_of([*range(900), 0, 1, 2]), 12, cost=0.95)
    assert lengths[-1] == 0
    assert len(lengths) <= 4


def test_a_batch_of_the_model_bounds_them() -> None:
    assert max(copying(lookup_of([*range(900), 0, 1, 2], most=4), 12, cost=0.1)) == 4


def test_guessing_pauses_when_it_does_not_pay_and_tries_again() -> None:
    lookup = lookup_of([*range(50), 0, 1, 2])
    tried = 0
    while guess := lookup.guess(100):
        tried += 1
        lookup.judged(len(guess), 0, 3 * PLAIN_S)
    assert 1 <= tried <= 8
    assert lookup.guess(100) == []  # it would be right now, too, but it rests
    for token in [*range(1000, 1100), 0, 1, 2]:
        lookup.add(token)
    guess = lookup.guess(100)
    assert guess == [*range(1000, 1100)][: len(guess)] != []


@pytest.mark.parametrize("hope", [0.3, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("cost", [0.05, 0.3, 0.5, 0.9])
def test_a_guess_is_as_long_as_its_last_token_pays(hope: float, cost: float) -> None:
    length = Trust(hope).length(cost)
    if length:
        assert hope**length >= cost > hope ** (length + 1)
    else:
        assert hope**2 < cost  # a guess of one token is not worth a batch


def test_trust_follows_what_was_right() -> None:
    trust = Trust(0.6)
    before = trust.length(0.3)
    trust.judged(2, 2)
    assert trust.length(0.3) >= before
    for _ in range(20):
        trust.judged(2, 2)
    after = trust.length(0.3)
    assert after > before
    for _ in range(20):
        trust.judged(after, 0)
    assert trust.length(0.3) == 0


def test_one_batch_that_was_held_up_does_not_end_guessing_for_good() -> None:
    lookup = lookup_of([*range(50), 0, 1, 2])
    guess = lookup.guess(100)
    lookup.judged(len(guess), len(guess), 50 * PLAIN_S)
    assert lookup.guess(100) == []
    for token in [*range(1000, 1100), 0, 1, 2]:
        lookup.add(token)
    assert lookup.guess(100)


def test_short_matches_do_not_spoil_long_ones() -> None:
    text = list(range(300))
    lookup = lookup_of([*text, *range(1000, 1050), 7, 8, 9])
    while guess := lookup.guess(100):
        lookup.judged(len(guess), 0, 3 * PLAIN_S)
    for token in text[100:120]:
        lookup.add(token)
    assert lookup.guess(100) == text[120 : 120 + len(lookup.guess(100))] != []


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(0, 50))
def test_a_guess_always_stood_behind_the_same_three_tokens(tokens: list[int], room: int) -> None:
    guess = lookup_of(tokens).guess(room)
    assert len(guess) <= room
    if guess:
        key = [*tokens[-3:], *guess]
        # The end of the text itself may be part of what followed.
        assert any(tokens[at : at + len(key)] == key for at in range(len(tokens) - 3))
