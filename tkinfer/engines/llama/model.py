"""A loaded model with its context: vocabulary, KV cache, decoding."""

import ctypes
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from actors.loading import LoadSpec
from actors.sampling import Sampling
from tkinfer.engines.llama import weights
from tkinfer.engines.llama.api import C
from tkinfer.engines.llama.sampler import Sampler
from tkinfer.engines.llama.vocabulary import Vocabulary
from tkinfer.engines.refusals import RefusedError
from tkinfer.errors import EngineError

State = npt.NDArray[np.uint8]

_SEQUENCE: Final = 0
_MOST_OUTPUTS: Final = 64


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
        RefusedError: llama.cpp can't load it or an adapter, or has no memory for its context.
    """

    def __init__(self, spec: LoadSpec, flag: Any, progress: weights.Progress) -> None:
        self.spec = spec
        self._context: Any = None
        self._batch = C.llama_batch_init(_MOST_OUTPUTS, 0, 1)
        self._model: Any = weights.load_weights(spec, progress)
        self.vocabulary = Vocabulary(self._model)
        self.context_train = weights.context_train(self._model)
        self.layers: int = C.llama_model_n_layer(self._model)
        self.threads = weights.threads_of(spec)
        try:
            adapters = weights.load_adapters(self._model, spec.loras)
            self._context = weights.new_context(self._model, spec)
            weights.put_on(self._context, adapters, spec.loras)
        except RefusedError:
            self.close()
            raise
        self._memory = C.llama_get_memory(self._context)
        self.context_size: int = C.llama_n_ctx(self._context)
        self.batch: int = C.llama_n_batch(self._context)
        self._strlen = _native_strlen()  # collected, it would be a crash at the next decode
        self._flag = flag
        C.llama_set_abort_callback(self._context, self._strlen, ctypes.cast(flag, ctypes.c_void_p))
        self._window: int = C.llama_model_n_swa(self._model)
        self._recurs: bool = C.llama_model_is_recurrent(self._model) or C.llama_model_is_hybrid(
            self._model
        )
        self.rewinds = not self._recurs and self._window == 0
        self.piece = self.vocabulary.piece
        self.ends = self.vocabulary.ends
        self.control_text = self.vocabulary.control_text
        self._one = (C.llama_token * 1)()
        self._one_batch = C.llama_batch_get_one(self._one, 1)

    @property
    def description(self) -> str:
        """In llama.cpp's words, such as `llama 135M Q4_1`."""
        buffer = ctypes.create_string_buffer(256)
        C.llama_model_desc(self._model, buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")

    def evaluate(self, tokens: Sequence[int], *, all_outputs: bool = False) -> bool:
        """Evaluate at most one batch of tokens behind what the cache holds; False if aborted.

        Logits are there for the last token then, or for each one if `all_outputs`, which takes at
        most 64 tokens.

        Raises:
            EngineError: llama.cpp failed; what the cache holds is unknown then.
        """
        if all_outputs:
            code = C.llama_decode(self._context, self._filled_batch(tokens))
        elif len(tokens) == 1:
            self._one[0] = tokens[0]
            code = C.llama_decode(self._context, self._one_batch)
        else:
            array = (C.llama_token * len(tokens))(*tokens)
            code = C.llama_decode(self._context, C.llama_batch_get_one(array, len(tokens)))
        if code not in (0, 2):
            what = f"llama.cpp could not compute the next token (code {code})."
            raise EngineError(what, "Send again; if it fails once more, choose a smaller model.")
        return code == 0

    def _filled_batch(self, tokens: Sequence[int]) -> Any:
        batch, start = self._batch, self.held()
        batch.n_tokens = len(tokens)
        for at, token in enumerate(tokens):
            batch.token[at] = token
            batch.pos[at] = start + at
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = _SEQUENCE
            batch.logits[at] = True
        return batch

    def finish_compute(self) -> None:
        """Wait until nothing is computed any more: on a GPU, decode returns before its end."""
        C.llama_synchronize(self._context)

    def held(self) -> int:
        """How many tokens the KV cache truly holds."""
        return C.llama_memory_seq_pos_max(self._memory, _SEQUENCE) + 1

    def cuts_to(self, length: int) -> bool:
        """Whether the cache can be cut to so many tokens.

        With a sliding window, what the window shows there must still be held: all of it is with
        `swa_full`, until a saved state is restored, which has only the last window.
        """
        if self.rewinds:
            return True
        first: int = C.llama_memory_seq_pos_min(self._memory, _SEQUENCE)
        return not self._recurs and 0 <= first <= max(0, length - self._window)

    def truncate(self, length: int) -> bool:
        """Keep the first tokens of the cache; False if that can't be, and nothing is sure."""
        return self.cuts_to(length) and C.llama_memory_seq_rm(self._memory, _SEQUENCE, length, -1)

    def clear(self) -> None:
        """Empty the KV cache."""
        C.llama_memory_clear(self._memory, False)

    def save(self) -> State:
        """All that the cache holds: 23 kB a token for a model of 135M, 1,000 tokens in 3 ms."""
        size: int = C.llama_state_seq_get_size(self._context, _SEQUENCE)
        state: State = np.empty(size, np.uint8)
        written: int = C.llama_state_seq_get_data(self._context, _pointer(state), size, _SEQUENCE)
        return state[:written]

    def restore(self, state: State) -> bool:
        """Hold what was saved, and nothing else; False if llama.cpp can't."""
        self.clear()
        read: int = C.llama_state_seq_set_data(
            self._context, _pointer(state), state.nbytes, _SEQUENCE
        )
        return read == state.nbytes

    def sampler(
        self, sampling: Sampling, seed: int, recent: Sequence[int], answered: Sequence[int]
    ) -> Sampler:
        """What picks the next token. `recent` and `answered` tokens count for penalties and DRY.

        Raises:
            PromptError: these settings can't be used.
        """
        return Sampler(
            context=self._context,
            vocab=self.vocabulary.pointer,
            tokenize=lambda text: self.vocabulary.tokenize(text, special=True),
            sampling=sampling,
            seed=seed,
            recent=recent,
            answered=answered,
        )

    def close(self) -> None:
        """Free all memory. The model can't be used any more."""
        if self._context:
            C.llama_free(self._context)
        if self._model:
            C.llama_model_free(self._model)
            C.llama_batch_free(self._batch)
        self._context = self._model = None


def _pointer(state: State) -> Any:
    return state.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
