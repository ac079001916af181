"""Where files live: settings, logs, and the assets that come with the program."""

import os
from pathlib import Path

HOME_VARIABLE = "TKINFER_HOME"
"""If set, settings and logs live in this folder: for portable installations and for tests."""


def config_dir() -> Path:
    """The folder of the settings file; it may not exist yet."""
    return _dir("config")


def log_dir() -> Path:
    """The folder of the log files; it may not exist yet."""
    return _dir("log")


def _dir(kind: str) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) if kind == "config" else Path(home) / kind
    from platformdirs import PlatformDirs  # 10 ms that the override saves

    dirs = PlatformDirs("tkinfer", appauthor=False)
    return dirs.user_config_path if kind == "config" else dirs.user_log_path


def asset(name: str) -> Path:
    """A file of assets/: inside the package when installed, beside it in a working copy."""
    package = Path(__file__).resolve().parent
    inside = package / "assets" / name
    return inside if inside.exists() else package.parent / "assets" / name
