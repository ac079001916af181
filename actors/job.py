"""The engine's jobs: what ModelActor keeps about the one that runs, and what a successor needs."""

from collections.abc import Callable
from dataclasses import dataclass, field

from actors.clock import Clock, Timer
from actors.engine import Engine, ModelInfo
from actors.loading import LoadSpec
from actors.mailbox import LatestQueue
from actors.messages import Generate, Stop
from actors.output import OutputQueue
from actors.telemetry import RunMeter, Telemetry
from actors.turn import Phase, TurnId

NO_TURN = TurnId(0)


@dataclass(slots=True)
class EngineState:
    """What is in the engine, as far as it has told. Written by one ModelActor at a time; a
    successor goes on from it.
    """

    spec: LoadSpec | None = None
    """What the next Generate loads by itself if no model is in memory."""
    info: ModelInfo | None = None
    job_turn: TurnId = NO_TURN
    """The run that the engine works on."""
    job_phase: Phase = Phase.IDLE
    jobs: int = 0
    """How many jobs have begun."""
    idle_unload_s: float | None = None
    """Unload the model after so many seconds without a job; None: never."""


@dataclass(slots=True)
class Job:
    """What the engine does now."""

    turn: TurnId
    phase: Phase
    answer: Generate | None = None
    """The answer to make; in LOADING, once the model is there."""
    load: LoadSpec | None = None
    meter: RunMeter | None = None
    stop: Stop | None = None
    stop_phase: Phase = Phase.IDLE
    deadline: Timer | None = None
    overdue: bool = False
    silent: bool = False
    """Wound down for a predecessor that failed: its turn is over already, so no receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParts:
    """What a ModelActor works with; the same for each successor."""

    engine: Engine
    output: OutputQueue
    telemetry: LatestQueue[Telemetry]
    clock: Clock
    state: EngineState = field(default_factory=EngineState)
    no_model_error: Callable[[], Exception] = lambda: RuntimeError("No model is chosen.")
    stop_deadline_s: float = 1.0
