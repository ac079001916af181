"""Winding down: what ModelActor does between a Stop and its receipt."""

from collections.abc import Callable

from actors.engine import Aborted, AnswerTokens
from actors.job import Job, ModelParts
from actors.mailbox import BoundedMailbox
from actors.messages import Stop, StopOverdue, Stopped
from actors.outlet import Outlet
from actors.stage import Ref, post
from actors.telemetry import Telemetry
from actors.turn import Phase, StopReason, TurnId

NO_TOKENS = AnswerTokens()


class Stops:
    """Aborts the engine, waits for its answer or ends it, and gives each Stop its one receipt."""

    def __init__(
        self,
        *,
        me: Ref,
        mailbox: BoundedMailbox,
        parts: ModelParts,
        outlet: Outlet,
        end_job: Callable[[], None],
    ) -> None:
        self._me = me
        self._mailbox = mailbox
        self._engine = parts.engine
        self._output = parts.output
        self._telemetry = parts.telemetry
        self._clock = parts.clock
        self._state = parts.state
        self._deadline_s = parts.stop_deadline_s
        self._outlet = outlet
        self._end_job = end_job

    def begin(self, job: Job, stop: Stop) -> None:
        """Stop a running job."""
        job.stop, job.stop_phase, job.phase = stop, job.phase, Phase.STOPPING
        self._telemetry.put(Telemetry(turn=job.turn, phase=Phase.STOPPING))
        self.drop_text(stop)
        if job.stop_phase is Phase.LOADING:
            # mmap's read-ahead cannot be cancelled from within, and a half-loaded model is worth
            # nothing: ending the process takes 16-21 ms (measured).
            self._engine.kill()
            return
        self._engine.abort(job.turn)
        me, turn = self._me, job.turn
        job.deadline = self._clock.call_later(
            self._deadline_s, lambda: post(me, StopOverdue(turn=turn))
        )

    def drop_text(self, stop: Stop) -> None:
        """Throw away what there is of a turn, here and further down the chain."""
        self._mailbox.discard_turn(stop.turn)
        self._outlet.drop(stop)

    def overdue(self, job: Job | None, turn: TurnId) -> None:
        """The deadline of this turn's abort has passed: end the engine, if it still counts."""
        if job is not None and job.turn == turn and job.stop is not None and not job.overdue:
            job.overdue = True
            self._engine.kill()

    def aborted(self, job: Job | None, event: Aborted) -> None:
        """The engine has answered an abort."""
        if job is None or job.turn != event.turn or job.stop is None or job.overdue:
            return  # when overdue, the kill's own answer ends it
        phase = job.stop_phase if event.phase is Phase.IDLE else event.phase
        self.finish(job, phase, killed=False, tokens=event.tokens)

    def finish(
        self, job: Job, phase: Phase, *, killed: bool, tokens: AnswerTokens = NO_TOKENS
    ) -> None:
        """The engine does nothing for the job any more: close it, with a receipt."""
        assert job.stop is not None, "only a stopped job is wound down"
        if job.deadline is not None:
            job.deadline.cancel()
        self._mailbox.discard_turn(job.turn)
        if killed and job.load is not None and self._state.spec is None:
            self._state.spec = job.load  # the next Send loads it by itself
        self._end_job()
        if not job.silent:
            self._output.tell(
                Stopped(
                    turn=job.stop.turn,
                    phase=phase,
                    reason=job.stop.reason,
                    latency_ms=self._ms_since(job.stop.clicked_at),
                    killed=killed,
                    overdue=job.overdue,
                    tokens=tokens,
                )
            )

    def receipt_at_once(
        self, turn: TurnId, phase: Phase, reason: StopReason, clicked_at: float | None = None
    ) -> None:
        """There is nothing to wind down."""
        latency_ms = 0.0 if clicked_at is None else self._ms_since(clicked_at)
        self._output.tell(Stopped(turn=turn, phase=phase, reason=reason, latency_ms=latency_ms))

    def _ms_since(self, clicked_at: float) -> float:
        return (self._clock.now() - clicked_at) * 1000
