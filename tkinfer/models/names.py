"""What a model is called."""

from pathlib import Path


def model_name(path: str) -> str:
    """The file's name without `.gguf`, letter for letter."""
    name = Path(path).name
    return name[: -len(".gguf")] if name.lower().endswith(".gguf") else name
