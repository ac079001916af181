"""What loading a model takes, computed by llama.cpp without allocating any of it.

With `no_alloc` it reads header and vocabulary and lays everything out, but gives tensors no memory;
a context costs a few milliseconds then, at any length. What it would take stands in the log only:
no call of the C API tells it. It does tell, besides, whether llama.cpp knows the model, whether all
its tensors are there, whether cache type and flash attention go together, and whether adapters
belong to it: all before the model in use has to go.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from actors.loading import CacheType, LoadSpec, MemoryPlan, Switch
from tkinfer.engines import fit
from tkinfer.engines.llama import devices, weights
from tkinfer.engines.llama.api import C, error_lines
from tkinfer.engines.llama.sizes import read_sizes
from tkinfer.engines.refusals import RefusedError
from tkinfer.errors import ModelLoadError
from tkinfer.models.gguf import GgufHeader

_CELL_BITS: Final = {CacheType.F16: 16.0, CacheType.Q8_0: 8.5, CacheType.Q4_0: 4.5}


class DryModel:
    """A model without its weights in memory, for measuring. 75 ms for a vocabulary of 49,000.

    Raises:
        RefusedError: llama.cpp can't load such a model.
    """

    def __init__(self, spec: LoadSpec) -> None:
        self._spec = spec
        params = weights.model_params(spec)
        params.no_alloc = True
        params.load_mode = C.LLAMA_LOAD_MODE_NONE  # with a mapped file it is a failed assertion
        self._model = weights.open_model(spec.path, params)
        self.context_train = weights.context_train(self._model)
        self.layers: int = C.llama_model_n_layer(self._model)
        self.has_window: bool = C.llama_model_n_swa(self._model) > 0
        self._known: dict[tuple[int, bool], fit.Sizes] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        C.llama_model_free(self._model)

    def try_adapters(self) -> None:
        """See whether the spec's adapters can be put on. Reads them.

        Raises:
            AdapterRefusedError: they can't.
        """
        weights.load_adapters(self._model, self._spec.loras)

    def measure(self, context_size: int, *, swa_full: bool) -> fit.Sizes:
        """What a context takes besides the weights.

        Raises:
            RefusedError: it can't be made with these options.
        """
        key = context_size, swa_full
        if key not in self._known:
            self._known[key] = self._measure(context_size, swa_full=swa_full)
        return self._known[key]

    def _measure(self, context_size: int, *, swa_full: bool) -> fit.Sizes:
        spec = replace(
            self._spec,
            context_size=context_size,
            swa_full=Switch.ON if swa_full else Switch.OFF,
        )
        params = weights.context_params(spec, self.context_train)
        told: list[str] = []
        with error_lines(told) as errors:
            context = C.llama_init_from_model(self._model, params)
        if not context:
            raise RefusedError(errors)
        size: int = C.llama_n_ctx(context)
        C.llama_free(context)
        cache, ram, gpu = read_sizes(told)
        return fit.Sizes(
            context_size=size,
            cache=self._cache_by_formula(size) if cache is None else cache,
            compute=self._compute_by_formula() if ram is None else ram,
            gpu_compute=gpu,
            swa_full=swa_full,
        )

    def _cache_by_formula(self, cells: int) -> int:
        """For plain attention: cells x layers x heads x the lengths of a key and a value."""
        heads: int = max(C.llama_model_n_head(self._model), 1)
        per_head = C.llama_model_n_embd(self._model) // heads
        numbers = cells * self.layers * C.llama_model_n_head_kv(self._model) * 2 * per_head
        return int(numbers * _CELL_BITS[self._spec.cache_type] / 8)

    def _compute_by_formula(self) -> int:
        """A batch of outputs as large as the vocabulary, and some layers' inputs; generous."""
        outputs = C.llama_vocab_n_tokens(C.llama_model_get_vocab(self._model))
        return 4 * weights.batch_of(self._spec) * (outputs + 16 * C.llama_model_n_embd(self._model))


def make_plan(
    spec: LoadSpec,
    header: GgufHeader,
    gpus: Sequence[devices.Gpu],
    *,
    free_bytes: int,
    freed_gpu_bytes: int = 0,
) -> MemoryPlan:
    """What loading this takes, with all that the spec leaves open filled in.

    Args:
        spec: what is to be loaded, and how.
        header: of its file.
        gpus: all that there are.
        free_bytes: of the computer's memory, with that of a model that goes first.
        freed_gpu_bytes: of the GPUs' memory, besides what is free there now.

    Raises:
        ModelLoadError: it doesn't fit, or the device isn't there.
        RefusedError: llama.cpp can't load such a model, or not with these options.
    """
    used = _used(spec, gpus)
    room = fit.Room(
        ram=free_bytes,
        gpu=sum(gpu.device.free_bytes for gpu in used) + (freed_gpu_bytes if used else 0),
        gpu_shares_ram=any(gpu.shares_ram for gpu in used),
    )
    with DryModel(spec) as model:
        model.try_adapters()
        facts = _facts(header, model, spec)
        choice = fit.choose(spec, facts, room, model.measure)
    return MemoryPlan(
        context_size=choice.sizes.context_size,
        context_train=facts.context_train,
        layers=model.layers,
        gpu_layers=choice.gpu_layers,
        swa_full=choice.sizes.swa_full,
        weights_bytes=facts.weights,
        cache_bytes=choice.sizes.cache,
        compute_bytes=choice.sizes.compute + choice.sizes.gpu_compute,
        gpu_bytes=choice.gpu_bytes,
        available_bytes=room.ram,
        gpu_available_bytes=room.gpu,
        devices=tuple(gpu.device for gpu in gpus),
    )


def _used(spec: LoadSpec, gpus: Sequence[devices.Gpu]) -> Sequence[devices.Gpu]:
    try:
        return devices.chosen(spec.device, gpus)
    except KeyError:
        there = ", ".join(gpu.device.name for gpu in gpus) or "none"
        what = f"There is no GPU named {spec.device}; found: {there}."
        raise ModelLoadError(what, "Choose another device, or all.") from None


def _facts(header: GgufHeader, model: DryModel, spec: LoadSpec) -> fit.Facts:
    adapters = sum(Path(lora.path).stat().st_size for lora in spec.loras)
    outside = header.layer_bytes.get(-1, 0)
    layers = [header.layer_bytes.get(layer, 0) for layer in range(model.layers)]
    return fit.Facts(
        name=Path(header.path).name,
        context_train=model.context_train,
        weights=sum(header.layer_bytes.values()) + adapters,
        layers=(*layers, outside),
        has_window=model.has_window,
    )
