"""The jobs that wait for the engine: one that runs comes before all others."""

from collections import deque

from actors.messages import Generate, LoadModel, UnloadModel
from actors.turn import TurnId

Waiting = LoadModel | Generate | UnloadModel


class WaitingJobs:
    """In the order in which they were asked for, but a load first: answers are for its model."""

    def __init__(self) -> None:
        self._jobs: deque[Waiting] = deque()

    def add(self, job: Waiting) -> None:
        """Put a job behind the others."""
        self._jobs.append(job)

    def replace_loads(self, load: LoadModel) -> list[LoadModel]:
        """Put a load in front; returns the loads that waited, which are of no use any more."""
        replaced = [job for job in self._jobs if isinstance(job, LoadModel)]
        others = (job for job in self._jobs if not isinstance(job, LoadModel))
        self._jobs = deque([load, *others])
        return replaced

    def next(self) -> Waiting | None:
        """Take the job whose turn it is; None if none waits."""
        return self._jobs.popleft() if self._jobs else None

    def drop(self, turn: TurnId) -> bool:
        """Forget the job of this turn; False if it doesn't wait."""
        for job in self._jobs:
            if not isinstance(job, UnloadModel) and job.turn == turn:
                self._jobs.remove(job)
                return True
        return False
