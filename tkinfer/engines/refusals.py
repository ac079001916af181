"""Why llama.cpp refused a model, in words for the user."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tkinfer.errors import ModelLoadError

_MAX_CAUSE: Final = 200
_UPDATE: Final = "Update llama-cpp-python, or choose another model."
_MEMORY: Final = re.compile(
    r"(?:failed|unable) to allocate|out of memory|bad_alloc|allocate.* (?:buffer|memory)",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"(?:(?:error loading model[^:]*|failed to apply lora adapter): )+(?:\w+: )?(.*)"
)
_CACHE: Final = re.compile(r"[KV] cache type (\S+) with block size \d+ does not divide (\S+)")
_ADAPTER_CAUSES: Final = (
    (r"model arch and LoRA arch mismatch", "it was made for another kind of model"),
    (r"does not exist in base model|has incorrect shape", "it was made for another model"),
    (r"expect general\.type to be 'adapter'", "it is no adapter"),
    (r"expect adapter\.type to be 'lora'", "it is an adapter of another kind"),
    (r"within the file bounds", "its file is incomplete"),
)


class RefusedError(Exception):
    """llama.cpp returned nothing for a model or a context. `lines` are its errors, oldest first."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


class AdapterRefusedError(RefusedError):
    """llama.cpp returned nothing for the LoRA adapter at `path`."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self.path = path


def explain(path: str, refusal: RefusedError) -> ModelLoadError:
    """What llama.cpp's error lines mean; they stay in the details. `path` is the model's."""
    if isinstance(refusal, AdapterRefusedError):
        return _explain_adapter(path, refusal)
    name, said = Path(path).name, str(refusal)
    for pattern, words in _CAUSES:
        if match := pattern.search(said):
            what, next_step = words(name, match)
            return ModelLoadError(what, next_step, said)
    what = f"llama.cpp can't load {name}: {_cause(refusal) or 'no cause given'}."
    return ModelLoadError(what, "Choose another file; the details hold llama.cpp's log.", said)


def _cause(refusal: RefusedError) -> str:
    """`function: error loading model: cause`, or the first line: vaguer ones follow it."""
    said = (match[1] for line in refusal.lines if (match := _SAID.search(line)))
    cause = next(said, refusal.lines[0] if refusal.lines else "")
    return cause.rstrip(".")[:_MAX_CAUSE]


def _explain_adapter(path: str, refusal: AdapterRefusedError) -> ModelLoadError:
    name, said = Path(refusal.path).name, str(refusal)
    known = (words for pattern, words in _ADAPTER_CAUSES if re.search(pattern, said))
    cause = next(known, _cause(refusal) or "no cause given")
    what = f"The adapter {name} can't be used with {Path(path).name}: {cause}."
    return ModelLoadError(what, "Take it out, or choose another one.", said)


_Words = Callable[[str, re.Match[str]], tuple[str, str]]


def _architecture(name: str, match: re.Match[str]) -> tuple[str, str]:
    return f"{name}: architecture {match[1]} is not supported by this llama.cpp.", _UPDATE


def _tokenizer(name: str, match: re.Match[str]) -> tuple[str, str]:
    return f"{name}: tokenizer {match[1]} is not supported by this llama.cpp.", _UPDATE


def _damaged(name: str, match: re.Match[str]) -> tuple[str, str]:
    what = f"{name} is damaged: the weights of {match[1]} hold impossible numbers."
    return what, "Download it again, or choose another file."


def _cache_type(name: str, match: re.Match[str]) -> tuple[str, str]:
    what = f"{name} can't have a KV cache of type {match[1]}: its blocks don't fill the heads"
    return f"{what} ({match[2]}).", "Choose the type f16."


def _flash_attention(name: str, _: re.Match[str]) -> tuple[str, str]:
    what = f"{name} can't have a KV cache of this type without flash attention."
    return what, "Let flash attention be on or automatic, or choose the type f16."


def _memory(name: str, _: re.Match[str]) -> tuple[str, str]:
    what = f"There is not enough memory for {name}."
    return what, "Close other programs, or choose a smaller model or context."


_CAUSES: Final[tuple[tuple[re.Pattern[str], _Words], ...]] = (
    (re.compile(r"unknown model architecture: '([^']*)'"), _architecture),
    (re.compile(r"unknown (?:pre-tokenizer type|tokenizer): '([^']*)'"), _tokenizer),
    (re.compile(r"tensor '([^']*)' has invalid data"), _damaged),
    (_CACHE, _cache_type),
    (re.compile(r"quantized V cache requires flash_attn"), _flash_attention),
    (_MEMORY, _memory),
)
