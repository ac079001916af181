"""A bare llama.cpp decode loop: no window, no messages, nothing beside it. One side of `overhead`.

A process of its own: `python -m tests.bench.bare_loop MODEL THREADS CONTEXT`. For each line
`{"question": ..., "tokens": ...}` on stdin it makes that answer, greedily, and answers with one
line of JSON.
"""

import codecs
import ctypes
import json
import sys
import time
from typing import Any

import llama_cpp as C  # noqa: N812 - the C API
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from tests.binding import avoid_amx

BATCH = 128


class Loop:
    """A model, and the shortest way from a prompt to text."""

    def __init__(self, path: str, threads: int, context_size: int) -> None:
        C.llama_log_set(ctypes.cast(None, C.llama_log_callback), ctypes.c_void_p(None))
        avoid_amx()
        self._model = C.llama_model_load_from_file(path.encode(), C.llama_model_default_params())
        params = C.llama_context_default_params()
        params.n_ctx = context_size
        params.n_batch = params.n_ubatch = BATCH
        params.n_threads = params.n_threads_batch = threads
        self._context = C.llama_init_from_model(self._model, params)
        self._vocab = C.llama_model_get_vocab(self._model)
        self._buffer = ctypes.create_string_buffer(512)

    def answer(self, question: str, tokens: int) -> dict[str, Any]:
        C.llama_memory_clear(C.llama_get_memory(self._context), True)
        self._prefill(self._prompt(question))
        chain = C.llama_sampler_chain_init(C.llama_sampler_chain_default_params())
        C.llama_sampler_chain_add(chain, C.llama_sampler_init_greedy())
        one = (C.llama_token * 1)()
        batch = C.llama_batch_get_one(one, 1)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        parts: list[str] = []
        times: list[float] = []
        used: list[float] = []
        while len(parts) < tokens:
            token = C.llama_sampler_sample(chain, self._context, -1)
            if C.llama_vocab_is_eog(self._vocab, token):
                break
            size = C.llama_token_to_piece(self._vocab, token, self._buffer, 512, 0, False)
            parts.append(decoder.decode(self._buffer[:size]))
            times.append(time.perf_counter())
            used.append(time.process_time())
            one[0] = token
            C.llama_decode(self._context, batch)
        C.llama_sampler_free(chain)
        rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0.0
        cpu_ms = 1000 * (used[-1] - used[0]) / (len(used) - 1) if len(used) > 1 else 0.0
        return {"tokens": len(times), "per_s": rate, "cpu_ms": cpu_ms, "text": "".join(parts)}

    def _prompt(self, question: str) -> Any:
        template = C.llama_model_chat_template(self._model, None).decode()
        formatter = Jinja2ChatFormatter(template, eos_token="", bos_token="")
        text = formatter(messages=[{"role": "user", "content": question}]).prompt.encode()
        tokens = (C.llama_token * (len(text) + 8))()
        size = C.llama_tokenize(self._vocab, text, len(text), tokens, len(tokens), False, True)
        return tokens[:size]

    def _prefill(self, tokens: list[int]) -> None:
        for at in range(0, len(tokens), BATCH):
            part = tokens[at : at + BATCH]
            array = (C.llama_token * len(part))(*part)
            C.llama_decode(self._context, C.llama_batch_get_one(array, len(part)))


def main() -> None:
    path, threads, context_size = sys.argv[1:]
    loop = Loop(path, int(threads), int(context_size))
    for line in sys.stdin:
        print(json.dumps(loop.answer(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
