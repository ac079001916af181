"""The samplers that an answer's settings ask for, in their order."""

import ctypes
from collections.abc import Iterator
from typing import Any, Final

from actors.sampling import Sampling
from tkinfer.engines.llama.api import C

SHORT: Final = 128
"""Up to here llama.cpp's top-k takes its fast way (of 49,152 tokens, 10 us; for 200 it needs 250),
and shortening the list first saves more than it costs: penalties take 200 us over a whole list."""
_TINY: Final = 1e-35
"""As min-p: only drops what would have the probability 0 in 32 bits."""
_XTC_SEED: Final = 0x9E3779B9
_RANDOM_SEED: Final = 0xFFFFFFFF


class Chain:
    """llama.cpp's sampler chain; `sampler` is its pointer. Frees its memory with `close`.

    `biases` are ids of tokens that the vocabulary has.
    """

    def __init__(
        self, *, vocab: Any, window: int, sampling: Sampling, biases: dict[int, float], seed: int
    ) -> None:
        self.sampler: Any = C.llama_sampler_chain_init(C.llama_sampler_chain_default_params())
        self._vocab = vocab
        self._window = window
        self._sampling = sampling
        self._seed = _usable_seed(seed)
        self.looks_back = max(self._penalised(), self._dry_window())
        """So many of the last tokens matter."""
        raised = any(bias > 0 for bias in biases.values())
        enough = self._enough(self._lowered() + len(biases))
        self.enough = None if raised else enough
        """Only so many of the likeliest tokens can matter, or None: all may."""
        self.is_argmax = sampling.temperature <= 0 and not biases and not self.looks_back
        """It takes the likeliest token, and keeps nothing in mind."""
        for part in self._parts(biases):
            assert part, "llama.cpp made no sampler"
            C.llama_sampler_chain_add(self.sampler, part)

    def accept(self, token: int) -> None:
        """Count a token as chosen."""
        C.llama_sampler_accept(self.sampler, token)

    def close(self) -> None:
        """Free its memory, and that of its samplers."""
        sampler, self.sampler = self.sampler, None
        if sampler:
            C.llama_sampler_free(sampler)

    def _parts(self, biases: dict[int, float]) -> Iterator[Any]:
        sampling = self._sampling
        if biases:
            yield self._logit_bias(biases)
        yield from self._repetition()
        if sampling.temperature <= 0:
            yield C.llama_sampler_init_greedy()
        elif sampling.mirostat:
            yield from self._temperature()
            tau, eta = sampling.mirostat_tau, sampling.mirostat_eta
            yield C.llama_sampler_init_mirostat_v2(self._seed, tau, eta)
        else:
            yield from self._cutting()
            yield from self._temperature()
            yield C.llama_sampler_init_dist(self._seed)

    def _logit_bias(self, biases: dict[int, float]) -> Any:
        array = (C.llama_logit_bias * len(biases))()
        for entry, (token, bias) in zip(array, biases.items(), strict=True):
            entry.token, entry.bias = token, bias
        return C.llama_sampler_init_logit_bias(self._vocab_size(), len(biases), array)

    def _repetition(self) -> Iterator[Any]:
        sampling = self._sampling
        penalised, dry = self._penalised(), self._dry_window()
        if lowered := self._lowered():
            enough = self._enough(lowered)
            if enough is not None and enough <= SHORT:
                yield C.llama_sampler_init_top_k(enough)
        if penalised:
            # llama.cpp has the frequency before the presence here.
            yield C.llama_sampler_init_penalties(
                self._vocab_size(),
                penalised,
                sampling.repeat_penalty,
                sampling.frequency_penalty,
                sampling.presence_penalty,
            )
        if dry:
            yield self._dry(dry)

    def _enough(self, lowered: int) -> int | None:
        """How short the list may be made before the penalties without changing what is chosen.

        Say at most P tokens are lowered and none is raised, and the k likeliest are kept in the
        end. A token outside of the k + P likeliest has at least k above it that are not lowered;
        it can't come before those, whether it is lowered itself or not.

        Exact only so: with top-n-sigma, mirostat or without a top-k all tokens matter, and
        penalties below their neutral value raise tokens from anywhere.
        """
        sampling = self._sampling
        greedy = sampling.temperature <= 0
        keep = 1 if greedy else sampling.top_k
        whole = not greedy and (sampling.mirostat or sampling.top_n_sigma > 0)
        raising = (
            sampling.repeat_penalty < 1
            or sampling.presence_penalty < 0
            or sampling.frequency_penalty < 0
        )
        return keep + lowered if keep and not whole and not raising else None

    def _lowered(self) -> int:
        """At most so many tokens are lowered by penalties and DRY."""
        return self._penalised() + self._dry_window()

    def _dry(self, window: int) -> Any:
        sampling = self._sampling
        # Looks through the whole vocabulary for each breaker: 13 ms for four and 49,152 tokens.
        raw = [text.encode("utf-8", "replace") for text in sampling.dry_sequence_breakers]
        return C.llama_sampler_init_dry(
            self._vocab,
            sampling.dry_multiplier,
            sampling.dry_base,
            sampling.dry_allowed_length,
            window,  # this llama.cpp takes -1 for off
            (ctypes.c_char_p * len(raw))(*raw),
            len(raw),
        )

    def _cutting(self) -> Iterator[Any]:
        sampling = self._sampling
        if sampling.top_n_sigma > 0:
            yield C.llama_sampler_init_top_n_sigma(sampling.top_n_sigma)
        # top-k before top-p: top-p over a whole vocabulary takes 3 ms a token, else 0.2 ms.
        if sampling.top_k > 0:
            yield C.llama_sampler_init_top_k(sampling.top_k)
        if sampling.typical_p < 1:
            # Typical multiplies each probability with its logarithm: one that is 0 (a banned token,
            # one that top-n-sigma cut) makes the entropy NaN.
            yield C.llama_sampler_init_min_p(_TINY, 1)
            yield C.llama_sampler_init_typical(sampling.typical_p, 1)
        if sampling.top_p < 1:
            yield C.llama_sampler_init_top_p(sampling.top_p, 1)
        if sampling.min_p > 0:
            yield C.llama_sampler_init_min_p(sampling.min_p, 1)
        if sampling.xtc_probability > 0:
            # A seed of its own, or it would draw the same numbers as the choice of the token.
            probability, threshold = sampling.xtc_probability, sampling.xtc_threshold
            seed = _usable_seed(self._seed ^ _XTC_SEED)
            yield C.llama_sampler_init_xtc(probability, threshold, 1, seed)

    def _temperature(self) -> Iterator[Any]:
        sampling = self._sampling
        temperature, spread = sampling.temperature, sampling.dynatemp_range
        if spread > 0:
            exponent = sampling.dynatemp_exponent
            yield C.llama_sampler_init_temp_ext(temperature, spread, exponent)
        elif temperature != 1:
            yield C.llama_sampler_init_temp(temperature)

    def _penalised(self) -> int:
        """How many tokens the penalties look back on: no more can be lowered. 0 without any."""
        sampling = self._sampling
        penalties = (sampling.presence_penalty, sampling.frequency_penalty)
        on = sampling.repeat_penalty != 1 or any(penalties)
        return self._looking_back(sampling.repeat_last_n) if on else 0

    def _dry_window(self) -> int:
        sampling = self._sampling
        on = sampling.dry_multiplier > 0
        return self._looking_back(sampling.dry_penalty_last_n) if on else 0

    def _looking_back(self, tokens: int) -> int:
        return self._window if tokens < 0 else min(tokens, self._window)

    def _vocab_size(self) -> int:
        return C.llama_vocab_n_tokens(self._vocab)


def _usable_seed(seed: int) -> int:
    """Its lowest 32 bits; not the one that tells llama.cpp to draw a seed."""
    low = seed & 0xFFFFFFFF
    return low - 1 if low == _RANDOM_SEED else low
