"""Writer: puts what a Composer makes into one place of a Text, and takes a tail away again."""

import itertools
import tkinter as tk
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from actors.drawing import DrawOp
from tkinfer.ui import tcl
from tkinfer.ui.bands import cap_image
from tkinfer.ui.composition import BARE_CAP, CAP, CHROME, Composed, Composer, Drawn
from tkinfer.ui.indices import Indices
from tkinfer.ui.tagdata import STOPS
from tkinfer.ui.thoughts import Thoughts

_numbers = itertools.count()
_image_names = itertools.count()

ConfigureStops = Callable[[str], None]
"""Gives a tag its tab stops, which stand in its name."""


class Writer:
    """Writes in front of the mark `end`. Its cost depends on what a call writes, not on what is
    there already: no index is computed from more than the tail, and a call is one insert.
    """

    def __init__(
        self, text: tk.Text, composer: Composer, end: str, configure_stops: ConfigureStops
    ) -> None:
        """`end` has right gravity, and stays behind all that is written."""
        self._text = text
        self._end = end
        self._configure_stops = configure_stops
        self._indices = Indices(text)
        number = next(_numbers)
        self._tail_mark: Final = f"writer.{number}.tail"
        self._table_mark: Final = f"writer.{number}.table"
        self.composer: Final = composer
        self._tail: Composed | None = None

    def draw(self, ops: Sequence[DrawOp]) -> bool:
        """Write operations; composing may raise, and then nothing was written. False: no change."""
        made, tail = self.composer.ops(ops)
        if not made.runs and not made.takes_back_table and tail is None and self._tail is None:
            self.composer.drawn(made)
            return False
        self.put(made, tail)
        return True

    def put(self, made: Composed, tail: Composed | None = None) -> None:
        """Write what was composed, and behind it what the next call takes away."""
        if made.takes_back_table:
            self._text.delete(self._table_mark, self._end)
            self._tail = None
        before = self._tail.runs if self._tail is not None else []
        behind = tail.runs if tail is not None else []
        same, runs = _beyond(before, [*made.runs, *behind])
        kept = self._steps(same)
        if kept < self._steps(before):
            self._text.delete(f"{self._tail_mark} +{kept} indices", self._end)
        self._insert(runs, made.opens_table - (len(made.runs) + len(behind) - len(runs)))
        self._put_caps(made.caps)
        self._mark(self._tail_mark, f"{self._end} -{self._steps(behind)} indices")
        self._tail = tail if behind else None
        self.composer.drawn(made)

    def begin_thoughts(self) -> Thoughts:
        """A fold for what the model thinks, here."""

        def writer(end: str) -> Writer:
            return Writer(self._text, self.composer.fresh(), end, self._configure_stops)

        return Thoughts(self._text, self._end, writer)

    def write(self, text: str, *tags: str) -> None:
        """Write text as it is."""
        self.put(self.composer.text(text, *tags))

    def settle(self) -> bool:
        """The tail stays: nothing that changes it will come. False: there is none."""
        if self._tail is None:
            return False
        self.composer.drawn(self._tail)
        self._tail = None
        return True

    def close(self) -> None:
        """Nothing more is written here."""
        self._text.mark_unset(self._tail_mark, self._table_mark)

    def _insert(self, runs: Sequence[Drawn], table_at: int) -> None:
        for tag in {tag for _, tags in runs for tag in tags if tag.startswith(STOPS)}:
            self._configure_stops(tag)
        if 0 <= table_at <= len(runs):
            self._insert_flat(runs[:table_at])
            self._mark(self._table_mark, self._end)
            runs = runs[table_at:]
        self._insert_flat(runs)

    def _insert_flat(self, runs: Sequence[Drawn]) -> None:
        if runs:
            flat = [part for run in runs for part in run]
            self._text.insert(self._end, *flat)  # pyright: ignore[reportArgumentType] - s, tags, s, tags

    def _put_caps(self, caps: Iterable[str]) -> None:
        for tag in caps:
            place = tcl.first_of_range(self._text, BARE_CAP)
            # Tk compares a new image's name with all others (until 8.6.14, ticket 737abf); names
            # that differ in their first characters make that cheap: 0.1 ms at 8,000, not 1.1 ms.
            name = f"{next(_image_names):08x}"[::-1]
            self._text.image_create(place, image=cap_image(tag), name=name)
            self._text.tag_remove(BARE_CAP, f"{place} +1c")
            for own in (CHROME, CAP, tag):
                self._text.tag_add(own, place)

    def _mark(self, mark: str, place: str) -> None:
        self._text.mark_set(mark, place)
        self._text.mark_gravity(mark, "left")

    def _steps(self, runs: Iterable[Drawn]) -> int:
        return sum(self._indices.steps(text) for text, _ in runs)


def _beyond(before: Sequence[Drawn], now: Sequence[Drawn]) -> tuple[list[Drawn], list[Drawn]]:
    """What both begin with, and what of the second comes behind that."""
    same: list[Drawn] = []
    rest = list(now)
    for text, tags in before:
        left = text
        while left and rest and rest[0][1] == tags:
            new = rest[0][0]
            common = new[: _common(left, new)]
            if common:
                same.append((common, tags))
            left = left[len(common) :]
            if len(common) == len(new):
                rest.pop(0)
            else:
                rest[0] = (new[len(common) :], tags)
            if not common:
                return same, rest
        if left:
            break
    return same, rest


def _common(one: str, two: str) -> int:
    """How many characters both begin with."""
    if two.startswith(one):
        return len(one)
    for place, (char, other) in enumerate(zip(one, two, strict=False)):
        if char != other:
            return place
    return min(len(one), len(two))
