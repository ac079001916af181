"""The chain of samplers that picks the next token."""

from collections.abc import Iterator
from typing import Any

from actors.sampling import Sampling
from tkinfer.engines.llama.api import C


def sampler_parts(vocab: Any, sampling: Sampling, seed: int) -> Iterator[Any]:
    if sampling.repeat_penalty != 1.0:
        size = C.llama_vocab_n_tokens(vocab)
        last, penalty = sampling.repeat_last_n, sampling.repeat_penalty
        yield C.llama_sampler_init_penalties(size, last, penalty, 0.0, 0.0)
    if sampling.temperature <= 0:
        yield C.llama_sampler_init_greedy()
        return
    # top_k first: top_p over a whole vocabulary of 49,000 takes 3 ms a token, else 0.2 ms.
    yield C.llama_sampler_init_top_k(sampling.top_k)
    yield C.llama_sampler_init_top_p(sampling.top_p, 1)
    yield C.llama_sampler_init_min_p(sampling.min_p, 1)
    yield C.llama_sampler_init_temp(sampling.temperature)
    yield C.llama_sampler_init_dist(seed)
