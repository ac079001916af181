"""ModelChoice: which model is chosen, which is loading, and which is really in memory."""

from dataclasses import dataclass

from actors.engine import ModelInfo
from actors.turn import TurnId
from tkinfer.models.names import model_name
from tkinfer.settings import Settings
from tkinfer.ui.view import EmptyState, ModelBadge, RecentModel


@dataclass(slots=True)
class Load:
    """A load that is under way."""

    turn: TurnId
    path: str
    fraction: float = 0.0


class ModelChoice:
    """The state behind the model button. The window never claims a model that isn't there.

    A chosen model need not be in memory: after a crash or an engine that was ended, the next Send
    loads it again by itself.
    """

    def __init__(self, settings: Settings, starter_path: str | None) -> None:
        self._settings = settings
        self._starter_path = starter_path
        self.load: Load | None = None
        self.info: ModelInfo | None = None
        """What is in memory."""
        self.path = ""
        """What the next Send uses; empty when nothing is chosen."""

    def begin(self, turn: TurnId, path: str) -> None:
        """This file is being loaded."""
        self.load, self.path = Load(turn, path), path

    def over(self, turn: TurnId) -> None:
        """The load of this turn has ended, in whatever way."""
        if self.load is not None and self.load.turn == turn:
            self.load = None

    def ready(self, info: ModelInfo) -> None:
        """A model is in memory; it is remembered for the next start."""
        self.info, self.path = info, info.path
        self._settings.remember_model(info.path)

    def lost(self, next_path: str | None) -> None:
        """No model is in memory; this one is loaded by the next Send."""
        self.info, self.path = None, next_path or ""

    def failed(self) -> None:
        """The file can't be loaded. A model that is in memory stays; `lost` tells if none is."""
        if self.info is not None:
            self.path = self.info.path

    @property
    def name(self) -> str:
        """The model's name as the user knows it: that of its file, letter for letter."""
        return model_name(self.load.path if self.load is not None else self.path)

    @property
    def context_size(self) -> int:
        """Tokens the loaded model's context holds; 0 without one."""
        return self.info.context_size if self.info is not None else 0

    def badge(self, loading: float | None) -> ModelBadge:
        """The model button; `loading` is the progress of an answer's own reload, if one runs."""
        load = self.load
        return ModelBadge(
            label=self.name,
            loading=load.fraction if load is not None else loading,
            loaded=self.info is not None,
            recent=tuple(
                RecentModel(path=path, label=model_name(path))
                for path in self._settings.recent_models
            ),
            starter_installed=self._starter_path is not None,
        )

    def empty_state(self) -> EmptyState:
        """What an empty chat says."""
        if self.load is not None:
            return EmptyState.LOADING
        return EmptyState.READY if self.path else EmptyState.NO_MODEL
