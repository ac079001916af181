"""Loading a model: is the file good, does llama.cpp know its kind, then read it, then load it."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from actors.loading import LoadSpec
from tkinfer.engines.llama import api
from tkinfer.engines.llama import model as llama
from tkinfer.engines.refusals import RefusedError, explain
from tkinfer.engines.turns import TurnGate
from tkinfer.errors import ModelLoadError
from tkinfer.models.gguf import GgufHeader, read_header

READ_BYTES: Final = 8 * 1024 * 1024
"""Read between two looks at the abort flag: 4 ms from memory, 80 ms from a slow disk."""
_READ_SHARE: Final = 0.7
"""Of the progress bar, for reading the file; from a disk it takes most of the time."""
_PROGRESS_S: Final = 0.05
_NOT_FOR_CHAT: Final = re.compile(r"bert|^t5")
"""Architectures that make embeddings or need an encoder's pass first."""

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


def check(path: str, *, keep_current: bool) -> GgufHeader:
    """Find out what can be found out before the model in use has to go.

    Raises:
        ModelFileError, ModelLoadError: this file will not load.
    """
    header = read_header(path)
    if _NOT_FOR_CHAT.search(header.architecture):  # would end in a failed assertion at Send
        what = f"{Path(path).name} can't chat: {header.architecture} models only read text."
        raise ModelLoadError(what, "Choose a chat model.")
    if keep_current:
        try:
            llama.try_vocabulary(path)
        except RefusedError as refusal:
            raise explain(header.path, refusal) from refusal
    return header


def read_ahead(header: GgufHeader, gate: TurnGate, bar: ProgressBar) -> None:
    """Bring the file into the page cache, with progress and abort.

    llama.cpp maps the file and lets the kernel read all of it inside one call, which takes as
    long as the disk takes and tells nothing. A file larger than the memory that is free is not
    read: its first pages would be gone before they are used.

    Raises:
        TurnAbortedError: the load was aborted.
    """
    bar.show(0.0)
    if header.size_bytes > api.available_bytes():
        return
    buffer = bytearray(READ_BYTES)
    done = 0
    for part in header.parts:
        with Path(part).open("rb", buffering=0) as file:
            while count := file.readinto(buffer):
                gate.check()
                done += count
                bar.show(_READ_SHARE * min(1.0, done / header.size_bytes))


def load(spec: LoadSpec, header: GgufHeader, gate: TurnGate, bar: ProgressBar) -> llama.Model:
    """Load the model. The last step to 1 is left to the caller.

    Raises:
        ModelLoadError: llama.cpp refused it.
        TurnAbortedError: the load was aborted.
    """

    def progress(fraction: float) -> bool:
        bar.show(_READ_SHARE + (0.99 - _READ_SHARE) * fraction)
        return not gate.flag[0]

    try:
        return llama.Model(spec, gate.flag, progress)
    except RefusedError as refusal:
        gate.check()  # it may have refused because it was told to
        raise explain(header.path, refusal) from refusal
