"""LoadGuard: a model whose loading takes the program or its engine down isn't loaded by itself."""

from tkinfer.settings import SettingsKeeper
from tkinfer.tables import encodable


class LoadGuard:
    """Keeps on disk which model is being loaded. One that is still noted when the program starts
    has ended it, or the whole machine: too little memory, a driver, a power cut. Main thread.
    """

    def __init__(self, keeper: SettingsKeeper) -> None:
        self._keeper = keeper
        self._settings = keeper.settings
        self.unfinished = self._settings.loading
        """The model that was being loaded when the program last ended; empty for none."""
        if self.unfinished:
            self._settings.distrusted, self._settings.loading = self.unfinished, ""

    def distrusts(self, path: str) -> bool:
        """Whether this model should only be loaded when the user asks for it."""
        return bool(path) and path == self._settings.distrusted

    def begins(self, path: str) -> None:
        """This model is about to be loaded."""
        if encodable(path):
            self._settings.loading = path
            self._keeper.save_soon()

    def loaded(self) -> None:
        """The model is in memory."""
        if self._settings.distrusted == self._settings.loading:
            self._settings.distrusted = ""
        self.over()

    def died(self) -> None:
        """The engine died, and if it was loading, of that."""
        if self._settings.loading:
            self._settings.distrusted = self._settings.loading
        self.over()

    def over(self) -> None:
        """The loading has ended in some other way, if one was under way."""
        if self._settings.loading:
            self._settings.loading = ""
            self._keeper.save_soon()
