"""What tuning asks of the rest of the program."""

from collections.abc import Callable
from dataclasses import dataclass

from actors.loading import LoadSpec


def _nobody(*_args: object) -> None:
    """The hook of a chain that isn't there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningHooks:
    """What tuning asks of the rest of the program. Each returns at once."""

    plan: Callable[[int, LoadSpec], None] = _nobody
    """Compute what a load would take; answered by `Tuning.planned` with the same number."""
    load: Callable[[str], None] = _nobody
    """Load this file with `Tuning.load_spec` of it."""
    unload: Callable[[], None] = _nobody
    unload_when_idle: Callable[[float | None], None] = _nobody
    """Seconds without work after which the model is unloaded; None: never."""
