"""What of a model fits into the memory that is free: how long a context, how many GPU layers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Switch
from tkinfer.engines.load_options import max_context
from tkinfer.errors import ModelLoadError

DEFAULT_CONTEXT: Final = 8192
"""Where the file doesn't say what the model was trained for."""
SMALLEST_CONTEXT: Final = 2048
"""A context that was left open is never cut below this."""
MOST_CONTEXT: Final = 1 << 20
"""A context that was left open is never longer, whatever the file says."""
_STEP: Final = 1024
_GIGABYTES_FROM: Final = 10**9
_SPARE_SHARE: Final = 8
_MOST_SPARE: Final = 1 << 30
"""An eighth of what is free, at most 1 GiB, stays free: other programs' memory comes and goes, and
llama.cpp fills the cache when it is made, so that too much of it gets the process killed."""
_OPEN_SHARE: Final = 0.5
"""A context that was left open takes at most this share of what the weights leave: the desktop
should not become slow for the sake of a length that hardly any chat reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What a context of this length takes besides the weights, in bytes."""

    context_size: int
    cache: int
    compute: int
    gpu_compute: int = 0
    """Buffers on GPUs, as far as layers are there."""
    swa_full: bool = True
    """Sliding-window layers keep all of the context."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.cache + self.compute + self.gpu_compute


class Measure(Protocol):
    """Tells what a context of a length takes."""

    def __call__(self, context_size: int, *, swa_full: bool) -> Sizes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the model. Bytes."""

    name: str
    context_train: int
    weights: int
    layers: tuple[int, ...]
    """The weights of each layer, and behind them those of the output."""
    has_window: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Memory that is free, in bytes. `gpu` is 0 without a GPU."""

    ram: int
    gpu: int = 0
    gpu_shares_ram: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is to be done. `gpu_layers` goes up to the number of layers: then all of it is there."""

    sizes: Sizes
    gpu_layers: int
    gpu_bytes: int


def choose(spec: LoadSpec, facts: Facts, room: Room, measure: Measure) -> Choice:
    """Fill in what the spec leaves open, so that it fits.

    A context that was given is taken as it is. One that was left open is as long as the model was
    trained for, or as long as fits; with a GPU it is rather shortened, down to 8,192 tokens, than
    that layers stay outside. Sliding-window layers keep all of it where that makes no difference.

    Raises:
        ModelLoadError: it doesn't fit, with the numbers, or the context makes no sense.
    """
    most = max_context(facts.context_train)
    if spec.context_size is not None and spec.context_size > most:
        trained = f"{facts.name} was trained for a context of {facts.context_train:,} tokens;"
        what = f"{trained} {spec.context_size:,} are too many."
        raise ModelLoadError(what, f"Choose at most {most:,}.")
    fitting = _Fitting(spec, facts, room, measure)
    choice = fitting.given() if spec.context_size else fitting.left_open()
    if choice is not None:
        return choice
    if spec.ignore_memory:
        return fitting.nearest()
    raise fitting.refusal()


class _Fitting:
    def __init__(self, spec: LoadSpec, facts: Facts, room: Room, measure: Measure) -> None:
        self._spec = spec
        self._facts = facts
        self._room = room
        self._measure = measure
        self._layers = len(facts.layers) - 1
        self._trained = min(facts.context_train or DEFAULT_CONTEXT, MOST_CONTEXT)
        self._windows = (spec.swa_full is not Switch.OFF,)
        if spec.swa_full is Switch.AUTO and facts.has_window:
            self._windows = (True, False)

    def given(self) -> Choice | None:
        """The context that was asked for, if it fits."""
        size = self._spec.context_size or self._trained
        return self._first_fit(size, self._fit)

    def left_open(self) -> Choice | None:
        """The longest context that fits, up to what the model was trained for."""
        low = min(self._trained, SMALLEST_CONTEXT)
        high = self._trained
        if self._room.gpu and self._spec.gpu_layers is None:
            high = min(self._trained, DEFAULT_CONTEXT)
            if choice := self._longest(high, self._trained, self._fit_on_gpu):
                return choice
        return self._longest(low, high, self._fit_well) or self._first_fit(low, self._fit)

    def nearest(self) -> Choice:
        """What comes nearest to fitting."""
        size = self._spec.context_size or min(self._trained, SMALLEST_CONTEXT)
        counts = self._counts()
        swa_full = self._windows[-1]
        sizes = self._measure(size, swa_full=swa_full)
        on_gpu = (count for count in counts if self._gpu_bytes(sizes, count) <= self._gpu_room())
        return self._choice(sizes, next(on_gpu, counts[-1]))

    def refusal(self) -> ModelLoadError:
        """Why it doesn't fit, in numbers, and what would help."""
        nearest = self.nearest()
        sizes = nearest.sizes
        over_gpu = nearest.gpu_bytes > self._gpu_room()
        what = (
            f"{self._facts.name} needs {gigabytes(self._facts.weights + sizes.total)}:"
            f" {gigabytes(self._facts.weights)} of weights and {gigabytes(sizes.total)} for a"
            f" context of {sizes.context_size:,} tokens; {gigabytes(self._room.ram)} are free."
        )
        if over_gpu:
            what = (
                f"{self._facts.name} needs {gigabytes(nearest.gpu_bytes)} on the GPU with"
                f" {nearest.gpu_layers} layers and a context of {sizes.context_size:,} tokens;"
                f" {gigabytes(self._room.gpu)} are free there."
            )
        ways = ["choose fewer GPU layers"] if over_gpu else []
        if self._spec.context_size is not None:
            low = min(SMALLEST_CONTEXT, self._spec.context_size)
            shorter = self._longest(low, self._spec.context_size, self._fit)
            if shorter is not None:
                ways.append(f"choose a context of at most {shorter.sizes.context_size:,} tokens")
        if self._spec.cache_type is CacheType.F16 and sizes.cache > self._facts.weights // 8:
            ways.append("choose a smaller cache type")
        ways += ["choose a smaller model", "close other programs", "load it all the same"]
        listed = f"{', '.join(ways[:-1])}, or {ways[-1]}."
        return ModelLoadError(what, listed[0].upper() + listed[1:])

    def _longest(self, low: int, high: int, fit: "_Fit") -> Choice | None:
        """The longest context from `low` to `high` that fits. What it takes grows evenly."""
        if choice := self._first_fit(high, fit):
            return choice
        swa_full = self._windows[-1]
        best = fit(self._measure(low, swa_full=swa_full))
        if best is None:
            return None
        shortest, longest = low, high
        while longest - shortest > _STEP:
            middle = (shortest + longest) // 2 // _STEP * _STEP
            if not shortest < middle < longest:
                break
            choice = fit(self._measure(middle, swa_full=swa_full))
            best, shortest = (choice, middle) if choice else (best, shortest)
            longest = longest if choice else middle
        return best

    def _first_fit(self, size: int, fit: "_Fit") -> Choice | None:
        tries = (fit(self._measure(size, swa_full=swa_full)) for swa_full in self._windows)
        return next(filter(None, tries), None)

    def _fit(self, sizes: Sizes, share: float = 1.0) -> Choice | None:
        """With the most layers on the GPU that find room there, if the rest finds room too."""
        for count in self._counts():
            choice = self._choice(sizes, count)
            if choice.gpu_bytes <= self._gpu_room():
                total = self._facts.weights + sizes.total
                in_ram = total if self._room.gpu_shares_ram else total - choice.gpu_bytes
                spared = _spared(self._room.ram)
                rest = max(0, spared - max(0, in_ram - sizes.total))
                return choice if in_ram <= spared - rest * (1 - share) else None
        return None

    def _fit_well(self, sizes: Sizes) -> Choice | None:
        return self._fit(sizes, _OPEN_SHARE)

    def _fit_on_gpu(self, sizes: Sizes) -> Choice | None:
        choice = self._fit_well(sizes)
        return choice if choice and choice.gpu_layers == self._layers else None

    def _choice(self, sizes: Sizes, count: int) -> Choice:
        gpu_bytes = self._gpu_bytes(sizes, count)
        return Choice(sizes=sizes, gpu_layers=count, gpu_bytes=gpu_bytes)

    def _counts(self) -> Sequence[int]:
        """So many layers may go to the GPU, in the order of preference."""
        asked = self._spec.gpu_layers
        if not self._room.gpu:
            return (0,)
        if asked is None:
            return range(self._layers, -1, -1)
        return (self._layers if asked == ALL_LAYERS else min(asked, self._layers),)

    def _gpu_bytes(self, sizes: Sizes, count: int) -> int:
        """llama.cpp moves the output first, then layers from the last one on."""
        if not count:
            return 0
        layers = count if count == self._layers else count - 1
        weights = sum(self._facts.layers[-1 - layers :])
        return weights + sizes.cache * layers // max(self._layers, 1) + sizes.gpu_compute

    def _gpu_room(self) -> int:
        return _spared(self._room.gpu)


_Fit = Callable[[Sizes], Choice | None]


def gigabytes(size: int) -> str:
    """A size for the user, in decimal units."""
    return f"{size / 1e9:.1f} GB" if size >= _GIGABYTES_FROM else f"{size / 1e6:.1f} MB"


def _spared(free: int) -> int:
    return free - min(free // _SPARE_SHARE, _MOST_SPARE)
