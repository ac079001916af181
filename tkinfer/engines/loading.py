"""Loading a model: is the file good, does it fit, then read it, then load it."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors.loading import LoadSpec, MemoryPlan
from tkinfer.engines import ram
from tkinfer.engines.llama import devices, weights
from tkinfer.engines.llama import model as llama
from tkinfer.engines.llama.plan import make_plan
from tkinfer.engines.load_options import check_options
from tkinfer.engines.refusals import RefusedError, explain
from tkinfer.engines.turns import TurnGate
from tkinfer.errors import ModelFileError, ModelLoadError
from tkinfer.models.gguf import GgufHeader, read_header

READ_BYTES: Final = 8 * 1024 * 1024
"""Read between two looks at the abort flag: 4 ms from memory, 80 ms from a slow disk."""
_READ_SHARE: Final = 0.7
"""Of the progress bar, for reading the file; from a disk it takes most of the time."""
_PROGRESS_S: Final = 0.05
_NOT_FOR_CHAT: Final = re.compile(r"bert|^t5")
"""Architectures that make embeddings or need an encoder's pass first."""
_LORA: Final = "lora"

Report = Callable[[float], None]


class ProgressBar:
    """Passes fractions on, never backwards, and at most twenty times a second."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._fraction = -1.0
        self._told = float("-inf")

    def show(self, fraction: float) -> None:
        now = time.perf_counter()
        if fraction > self._fraction and (now - self._told >= _PROGRESS_S or fraction >= 1):
            self._fraction, self._told = fraction, now
            self._report(fraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freed:
    """Memory that is in use now, and free before a load begins. Bytes."""

    ram: int = 0
    gpu: int = 0


def plan(spec: LoadSpec, *, freed: Freed | None = None) -> MemoryPlan:
    """What loading this would take; nothing is loaded, and a model in use stays so.

    0.1 s for a vocabulary of 49,000 tokens, up to 1 s for one of 262,000.

    Args:
        spec: what is to be loaded; with `ignore_memory` there is a plan even if it doesn't fit.
        freed: what a model in use gives back before, see `freed_by`.

    Raises:
        ModelFileError, ModelLoadError: it will not load, or doesn't fit.
    """
    return check(spec, freed=freed)[1]


def check(spec: LoadSpec, *, freed: Freed | None = None) -> tuple[GgufHeader, MemoryPlan]:
    """Find out what can be found out before the model in use has to go, as `plan` does."""
    freed = freed or Freed()
    check_options(spec)
    header = read_header(spec.path)
    _check_kind(header)
    for lora in spec.loras:
        _check_adapter(lora.path, header)
    free = ram.available_bytes() + freed.ram
    try:
        return header, make_plan(
            spec, header, devices.gpus(), free_bytes=free, freed_gpu_bytes=freed.gpu
        )
    except RefusedError as refusal:
        raise explain(header.path, refusal) from refusal


def freed_by(loaded: MemoryPlan | None, spec: LoadSpec) -> Freed:
    """What a loaded model will give back that isn't free yet.

    Mapped weights don't count: the system may take these pages for others all the time.
    """
    if loaded is None:
        return Freed()
    held = loaded.total_bytes - loaded.gpu_bytes
    mapped = loaded.weights_bytes if spec.mmap and not spec.mlock else 0
    return Freed(ram=max(0, held - mapped), gpu=loaded.gpu_bytes)


def _check_kind(header: GgufHeader) -> None:
    name = Path(header.path).name
    if header.kind == "adapter":
        what = f"{name} is an adapter, not a model."
        raise ModelLoadError(what, "Choose the model it was made for, and add it to that.")
    if header.kind == "mmproj" or header.architecture == "clip":
        what = f"{name} is only the part of a model that sees pictures."
        raise ModelLoadError(what, "Choose the model itself.")
    if _NOT_FOR_CHAT.search(header.architecture):  # would end in a failed assertion at Send
        what = f"{name} can't chat: {header.architecture} models only read text."
        raise ModelLoadError(what, "Choose a chat model.")


def _check_adapter(path: str, model: GgufHeader) -> None:
    name, base = Path(path).name, Path(model.path).name
    fix = "Take it out, or choose another one."
    try:
        adapter = read_header(path)
    except ModelFileError as error:
        what = f"The adapter can't be used: {error.what}"
        raise ModelLoadError(what, fix) from error
    if adapter.kind != "adapter" or adapter.adapter != _LORA:
        what = f"{name} is not a LoRA adapter."
        raise ModelLoadError(what, fix)
    if adapter.architecture != model.architecture:
        made_for = f"it was made for {adapter.architecture} models, and this one is"
        what = f"The adapter {name} can't be used with {base}: {made_for} {model.architecture}."
        raise ModelLoadError(what, fix)


def read_ahead(header: GgufHeader, gate: TurnGate, bar: ProgressBar) -> None:
    """Bring the file into the page cache, with progress and abort.

    llama.cpp maps the file and lets the kernel read all of it inside one call, which takes as
    long as the disk takes and tells nothing. A file larger than the memory that is free is not
    read: its first pages would be gone before they are used.

    Raises:
        ModelFileError: the file can't be read any more.
        TurnAbortedError: the load was aborted.
    """
    bar.show(0.0)
    if header.size_bytes > ram.available_bytes():
        return
    buffer = bytearray(READ_BYTES)
    done = 0
    for part in header.parts:
        try:
            with Path(part).open("rb", buffering=0) as file:
                while count := file.readinto(buffer):
                    gate.check()
                    done += count
                    bar.show(_READ_SHARE * min(1.0, done / header.size_bytes))
        except OSError as error:
            what = f"{Path(part).name} can't be read: {error.strerror or error}."
            raise ModelFileError(what, "Check the disk, or choose another file.") from error


def load(spec: LoadSpec, plan: MemoryPlan, gate: TurnGate, bar: ProgressBar) -> llama.Model:
    """Load the model as planned. The last step to 1 is left to the caller.

    Raises:
        ModelLoadError: llama.cpp refused it.
        TurnAbortedError: the load was aborted.
    """

    def progress(fraction: float) -> bool:
        bar.show(_READ_SHARE + (0.99 - _READ_SHARE) * fraction)
        return not gate.flag[0]

    try:
        return llama.Model(weights.settled(spec, plan), gate.flag, progress)
    except RefusedError as refusal:
        gate.check()  # it may have refused because it was told to
        raise explain(spec.path, refusal) from refusal
