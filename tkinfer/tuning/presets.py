"""Presets: sampling by name, for all models. Some are built in, the others are the user's own."""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from unicodedata import category

from actors.sampling import Sampling
from tkinfer.models.model_settings import complete, read_sampling
from tkinfer.tables import MAX_PRESETS, Table
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.sampling_fields import SAMPLER_FIELDS

MAX_NAME = 200
"""Characters of a preset's name."""
_UNUSABLE = ("Cc", "Cs")
"""Control characters and lone surrogates. Joiners and marks belong to many scripts, and stay."""

_BUILT_IN: Mapping[str, Sampling] = {
    "Balanced": Sampling(),
    "Precise": Sampling(temperature=0.2, top_p=0.9, min_p=0.1),
    "Creative": Sampling(temperature=1.1, top_k=0, top_p=1.0, min_p=0.03),
    "Greedy": Sampling(temperature=0.0),
}
BUILT_IN = tuple(_BUILT_IN)
"""Their names. A built-in preset sets the samplers and leaves the rest: seed, longest answer, stop
strings, grammar, biases.
"""


class Presets:
    """The built-in presets, and the user's own in a list that belongs to the settings file."""

    def __init__(self, tables: list[Table]) -> None:
        """Tables whose names can't be used go."""
        known: dict[str, Table] = {}
        for table in tables:
            with contextlib.suppress(FieldError):
                if checked_name(table["name"]) == table["name"]:
                    known.setdefault(table["name"], table)
        tables[:] = list(known.values())[:MAX_PRESETS]
        self._tables = tables

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the user's own, sorted as people sort."""
        return tuple(sorted((table["name"] for table in self._tables), key=_sorted_by))

    def is_own(self, name: str) -> bool:
        """Whether it can be deleted."""
        return any(table["name"] == name for table in self._tables)

    def __contains__(self, name: str) -> bool:
        return name in _BUILT_IN or self.is_own(name)

    def apply(self, name: str, sampling: Sampling) -> Sampling:
        """This sampling with all that the preset sets; unchanged if there is no such preset."""
        if (built_in := _BUILT_IN.get(name)) is not None:
            return replace(sampling, **{one: getattr(built_in, one) for one in SAMPLER_FIELDS})
        for table in self._tables:
            if table["name"] == name:
                return read_sampling(table.get("sampling"))
        return sampling

    def matching(self, sampling: Sampling, preferred: str = "") -> str:
        """The name of a preset that this sampling is, the preferred one first; or nothing."""
        for name in (preferred, *BUILT_IN, *self.own):
            if name in self and self.apply(name, sampling) == sampling:
                return name
        return ""

    def save(self, name: str, sampling: Sampling) -> str:
        """Keep this sampling, in place of an earlier one of that name; return the name as kept.

        Raises:
            FieldError: the name can't be used, or there are too many.
        """
        kept = checked_name(name)
        others = [table for table in self._tables if table["name"] != kept]
        if len(others) >= MAX_PRESETS:
            msg = f"There are {MAX_PRESETS} presets already; delete one first."
            raise FieldError(msg)
        self._tables[:] = [{"name": kept, "sampling": complete(sampling)}, *others]
        return kept

    def delete(self, name: str) -> None:
        """Forget one of the user's own; a built-in one stays."""
        self._tables[:] = [table for table in self._tables if table["name"] != name]

    def snapshot(self) -> list[Table]:
        """For `restore`."""
        return list(self._tables)

    def restore(self, tables: list[Table]) -> None:
        """Have the user's own presets as they were."""
        self._tables[:] = tables


def checked_name(name: str) -> str:
    """A preset's name as it is kept: on one line, without spaces at its ends.

    Raises:
        FieldError: nothing is left of it, it is too long, or a built-in one has it.
    """
    kept = "".join(char for char in name if char.isspace() or category(char) not in _UNUSABLE)
    kept = " ".join(kept.split())
    if not any(char.isprintable() and char != " " for char in kept):
        msg = "A preset needs a name."
        raise FieldError(msg)
    if len(kept) > MAX_NAME:
        msg = f"A name has at most {MAX_NAME} characters; this has {len(kept):,}."
        raise FieldError(msg)
    if kept.casefold() in {built_in.casefold() for built_in in BUILT_IN}:
        msg = f"“{kept}” is built in; choose another name."
        raise FieldError(msg)
    return kept


def _sorted_by(name: str) -> tuple[str, str]:
    return name.casefold(), name
