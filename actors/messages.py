"""Every message of the chain: one class per intent, with its lane, sender and receiver."""

from dataclasses import dataclass, field
from typing import ClassVar

from actors.drawing import DrawOp
from actors.engine import (
    AnswerTokens,
    ChatMessage,
    Counted,
    ModelInfo,
    Planned,
    PromptFormat,
    PromptReady,
)
from actors.loading import LoadSpec
from actors.mailbox import Lane
from actors.sampling import Sampling
from actors.turn import Channel, EndReason, Figures, Phase, StopReason, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadModel:
    """Window -> ModelActor: load this model; whatever runs is stopped first."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    spec: LoadSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadModel:
    """Window -> ModelActor: give the model's memory back."""

    lane: ClassVar[Lane] = Lane.CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Window -> ModelActor: answer these messages. `sent_at` is in seconds on the chain's clock."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    messages: tuple[ChatMessage, ...]
    resume: bool = False
    """The last message is an answer that was cut: go on with it."""
    format: PromptFormat = field(default_factory=PromptFormat)
    sampling: Sampling
    sent_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTokens:
    """Window -> ModelActor: how many tokens is this text? Answered by Counted, if a model is there.

    A later query makes earlier ones worthless.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    query: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLoad:
    """Window -> ModelActor: what would loading this take? Answered by Planned."""

    lane: ClassVar[Lane] = Lane.CONTROL
    query: int
    spec: LoadSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadWhenIdle:
    """Window -> ModelActor: unload the model after so many seconds without work; None: never."""

    lane: ClassVar[Lane] = Lane.CONTROL
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Window -> ModelActor -> RelayActor -> RendererActor: drop this turn. May come twice.

    `clicked_at` is the time of the click on the chain's clock, in seconds.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    reason: StopReason
    clicked_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GoesOn:
    """ModelActor -> RendererActor: what comes of this turn goes on with this text, which is drawn
    already.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopOverdue:
    """ModelActor's timer -> ModelActor: the engine has not answered the abort of this turn."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleTooLong:
    """ModelActor's timer -> ModelActor: nothing was asked of the model since this count of jobs."""

    lane: ClassVar[Lane] = Lane.CONTROL
    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Whoever starts an actor -> that actor: answered by `True` once it works."""

    lane: ClassVar[Lane] = Lane.CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Receiver -> sender of one hop: so many data messages more may be sent."""

    lane: ClassVar[Lane] = Lane.CONTROL
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenChunk:
    """ModelActor -> RelayActor: decoded text, in generation order."""

    lane: ClassVar[Lane] = Lane.DATA
    turn: TurnId
    seq: int
    text: str
    tokens: int
    channel: Channel = Channel.ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBatch:
    """RelayActor -> RendererActor: one or more chunks of one turn, joined."""

    lane: ClassVar[Lane] = Lane.DATA
    turn: TurnId
    first_seq: int
    pieces: int
    text: str
    channel: Channel = Channel.ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOps:
    """RendererActor -> window: what to draw for one batch, in order."""

    lane: ClassVar[Lane] = Lane.DATA
    turn: TurnId
    first_seq: int
    pieces: int
    ops: tuple[DrawOp, ...]
    channel: Channel = Channel.ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """ModelActor -> ... -> window, behind the turn's last text: the answer is complete."""

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId
    reason: EndReason
    figures: Figures
    tokens: AnswerTokens = field(default_factory=AnswerTokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """ModelActor -> ... -> window, behind the turn's last text: the run broke. Text is kept."""

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId
    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """ModelActor -> window: the receipt of a Stop. The engine is idle `latency_ms` after the click.

    `killed` says that the engine process was ended for it and the model must be loaded again.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    phase: Phase
    reason: StopReason
    latency_ms: float
    killed: bool = False
    overdue: bool = False
    """The engine did not answer in time; that is why it was ended."""
    tokens: AnswerTokens = field(default_factory=AnswerTokens)
    """Of the stopped answer, as far as the engine still knew them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReady:
    """ModelActor -> window: the run that loads a model has ended well."""

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    info: ModelInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLost:
    """ModelActor -> window: no model is in memory now. `error` is None when that was asked for.

    `next_path` is the file that the next Generate loads by itself, or None if there is none.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    error: Exception | None
    next_path: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenChoice:
    """ModelActor -> window: what else the model could have written, if that was asked for.

    One for each piece, so the engine's credit bounds them too: none is made while text waits.
    """

    lane: ClassVar[Lane] = Lane.CONTROL
    turn: TurnId
    text: str
    """The piece; its last token is the one that was chosen."""
    alternatives: tuple[tuple[str, float], ...]
    """The likeliest tokens in that place with their probabilities, likeliest first."""


ModelInbox = (
    LoadModel
    | UnloadModel
    | UnloadWhenIdle
    | IdleTooLong
    | Generate
    | CountTokens
    | PlanLoad
    | Stop
    | StopOverdue
    | Ping
    | Credit
)
RelayInbox = TokenChunk | Finished | Failed | Stop | Credit | Ping
RendererInbox = TextBatch | Finished | Failed | GoesOn | Stop | Credit | Ping
TurnEnd = Finished | Failed
News = Stopped | ModelReady | ModelLost | PromptReady | Counted | Planned | TokenChoice
"""What the window learns outside the order of the text."""
