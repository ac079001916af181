"""Why llama.cpp refused a model, in words for the user."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tkinfer.errors import ModelLoadError

_MAX_CAUSE: Final = 200
_ARCHITECTURE: Final = re.compile(r"unknown model architecture: '([^']*)'")
_TOKENIZER: Final = re.compile(r"unknown (?:pre-tokenizer type|tokenizer): '([^']*)'")
_MEMORY: Final = re.compile(r"(?:failed|unable) to allocate|out of memory|bad_alloc", re.IGNORECASE)


class RefusedError(Exception):
    """llama.cpp returned nothing for a model or a context. `lines` are its errors, oldest first."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


def explain(path: str, refusal: RefusedError) -> ModelLoadError:
    """What llama.cpp's error lines mean; they stay in the details."""
    name, said = Path(path).name, str(refusal)
    update = "Update llama-cpp-python, or choose another model."
    if match := _ARCHITECTURE.search(said):
        what = f"{name}: architecture {match[1]} is not supported by this llama.cpp."
        return ModelLoadError(what, update, said)
    if match := _TOKENIZER.search(said):
        what = f"{name}: tokenizer {match[1]} is not supported by this llama.cpp."
        return ModelLoadError(what, update, said)
    if _MEMORY.search(said):
        what = f"There is not enough memory for {name}."
        return ModelLoadError(what, "Close other programs, or choose a smaller model.", said)
    # `function: error loading model: cause` is logged first, and vaguer lines follow it.
    cause = refusal.lines[0].rsplit("error loading model: ", 1)[-1] if refusal.lines else ""
    what = f"llama.cpp can't load {name}: {cause.rstrip('.')[:_MAX_CAUSE] or 'no cause given'}."
    return ModelLoadError(what, "Choose another file; the details hold llama.cpp's log.", said)
