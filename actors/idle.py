"""When a model that nobody uses gives its memory back."""

from actors.clock import Clock, Timer
from actors.job import EngineState
from actors.messages import IdleTooLong
from actors.stage import Ref, post


class IdleUnload:
    """Tells ModelActor when no job has begun for as long as the user has set.

    On ModelActor's thread; the timer calls from the clock's own, and only posts.
    """

    def __init__(self, *, me: Ref, clock: Clock, state: EngineState) -> None:
        self._me = me
        self._clock = clock
        self._state = state
        self._timer: Timer | None = None

    def restart(self, *, busy: bool) -> None:
        """Count from now on, if there is a model to unload and nothing to do with it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        state, me = self._state, self._me
        seconds, jobs = state.idle_unload_s, state.jobs
        if seconds is not None and not busy and state.info is not None:
            self._timer = self._clock.call_later(seconds, lambda: post(me, IdleTooLong(jobs=jobs)))

    def is_due(self, jobs: int) -> bool:
        """Whether the model is to go now; `jobs` is how many had begun when the time began."""
        return jobs == self._state.jobs and self._state.info is not None
