"""A turn's identity, the phases it passes through, and how it may end."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

TurnId = NewType("TurnId", int)
"""One run: an answer, or the loading of a model. Later runs have greater numbers."""


class Phase(StrEnum):
    """Where a run is. The values are stable names for logs and benches, not words for the user."""

    IDLE = "idle"
    QUEUED = "queued"
    LOADING = "loading"
    PREFILL = "prefill"
    DECODE = "decode"
    DRAWING = "drawing"
    STOPPING = "stopping"


class Channel(StrEnum):
    """What a piece of text is."""

    ANSWER = "answer"
    REASONING = "reasoning"


class EndReason(StrEnum):
    """Why the engine ended an answer by itself."""

    END_OF_TEXT = "end_of_text"
    STOP_STRING = "stop_string"
    LENGTH = "length"
    CONTEXT_FULL = "context_full"


class StopReason(StrEnum):
    """Why a run was stopped from outside."""

    USER = "user"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one answer cost, as the engine measured it. Times are seconds."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    answer_tokens: int = 0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    first_token_s: float = 0.0
    paused_s: float = 0.0
    context_used: int = 0
    context_size: int = 0
    reasoning_tokens: int = 0
    """Of the answer's tokens, so many were reasoning."""
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    """Tokens that prompt lookup guessed, and those that were right."""
    seed: int | None = None
    """With which the same settings give the same answer again."""

    @property
    def tokens_per_s(self) -> float:
        """Decoding speed without the time in which the engine waited for credit."""
        busy = self.decode_s - self.paused_s
        return self.answer_tokens / busy if busy > 0 else 0.0
