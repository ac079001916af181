"""The Engine protocol: what ModelActor asks of an engine, and the events that come back.

No method blocks its caller. Whatever happens is reported as an event to the sink, from any thread,
in the order in which it happened.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from actors.loading import LoadSpec, MemoryPlan
from actors.mailbox import Lane
from actors.sampling import Sampling
from actors.turn import Channel, EndReason, Figures, Phase, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of the prompt. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str
    reasoning: str = ""
    """What the model thought before `content`, for templates that keep it."""
    tokens: tuple[int, ...] = ()
    """The ids of an answer as the model made them, reasoning included; used where they fit the
    text, so that the prompt is token for token what the model saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFormat:
    """How messages become a prompt, where the user has chosen."""

    template: str = ""
    """The name of one of the model's templates; empty is its default."""
    override: str = ""
    """A Jinja template in place of the model's own."""
    thinking: bool | None = None
    """Whether the model is to think first (`enable_thinking`); None is the template's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest:
    """One answer to make. The engine may send `credit` pieces before it needs a grant."""

    turn: TurnId
    messages: tuple[ChatMessage, ...]
    resume: bool = False
    """The last message is an answer that was cut: go on with it."""
    format: PromptFormat = field(default_factory=PromptFormat)
    sampling: Sampling = field(default_factory=Sampling)
    credit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One of the templates that a model file brings. The default one's name is empty."""

    name: str
    source: str


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
    templates: tuple[Template, ...] = ()
    format: str = ""
    """Which chat format is used, and why if it isn't the model's own; in words."""
    can_think: bool = False
    """The template asks whether the model is to think first."""
    rewinds: bool = True
    """The KV cache can be cut anywhere (plain attention); else it goes back to checkpoints."""
    layers: int = 0
    plan: MemoryPlan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTokens:
    """The tokens of an answer as they were made, so that it can be gone on with exactly.

    `ends[i]` is how many characters of reasoning and answer together were decided by the first
    i + 1 tokens. A window that drew less keeps fewer tokens.
    """

    ids: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


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
class PromptReady:
    """The prompt is built, and its size known; nothing was evaluated yet."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    tokens: int
    left_out: int = 0
    """So many of the oldest messages (the system text not counted) have no room."""
    format: str = ""
    """Which chat format was used, and why if it isn't the model's own; in words."""
    fell_back: bool = False
    """It isn't what was asked for: worth telling the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The answer to `count`. `tokens` is None while no model is there to ask."""

    lane: ClassVar[Lane] = Lane.CONTROL
    query: int
    tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The answer to `plan`: what loading would take, or why it can't be."""

    lane: ClassVar[Lane] = Lane.CONTROL
    query: int
    plan: MemoryPlan | None
    error: Exception | None = None


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
    channel: Channel = Channel.ANSWER
    alternatives: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens in place of the piece's last one, with their probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFinished:
    """The answer ended by itself; all its pieces have been sent."""

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId
    reason: EndReason
    figures: Figures
    tokens: AnswerTokens = field(default_factory=AnswerTokens)


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
    tokens: AnswerTokens = field(default_factory=AnswerTokens)


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
    | PromptReady
    | PrefillProgress
    | Piece
    | EngineFinished
    | Aborted
    | EngineFailed
    | EngineKilled
    | Counted
    | Planned
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

    def count(self, query: int, text: str) -> None:
        """Count the tokens of a text, beside whatever runs. Answered by Counted, unless the engine
        dies.
        """

    def plan(self, query: int, spec: LoadSpec) -> None:
        """Compute what a load would take, behind what runs. Answered by Planned, unless the engine
        dies.
        """

    def kill(self) -> None:
        """End whatever the engine does at once, the model included. Answered by EngineKilled."""

    def close(self) -> None:
        """End the engine for good. Sends no event; waits at most about a second."""
