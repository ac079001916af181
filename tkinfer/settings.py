"""The settings: a small TOML file, written whole and never half."""

import contextlib
import logging
import os
import threading
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from tkinfer.appearance import Appearance
from tkinfer.errors import SettingsError
from tkinfer.tables import MAX_MODELS, MAX_PRESETS, MAX_TEXT, Table, encodable, usable_tables

log = logging.getLogger(__name__)

FILE_NAME = "settings.toml"
MAX_RECENT = 8
MAX_IDLE_MINUTES = 10_080
"""A week."""


@dataclass(slots=True)
class Settings:
    """What the program remembers. Unknown or unusable entries of a file are ignored."""

    appearance: Appearance = Appearance.SYSTEM
    model: str = ""
    """The model to load at the next start."""
    loading: str = ""
    """The model that is being loaded; see tkinfer/models/guard.py."""
    distrusted: str = ""
    """The model whose loading has ended the program or its engine; not loaded by itself."""
    recent_models: list[str] = field(default_factory=list[str])
    window_size: str = ""
    """Width and height in pixels, as in `1000x740`."""
    zoom: int = 0
    """Steps away from the normal text size."""
    fonts_told: bool = False
    """The hint at coarse fonts was shown."""
    system_prompt: str = ""
    idle_minutes: float = 0.0
    """A model not used for so long is unloaded; 0 is never."""
    models: list[Table] = field(default_factory=list[Table])
    """What was tuned per model, newest first; see tkinfer/models/model_settings.py."""
    presets: list[Table] = field(default_factory=list[Table])
    """The user's own presets; see tkinfer/presets.py."""

    def remember_model(self, path: str) -> None:
        """Make this the model of the next start, and the first of the recent ones."""
        if not encodable(path):
            return  # TOML is UTF-8; such a file opens, but can't be remembered
        self.model = path
        others = [known for known in self.recent_models if known != path]
        self.recent_models = [path, *others][:MAX_RECENT]


def load(folder: Path) -> tuple[Settings, SettingsError | None]:
    """Read the settings. A file that can't be read is set aside under a new name and reported."""
    path = folder / FILE_NAME
    try:
        return _from_table(tomllib.loads(path.read_text(encoding="utf-8"))), None
    except FileNotFoundError:
        return Settings(), None
    except OSError as error:
        problem = SettingsError(
            f"The settings in {path} can't be read ({error.strerror}).",
            "The program goes on with its defaults; check the file's permissions.",
        )
        problem.__cause__ = error
        return Settings(), problem
    except ValueError as error:  # not TOML, or not UTF-8
        aside = _set_aside(path)
        problem = SettingsError(
            f"The settings file {path} was damaged; it was set aside as {aside.name}.",
            "The program goes on with its defaults.",
            detail=str(error),
        )
        problem.__cause__ = error
        return Settings(), problem


def save(settings: Settings, folder: Path) -> None:
    """Write to a temporary file, flush it to the disk, then put it in place of the old one.

    Raises:
        SettingsError: the folder can't be written.
    """
    import tempfile  # neither is needed to show the window

    import tomli_w

    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=FILE_NAME)
        try:
            with os.fdopen(handle, "wb") as file:
                tomli_w.dump(asdict(settings), file)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except (OSError, ValueError) as error:  # ValueError: a file name that UTF-8 can't hold
        msg = f"The settings can't be saved to {path} ({error})."
        raise SettingsError(msg, "Check the folder's permissions and free space.") from error


class SettingsKeeper:
    """Saves in the background: an fsync may take a second, and the window waits for nothing."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings = settings
        self._folder = folder
        self._thread: threading.Thread | None = None

    def save_soon(self) -> None:
        """Save what the settings are now, on a thread of its own."""
        snapshot = _from_table(asdict(self.settings))
        self._thread = threading.Thread(
            target=self._save, args=(snapshot, self._thread), name="settings", daemon=True
        )
        self._thread.start()

    def finish(self, timeout_s: float) -> None:
        """Wait for the last save."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _save(self, snapshot: Settings, earlier: threading.Thread | None) -> None:
        if earlier is not None:
            earlier.join()  # one at a time and in order: the last change wins
        try:
            save(snapshot, self._folder)
        except SettingsError:
            log.warning("the settings were not saved", exc_info=True)


def _from_table(table: dict[str, Any]) -> Settings:
    settings = Settings()
    with contextlib.suppress(ValueError):
        settings.appearance = Appearance(table.get("appearance", ""))
    for name in ("model", "loading", "distrusted"):
        if isinstance(table.get(name), str):
            setattr(settings, name, table[name])
    recent = table.get("recent_models")
    if isinstance(recent, list):
        paths = [path for path in cast("list[object]", recent) if isinstance(path, str)]
        settings.recent_models = paths[:MAX_RECENT]
    if isinstance(table.get("window_size"), str):
        settings.window_size = table["window_size"]
    zoom = table.get("zoom")
    if isinstance(zoom, int) and not isinstance(zoom, bool):
        settings.zoom = max(-6, min(16, zoom))
    settings.fonts_told = table.get("fonts_told") is True
    if isinstance(table.get("system_prompt"), str):
        settings.system_prompt = table["system_prompt"][:MAX_TEXT]
    minutes = table.get("idle_minutes")
    if isinstance(minutes, float) and 0 <= minutes <= MAX_IDLE_MINUTES:
        settings.idle_minutes = minutes
    settings.models = usable_tables(table.get("models"), "path", MAX_MODELS)
    settings.presets = usable_tables(table.get("presets"), "name", MAX_PRESETS)
    return settings


def _set_aside(path: Path) -> Path:
    for number in range(1, 1000):
        aside = path.with_name(f"{path.name}.damaged-{number}")
        if not aside.exists():
            with contextlib.suppress(OSError):
                path.rename(aside)
            return aside
    return path
