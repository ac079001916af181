"""A loaded model with its context: vocabulary, KV cache, decoding."""

import ctypes
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from actors.loading import LoadSpec
from actors.sampling import Sampling
from tkinfer.engines.llama.api import (
    CHUNK,
    DEFAULT_CONTEXT,
    C,
    default_threads,
    error_lines,
)
from tkinfer.engines.llama.sampler import sampler_parts
from tkinfer.engines.refusals import RefusedError
from tkinfer.errors import EngineError

Progress = Callable[[float], bool]
"""Told how far a load has come, 0 to 1; answers whether to go on."""


def try_vocabulary(path: str) -> None:
    """See whether llama.cpp knows this kind of model, without its weights. 0.03 to 0.8 s.

    Raises:
        RefusedError: it doesn't.
    """
    params = C.llama_model_default_params()
    params.vocab_only = True
    C.llama_model_free(_load(path, params))


def _load(path: str, params: Any) -> Any:
    with error_lines() as lines:
        model = C.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise RefusedError(lines)
    return model


def _native_strlen() -> Any:
    """C's `strlen`, as llama.cpp's abort callback: for the flag it gives 1 or 0, without Python.

    The callback is called for every graph node, 515 times a token; a Python function in its place
    waits for the GIL each time and was measured at 1 % of the speed beside a busy thread.
    """
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    return ctypes.cast(library.strlen, C.ggml_abort_callback)


class Model:
    """A loaded model with one context and one sequence in its KV cache.

    `flag` is a C string of length 1 (abort) or 0; it must outlive the model.

    Raises:
        RefusedError: llama.cpp can't load it, or has no memory for its context.
    """

    def __init__(self, spec: LoadSpec, flag: Any, progress: Progress) -> None:
        self._context: Any = None
        self._model: Any = self._load_model(spec, progress)
        self._vocab = C.llama_model_get_vocab(self._model)
        self.context_train: int = C.llama_model_n_ctx_train(self._model)
        self.threads = spec.threads or default_threads()
        try:
            self._context = self._new_context(spec)
        except RefusedError:
            self.close()
            raise
        self._memory = C.llama_get_memory(self._context)
        self.context_size: int = C.llama_n_ctx(self._context)
        self._strlen = _native_strlen()  # collected, it would be a crash at the next decode
        self._flag = flag
        C.llama_set_abort_callback(self._context, self._strlen, ctypes.cast(flag, ctypes.c_void_p))
        self.rewinds = not (
            C.llama_model_is_recurrent(self._model) or C.llama_model_is_hybrid(self._model)
        )
        self._buffer = ctypes.create_string_buffer(512)
        self._one = (C.llama_token * 1)()
        self._one_batch = C.llama_batch_get_one(self._one, 1)
        self._pieces: dict[int, bytes] = {}
        self._read_vocabulary()

    def _load_model(self, spec: LoadSpec, progress: Progress) -> Any:
        def report(fraction: float, _: object) -> bool:
            try:
                return progress(fraction)
            except Exception:  # noqa: BLE001  its result would be undefined
                return False

        params = C.llama_model_default_params()
        if spec.gpu_layers is not None:  # llama.cpp's own default: all, where there is a GPU
            params.n_gpu_layers = spec.gpu_layers
        callback = C.llama_progress_callback(report)
        params.progress_callback = callback
        return _load(spec.path, params)

    def _new_context(self, spec: LoadSpec) -> Any:
        params = C.llama_context_default_params()
        params.n_ctx = spec.context_size or min(self.context_train or 4096, DEFAULT_CONTEXT)
        params.n_batch = params.n_ubatch = CHUNK
        params.n_threads = params.n_threads_batch = self.threads
        with error_lines() as lines:
            context = C.llama_init_from_model(self._model, params)
        if not context:
            raise RefusedError(lines)
        return context

    def _read_vocabulary(self) -> None:
        self.bos: int = C.llama_vocab_bos(self._vocab)
        self.add_bos: bool = C.llama_vocab_get_add_bos(self._vocab)
        eos: int = C.llama_vocab_eos(self._vocab)
        self.bos_text = self._token_text(self.bos, special=True).decode("utf-8", "replace")
        self.eos_text = self._token_text(eos, special=True).decode("utf-8", "replace")
        self.template: str | None = None
        template = C.llama_model_chat_template(self._model, None)
        if template:
            self.template = template.decode("utf-8", "replace")

    @property
    def description(self) -> str:
        """In llama.cpp's words, such as `llama 135M Q4_1`."""
        buffer = ctypes.create_string_buffer(256)
        C.llama_model_desc(self._model, buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")

    def tokenize(self, text: str) -> list[int]:
        """Token ids; the texts of control tokens become these, and nothing is put in front."""
        raw = text.encode("utf-8", "replace")  # a lone surrogate becomes a question mark
        room = len(raw) + 16
        while True:
            tokens = (C.llama_token * room)()
            count = C.llama_tokenize(self._vocab, raw, len(raw), tokens, room, False, True)
            if count >= 0:
                return list(tokens[:count])
            if -count <= room:
                what = "llama.cpp could not read the prompt."
                raise EngineError(what)
            room = -count

    def piece(self, token: int) -> bytes:
        """The bytes that a token adds to the text: none for control tokens."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._token_text(token, special=False)
        return known

    def _token_text(self, token: int, *, special: bool) -> bytes:
        if token < 0:
            return b""
        while True:
            buffer = self._buffer
            size = C.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, special)
            if size >= 0:
                return buffer.raw[:size]
            self._buffer = ctypes.create_string_buffer(-size)

    def ends(self, token: int) -> bool:
        """Whether the model says with it that its turn is over: EOS, EOT and their like."""
        return C.llama_vocab_is_eog(self._vocab, token)

    def evaluate(self, tokens: Sequence[int]) -> bool:
        """Evaluate at most CHUNK tokens behind what the cache holds; False if aborted meanwhile.

        Raises:
            EngineError: llama.cpp failed; what the cache holds is unknown then.
        """
        if len(tokens) == 1:
            self._one[0] = tokens[0]
            code = C.llama_decode(self._context, self._one_batch)
        else:
            array = (C.llama_token * len(tokens))(*tokens)
            code = C.llama_decode(self._context, C.llama_batch_get_one(array, len(tokens)))
        if code not in (0, 2):
            what = f"llama.cpp could not compute the next token (code {code})."
            raise EngineError(what, "Send again; if it fails once more, choose a smaller model.")
        return code == 0

    def finish_compute(self) -> None:
        """Wait until nothing is computed any more: on a GPU, decode returns before its end."""
        C.llama_synchronize(self._context)

    def held(self) -> int:
        """How many tokens the KV cache truly holds."""
        return C.llama_memory_seq_pos_max(self._memory, 0) + 1

    def truncate(self, length: int) -> bool:
        """Keep the first tokens of the cache; False if this model can't, and nothing is sure."""
        return self.rewinds and C.llama_memory_seq_rm(self._memory, 0, length, -1)

    def clear(self) -> None:
        """Empty the KV cache."""
        C.llama_memory_clear(self._memory, False)

    @contextmanager
    def sampler(
        self, sampling: Sampling, seed: int, recent: Sequence[int]
    ) -> Generator[Callable[[], int]]:
        """A function that picks the next token. `recent` tokens count for the repeat penalty."""
        chain = C.llama_sampler_chain_init(C.llama_sampler_chain_default_params())
        context, sample = self._context, C.llama_sampler_sample
        try:
            for part in sampler_parts(self._vocab, sampling, seed):
                C.llama_sampler_chain_add(chain, part)
            for token in recent:
                C.llama_sampler_accept(chain, token)
            yield lambda: sample(chain, context, -1)
        finally:
            C.llama_sampler_free(chain)

    def close(self) -> None:
        """Free all memory. The model can't be used any more."""
        if self._context:
            C.llama_free(self._context)
        if self._model:
            C.llama_model_free(self._model)
        self._context = self._model = None
