"""Are the options of a LoadSpec possible at all? Told before any file is touched."""

import math
from collections.abc import Iterator
from typing import Final

from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Switch
from tkinfer.errors import ModelLoadError

MIN_BATCH: Final = 32
MAX_BATCH: Final = 2048
MAX_THREADS: Final = 512  # GGML_MAX_N_THREADS: more is a failed assertion
MIN_CONTEXT: Final = 64
MAX_CONTEXT: Final = 1 << 24
_UNKNOWN_TO: Final = 1 << 20
_STRETCH: Final = 4
_STRETCH_TO: Final = 8192


def check_options(spec: LoadSpec) -> None:
    """See whether the options go together.

    Raises:
        ModelLoadError: they don't; names each that is wrong, with its value and what is allowed.
    """
    if wrong := list(_problems(spec)):
        what = f"The model can't be loaded like this: {'; '.join(wrong)}."
        raise ModelLoadError(what, "Correct it in the settings for loading.")


def max_context(context_train: int) -> int:
    """The largest context that makes sense: four times what the model was trained for.

    Far behind that the text is noise, and the tables that llama.cpp keeps of the context, which no
    plan measures, grow with it all the same.
    """
    if not context_train:
        return _UNKNOWN_TO
    return min(max(_STRETCH * context_train, _STRETCH_TO), MAX_CONTEXT)


def _problems(spec: LoadSpec) -> Iterator[str]:
    if spec.batch is not None and not MIN_BATCH <= spec.batch <= MAX_BATCH:
        yield f"the batch size is {spec.batch}; it must be {MIN_BATCH} to {MAX_BATCH}"
    if spec.threads is not None and not 1 <= spec.threads <= MAX_THREADS:
        yield f"there are to be {spec.threads} threads; it must be 1 to {MAX_THREADS}"
    if spec.context_size is not None and spec.context_size < MIN_CONTEXT:
        yield f"the context size is {spec.context_size}; it must be {MIN_CONTEXT} or more"
    if spec.gpu_layers is not None and spec.gpu_layers < ALL_LAYERS:
        yield f"the GPU is to have {spec.gpu_layers} layers; it must be 0 or more"
    if spec.cache_type is not CacheType.F16 and spec.flash_attention is Switch.OFF:
        yield f"a KV cache of type {spec.cache_type} needs flash attention, which is off"
    for lora in spec.loras:
        if not math.isfinite(lora.scale):
            yield f"the scale of {lora.path} is {lora.scale}; it must be a finite number"
