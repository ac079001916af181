"""ModelRuns: loading and unloading, and what the window shows of the model."""

import logging
import os

from actors.messages import LoadModel, ModelLost, ModelReady, UnloadModel
from actors.turn import StopReason, TurnId
from tkinfer.jobs import Jobs
from tkinfer.models.choice import Load, ModelChoice
from tkinfer.models.guard import LoadGuard
from tkinfer.models.names import model_name
from tkinfer.settings import SettingsKeeper
from tkinfer.status_line import StatusLine
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.view import ModelBadge, Notice, NoticeAction, Tone, View

log = logging.getLogger(__name__)


class ModelRuns:
    """Keeps the choice of model in step with the engine. Main thread."""

    def __init__(
        self,
        *,
        view: View,
        jobs: Jobs,
        status: StatusLine,
        tuning: Tuning,
        keeper: SettingsKeeper,
        starter_path: str | None,
    ) -> None:
        self._view = view
        self._jobs = jobs
        self._status = status
        self._tuning = tuning
        self._keeper = keeper
        self._starter_path = starter_path
        self._guard = LoadGuard(keeper)
        self._guarded: TurnId | None = None
        """The run whose loading is noted."""
        self._badge: ModelBadge | None = None
        self.choice = ModelChoice(keeper.settings, starter_path)

    def load(self, path: str) -> None:
        """Load this file in place of the model there is."""
        turn = self._jobs.begin()
        self.choice.begin(turn, path)
        self._guard_begins(turn, path)
        self._jobs.tell(LoadModel(turn=turn, spec=self._tuning.load_spec(path)))

    def at_start(self) -> tuple[str, str]:
        """The model to load at the start, and one that is not loaded by itself; or empty ones."""
        remembered = self._keeper.settings.model
        there = remembered and os.path.exists(remembered)  # noqa: PTH110 - a string of any script
        path = remembered if there else self._starter_path or ""
        if self._guard.distrusts(path):
            return "", path
        return path, self._guard.unfinished

    def answer_begins(self, turn: TurnId) -> None:
        """If no model is in memory, this run loads the chosen one first."""
        if self.choice.info is None and self.choice.load is None:
            self._guard_begins(turn, self.choice.path)

    def _guard_begins(self, turn: TurnId, path: str) -> None:
        self._guarded = turn
        self._guard.begins(path)

    def cancel(self, load: Load) -> None:
        """Stop this loading. It is shown at once; ending the engine takes some 50 ms."""
        self.choice.over(load.turn)
        self._jobs.stop(load.turn, StopReason.USER)

    def unload(self) -> None:
        """Give the model's memory back."""
        self._jobs.tell(UnloadModel())

    def ready(self, ready: ModelReady) -> None:
        """A model is in memory; it is remembered for the next start."""
        self.choice.ready(ready.info)
        self._tuning.model_loaded(ready.info)
        self._guard.loaded()
        self.over(ready.turn)
        self._keeper.save_soon()

    def lost(self, lost: ModelLost) -> None:
        """No model is in memory."""
        self.choice.lost(lost.next_path)
        self._tuning.model_gone(lost.next_path)
        if lost.error is not None:
            self._guard.died()

    def failed(self, error: Exception) -> None:
        """A file can't be loaded. A model that is in memory stays."""
        log.warning("a model was not loaded", exc_info=error)
        self.choice.failed()
        self._tuning.load_failed()

    def over(self, turn: TurnId) -> None:
        """This run has ended, in whatever way; if it was to load a model, that has too."""
        self.choice.over(turn)
        if turn == self._guarded:
            self._guard.over()

    def close(self) -> None:
        """The program ends, and with it a loading that is under way."""
        self._guard.over()

    def show(self, *, reloading: bool) -> None:
        """Bring the model button up to date. An answer's own run may be `reloading` the model."""
        badge = self.choice.badge(self._status.sample.load_fraction if reloading else None)
        if badge != self._badge:
            self._badge = badge
            self._view.show_model(badge)


def distrust_notice(path: str, action: NoticeAction) -> Notice:
    """Why a model was not loaded at the start."""
    return Notice(
        what=f"{model_name(path)} was not loaded: loading it has ended the program or its engine.",
        next_step="It may be too large for this computer's memory, or its file may be damaged.",
        detail=path,
        tone=Tone.WARNING,
        action=action,
    )
