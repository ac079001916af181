"""Loading weights, making a context for them, putting adapters on: what a LoadSpec asks for."""

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Lora, MemoryPlan, Switch
from tkinfer.engines.fit import DEFAULT_CONTEXT
from tkinfer.engines.llama import devices
from tkinfer.engines.llama.api import CHUNK, C, built_with_amx, default_threads, error_lines
from tkinfer.engines.refusals import AdapterRefusedError, RefusedError

Progress = Callable[[float], bool]
"""Told how far a load has come, 0 to 1; answers whether to go on."""

_PAD: Final = 256
"""llama.cpp makes contexts in multiples of this."""
_CACHE_TYPES: Final = {
    CacheType.F16: C.GGML_TYPE_F16,
    CacheType.Q8_0: C.GGML_TYPE_Q8_0,
    CacheType.Q4_0: C.GGML_TYPE_Q4_0,
}
_FLASH_ATTENTION: Final = {
    Switch.AUTO: C.LLAMA_FLASH_ATTN_TYPE_AUTO,
    Switch.ON: C.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    Switch.OFF: C.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}


def settled(spec: LoadSpec, plan: MemoryPlan) -> LoadSpec:
    """The spec with nothing left open: what the plan decided stands in it."""
    layers = ALL_LAYERS if plan.gpu_layers == plan.layers else plan.gpu_layers
    return replace(
        spec,
        context_size=plan.context_size,
        # Without a list of devices, llama.cpp may know more than the plan.
        gpu_layers=layers if plan.devices else spec.gpu_layers,
        swa_full=Switch.ON if plan.swa_full else Switch.OFF,
    )


def threads_of(spec: LoadSpec) -> int:
    """How many threads a context is to have."""
    return spec.threads or default_threads()


def batch_of(spec: LoadSpec) -> int:
    """Prompt tokens that one decode call takes at most."""
    return spec.batch or CHUNK


def load_weights(spec: LoadSpec, progress: Progress) -> Any:
    """Load a model's weights. The result is llama.cpp's pointer, to be freed by the caller.

    Raises:
        RefusedError: llama.cpp can't load it, or `progress` said no.
    """

    def report(fraction: float, _: object) -> bool:
        try:
            return progress(fraction)
        except Exception:  # noqa: BLE001  its result would be undefined
            return False

    params = model_params(spec)
    callback = C.llama_progress_callback(report)  # must live until the load is over
    params.progress_callback = callback
    params.load_mode = _load_mode(spec)
    params.check_tensors = spec.check_tensors
    return open_model(spec.path, params)


def model_params(spec: LoadSpec) -> Any:
    """llama.cpp's parameters for the weights, as far as they decide where these go."""
    params = C.llama_model_default_params()
    if spec.gpu_layers is not None:  # llama.cpp's own default: all, where there is a GPU
        params.n_gpu_layers = spec.gpu_layers
    params.use_extra_bufts = spec.repack is Switch.ON or (
        spec.repack is Switch.AUTO and not built_with_amx()
    )
    if spec.device:
        handles = [gpu.handle for gpu in devices.chosen(spec.device, devices.gpus())]
        array = (ctypes.c_void_p * (len(handles) + 1))(*handles, None)
        params.devices = ctypes.addressof(array)
        params.kept = array  # the parameters hold only its address
    return params


def open_model(path: str, params: Any) -> Any:
    """Let llama.cpp open a file with these parameters.

    Raises:
        RefusedError: it can't.
    """
    with error_lines() as lines:
        model = C.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise RefusedError(lines)
    return model


def context_train(model: Any) -> int:
    """What a model was trained for, in tokens; 0 where it doesn't say, or nothing believable."""
    return max(0, C.llama_model_n_ctx_train(model))  # 2^31 and more become negative


def context_params(spec: LoadSpec, trained: int) -> Any:
    """llama.cpp's parameters for a context: one sequence, decoded in chunks of one batch."""
    params = C.llama_context_default_params()
    size = spec.context_size or min(trained or DEFAULT_CONTEXT, DEFAULT_CONTEXT)
    # It does so itself, but only after it has cut the batch to the size that was asked for.
    params.n_ctx = -(-size // _PAD) * _PAD
    params.n_batch = params.n_ubatch = batch_of(spec)
    params.n_threads = params.n_threads_batch = threads_of(spec)
    params.type_k = params.type_v = _CACHE_TYPES[spec.cache_type]
    params.flash_attn_type = _FLASH_ATTENTION[spec.flash_attention]
    params.swa_full = spec.swa_full is not Switch.OFF
    return params


def new_context(model: Any, spec: LoadSpec) -> Any:
    """Make a context: this allocates the KV cache and fills it with zeros.

    Raises:
        RefusedError: llama.cpp can't, for want of memory or because the options don't go together.
    """
    params = context_params(spec, context_train(model))
    with error_lines() as lines:
        context = C.llama_init_from_model(model, params)
    if not context:
        raise RefusedError(lines)
    return context


def load_adapters(model: Any, loras: Sequence[Lora]) -> list[Any]:
    """Load LoRA adapters for a model; they are freed with it.

    Raises:
        AdapterRefusedError: llama.cpp can't load one of them for this model.
    """
    adapters: list[Any] = []
    for lora in loras:
        with error_lines() as lines:
            adapter = C.llama_adapter_lora_init(model, os.fsencode(lora.path))
        if not adapter:
            raise AdapterRefusedError(lora.path, lines)
        adapters.append(adapter)
    return adapters


def put_on(context: Any, adapters: Sequence[Any], loras: Sequence[Lora]) -> None:
    """Let a context compute with these adapters, each at its scale.

    Raises:
        AdapterRefusedError: llama.cpp can't.
    """
    if not adapters:
        return
    pointers = (C.llama_adapter_lora_p_ctypes * len(adapters))(*adapters)
    scales = (ctypes.c_float * len(adapters))(*(lora.scale for lora in loras))
    if C.llama_set_adapters_lora(context, pointers, len(adapters), scales) != 0:
        raise AdapterRefusedError(loras[0].path, ["the adapters could not be put on"])


def _load_mode(spec: LoadSpec) -> int:
    if spec.mmap:
        # AUTO maps the file, but not where a device would only copy it.
        return C.LLAMA_LOAD_MODE_MMAP_MLOCK if spec.mlock else C.LLAMA_LOAD_MODE_AUTO
    return C.LLAMA_LOAD_MODE_MLOCK if spec.mlock else C.LLAMA_LOAD_MODE_NONE
