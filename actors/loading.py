"""How a model is to be loaded, and what that takes."""

from dataclasses import dataclass
from enum import StrEnum


class CacheType(StrEnum):
    """The type of the numbers in the KV cache. Smaller ones cost some precision."""

    F16 = "f16"
    Q8_0 = "q8_0"
    Q4_0 = "q4_0"


class Switch(StrEnum):
    """On, off, or llama.cpp's own choice."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


ALL_LAYERS = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lora:
    """An adapter file that changes the model; `scale` 1 is as it was trained."""

    path: str
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSpec:
    """Which model to load, and how. None leaves the choice to the engine."""

    path: str
    context_size: int | None = None
    """None: what the model was trained for, cut to what fits in memory."""
    threads: int | None = None
    """None: the physical cores but one."""
    gpu_layers: int | None = None
    """None: as many as fit; ALL_LAYERS, 0 for none, or so many; the output counts as the first."""
    device: str = ""
    """The name of the one GPU to use; empty: all there are."""
    cache_type: CacheType = CacheType.F16
    flash_attention: Switch = Switch.AUTO
    batch: int | None = None
    """Prompt tokens evaluated at once, 32 to 2048; None: 128."""
    repack: Switch = Switch.AUTO
    """Whether weights may be laid out anew for the processor's matrix instructions; AUTO: unless
    llama.cpp's code for them is known to fail.
    """
    mmap: bool = True
    mlock: bool = False
    swa_full: Switch = Switch.AUTO
    """Whether sliding-window layers keep the whole context, so that the cache can be cut anywhere;
    AUTO: if there is room."""
    check_tensors: bool = False
    """Look for damaged weights while loading; slower."""
    loras: tuple[Lora, ...] = ()
    ignore_memory: bool = False
    """Load it even if it seems too large for the memory that is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU that llama.cpp found. Bytes."""

    name: str
    description: str = ""
    total_bytes: int = 0
    free_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlan:
    """What loading takes, computed without allocating any of it. Bytes."""

    context_size: int
    context_train: int = 0
    layers: int = 0
    gpu_layers: int = 0
    """As many as there are means that the output is on the GPU, too."""
    swa_full: bool = True
    weights_bytes: int = 0
    cache_bytes: int = 0
    compute_bytes: int = 0
    gpu_bytes: int = 0
    """The part of all that which lies on GPUs."""
    available_bytes: int = 0
    """Of the computer's memory, before the load."""
    gpu_available_bytes: int = 0
    devices: tuple[Device, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Weights, KV cache and buffers together."""
        return self.weights_bytes + self.cache_bytes + self.compute_bytes
