"""Forms of one conversation, for templates that refuse the form it has (case M-2)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

_NEUTRAL: Final = "Hello."
_BETWEEN: Final = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message as a template is given it."""

    role: str
    content: str
    reasoning: str = ""

    def variables(self) -> dict[str, str]:
        """Under the names that templates know."""
        message = {"role": self.role, "content": self.content}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        return message


Turns = tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A form of the conversation; `how` says in words what was done to it."""

    turns: Turns
    how: tuple[str, ...] = ()
    folded: bool = False
    """No system text is left, since it stands in a user's message."""


def variants_of(turns: Turns, *, fold: bool) -> Iterator[Variant]:
    """The conversation as it is, then what may be taken in its place, nearest first.

    Args:
        turns: The conversation; not changed.
        fold: The template is known to drop system texts, so only forms without them will do.
    """
    seen: set[Turns] = set()
    for start in (_same, _with_user_first):
        for variant in _forms(start(Variant(turns=turns))):
            if variant.turns in seen or (fold and not variant.folded and _has_system(variant)):
                continue
            seen.add(variant.turns)
            yield variant


def _forms(variant: Variant) -> Iterator[Variant]:
    yield variant
    yield _merge(variant)
    if _has_system(variant):
        folded = _fold(variant)
        yield folded
        yield _merge(folded)


def _same(variant: Variant) -> Variant:
    return variant


def _has_system(variant: Variant) -> bool:
    return any(turn.role == "system" for turn in variant.turns)


def _changed(before: Variant, turns: Turns, how: str) -> Variant:
    if turns == before.turns:
        return before
    return replace(before, turns=turns, how=(*before.how, how))


def _merge(variant: Variant) -> Variant:
    turns = tuple(
        _merged(role, tuple(run))
        for role, run in groupby(variant.turns, key=lambda turn: turn.role)
    )
    return _changed(variant, turns, "neighbouring messages of one role merged")


def _merged(role: str, run: Turns) -> Turn:
    if len(run) == 1:
        return run[0]
    return Turn(
        role=role,
        content=_joined(run, lambda turn: turn.content),
        reasoning=_joined(run, lambda turn: turn.reasoning),
    )


def _joined(turns: Sequence[Turn], text: Callable[[Turn], str]) -> str:
    return _BETWEEN.join(filter(None, map(text, turns)))


def _fold(variant: Variant) -> Variant:
    """Put each system text in front of the user's text that comes next."""
    turns: list[Turn] = []
    waiting: list[Turn] = []
    for turn in variant.turns:
        if turn.role == "system":
            waiting.append(turn)
        elif turn.role == "user":
            turns.append(_merged("user", (*waiting, turn)) if waiting else turn)
            waiting = []
        else:
            if waiting:
                turns.append(_merged("user", (*waiting, Turn(role="user", content=""))))
                waiting = []
            turns.append(turn)
    if waiting:
        turns.append(_merged("user", (*waiting, Turn(role="user", content=""))))
    how = "the system text put in front of the user's"
    return replace(_changed(variant, tuple(turns), how), folded=True)


def _with_user_first(variant: Variant) -> Variant:
    head = 0
    while head < len(variant.turns) and variant.turns[head].role == "system":
        head += 1
    if head < len(variant.turns) and variant.turns[head].role == "user":
        return variant
    if head == len(variant.turns) and head:
        return variant
    neutral = Turn(role="user", content=_NEUTRAL)
    turns = (*variant.turns[:head], neutral, *variant.turns[head:])
    return _changed(variant, turns, f"“{_NEUTRAL}” put in as the first user's message")
