"""Telemetry: what the chain measures, as snapshots that may be missed."""

from dataclasses import dataclass

from actors.turn import Phase, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """ModelActor -> window, through a LatestQueue: where the run is. Times are seconds."""

    turn: TurnId | None = None
    phase: Phase = Phase.IDLE
    load_fraction: float = 0.0
    prefill_done: int = 0
    prefill_total: int = 0
    answer_tokens: int = 0
    tokens_per_s: float = 0.0
    first_token_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HopSnapshot:
    """One hop's queue: data messages waiting now, and the most that ever waited."""

    name: str
    window: int
    queued: int
    high_water: int


TELEMETRY_INTERVAL_S = 0.1
"""Nobody reads figures that change faster, and laying them out costs the window 1 ms each time."""


class RunMeter:
    """Measures one answer as its pieces pass: time to first token and decoding speed."""

    def __init__(self, turn: TurnId, started_at: float) -> None:
        self._turn = turn
        self._started_at = started_at
        self._first_at: float | None = None
        self._last_at = started_at
        self._first_tokens = 0
        self._tokens = 0
        self._published_at = float("-inf")
        self.prefill_done = 0
        self.prefill_total = 0

    def piece(self, tokens: int, now: float) -> None:
        """Count a piece that arrived at this time."""
        if self._first_at is None:
            self._first_at = now
            self._first_tokens = tokens
        self._last_at = now
        self._tokens += tokens

    def due(self, now: float) -> bool:
        """Whether a sample is worth publishing; True at most once an interval."""
        if now - self._published_at < TELEMETRY_INTERVAL_S:
            return False
        self._published_at = now
        return True

    def sample(self, phase: Phase) -> Telemetry:
        """The figures as they stand."""
        first_at = self._first_at
        speed = 0.0
        if first_at is not None and self._last_at > first_at:
            # The first token's time is the prompt's, so it counts for neither side.
            speed = (self._tokens - self._first_tokens) / (self._last_at - first_at)
        return Telemetry(
            turn=self._turn,
            phase=phase,
            prefill_done=self.prefill_done,
            prefill_total=self.prefill_total,
            answer_tokens=self._tokens,
            tokens_per_s=speed,
            first_token_s=None if first_at is None else first_at - self._started_at,
        )
