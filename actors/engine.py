"""The Engine protocol: what ModelActor asks of an engine, and the events that come back.

No method blocks its caller. Whatever happens is reported as an event to the sink, from any thread,
in the order in which it happened.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from actors.mailbox import Lane
from actors.turn import EndReason, Figures, Phase, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of the prompt. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen. A temperature of 0 takes the likeliest token always."""

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    repeat_last_n: int = 64
    seed: int | None = None
    """None draws a new seed for each answer."""
    max_tokens: int | None = None
    """None lets the answer grow until the context is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSpec:
    """Which model to load, and how. None leaves the choice to the engine."""

    path: str
    context_size: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest:
    """One answer to make. The engine may send `credit` pieces before it needs a grant."""

    turn: TurnId
    messages: tuple[ChatMessage, ...]
    sampling: Sampling = field(default_factory=Sampling)
    credit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What is known of a loaded model."""

    path: str
    name: str
    description: str = ""
    size_bytes: int = 0
    context_size: int = 0
    context_train: int = 0
    threads: int = 0
    template: str = ""
    """Where the chat format came from: `model`, or the name of the fallback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProgress:
    """How far a load has come, 0 to 1. Sent at most some twenty times a second."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The model is ready."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    info: ModelInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFailed:
    """The model was not loaded. `still_loaded` is the earlier model, if it is still usable."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    error: Exception
    still_loaded: ModelInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unloaded:
    """The model's memory was given back."""

    lane: ClassVar[Lane] = Lane.CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillProgress:
    """Prompt tokens evaluated so far, of all. Sent at most some twenty times a second."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Text of the answer, in order, numbered from 0. Costs one credit."""

    lane: ClassVar[Lane] = Lane.DATA
    turn: TurnId
    seq: int
    text: str
    tokens: int = 1
    """Answer tokens this text stands for; 0 or more, since a character may need several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFinished:
    """The answer ended by itself; all its pieces have been sent."""

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId
    reason: EndReason
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Aborted:
    """The answer to every `abort`, also when the turn had ended or was never known (phase IDLE).

    Nothing of the turn follows, and the engine computes nothing for it any more. An engine that
    dies before it has answered sends EngineFailed in its place.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    phase: Phase
    tokens_evaluated: int = 0
    tokens_kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFailed:
    """The engine broke: refused the request (`model_lost` False), or died with its model.

    In order behind the pieces that were sent before. `turn` is the run it worked on, if any.
    """

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId | None
    error: Exception
    model_lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKilled:
    """The answer to `kill`: the engine is gone with its model, and a fresh one can be used."""

    lane: ClassVar[Lane] = Lane.CONTROL


EngineEvent = (
    LoadProgress
    | Loaded
    | LoadFailed
    | Unloaded
    | PrefillProgress
    | Piece
    | EngineFinished
    | Aborted
    | EngineFailed
    | EngineKilled
)
EventSink = Callable[[EngineEvent], None]


class Engine(Protocol):
    """A model runner. Called on ModelActor's thread, except `connect` and `close`."""

    def connect(self, sink: EventSink) -> None:
        """Send events to `sink` from now on; what was meant for an earlier sink may be lost."""

    def load(self, turn: TurnId, spec: LoadSpec) -> None:
        """Load a model in place of the one there. Ends in Loaded, LoadFailed or EngineFailed."""

    def unload(self) -> None:
        """Give the model's memory back. Answered by Unloaded."""

    def start(self, request: GenerateRequest) -> None:
        """Make an answer. Ends in EngineFinished, EngineFailed or, after `abort`, Aborted."""

    def grant(self, turn: TurnId, pieces: int) -> None:
        """Let the engine send so many pieces more of this turn."""

    def abort(self, turn: TurnId) -> None:
        """Stop a turn. Answered by one Aborted, whatever its state, unless the engine dies."""

    def kill(self) -> None:
        """End whatever the engine does at once, the model included. Answered by EngineKilled."""

    def close(self) -> None:
        """End the engine for good. Sends no event; waits at most about a second."""
