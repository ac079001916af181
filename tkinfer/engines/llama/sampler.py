"""Picks the next token: biases, penalties, cuts, temperature, and a grammar if there is one."""

import ctypes
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self, cast

import numpy as np
import numpy.typing as npt

from actors.sampling import BAN, Sampling, problems
from tkinfer.engines.llama import grammar as grammars
from tkinfer.engines.llama.api import C
from tkinfer.engines.llama.bias import token_biases
from tkinfer.engines.llama.chain import Chain
from tkinfer.errors import EngineError, PromptError

Logits = npt.NDArray[np.float32]
_SHORT_LIST: Final = 512


class Sampler:
    """Chooses the tokens of one answer. Frees its memory with `close`, or as a context manager.

    `recent` are the tokens before the answer, for penalties and DRY; `answered` those that the
    answer begins with when it is gone on with, which its grammar must have allowed too. The model's
    context and vocabulary must outlive it. The same seed, settings and tokens give the same answer.

    Raises:
        PromptError: a value is out of its range, or the grammar or JSON schema can't be used.
            Nothing was evaluated.
    """

    def __init__(
        self,
        *,
        context: Any,
        vocab: Any,
        tokenize: Callable[[str], list[int]],
        sampling: Sampling,
        seed: int,
        recent: Sequence[int],
        answered: Sequence[int] = (),
    ) -> None:
        self._context = context
        self._size: int = C.llama_vocab_n_tokens(vocab)
        self._count = min(sampling.alternatives, self._size)
        self._alternatives: tuple[tuple[int, float], ...] = ()
        # Mirostat learns from what it chooses, even if that is refused then.
        self._grammar_first = sampling.mirostat and sampling.temperature > 0
        self._chain: Chain | None = None
        self._grammar: grammars.Grammar | None = None
        if wrong := problems(sampling):
            what = f"These settings can't be used: {'; '.join(wrong)}."
            raise PromptError(what, "Correct them in the settings for answers.")
        biases = self._biases(sampling, tokenize)
        self._grammar = grammars.from_settings(vocab, sampling.grammar, sampling.json_schema)
        try:
            self._chain = Chain(
                vocab=vocab,
                window=C.llama_n_ctx(context),
                sampling=sampling,
                biases=biases,
                seed=seed,
            )
            self._begin(self._chain, [*recent, *answered], answered)
        except Exception:
            self.close()
            raise
        self._ids = np.arange(self._size, dtype=np.int32)
        self._candidates = np.zeros(self._size, grammars.TOKEN_DATA)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def sample(self, index: int = -1) -> int:
        """Choose the next token from output `index` of the last evaluation, -1 being the last.

        It counts as chosen: call it for one output after the other, and only while all tokens
        chosen before are those that were evaluated.

        Raises:
            EngineError: there is no such output, it holds no numbers, or the grammar allows no
                token at all.
        """
        logits = self._logits(index)
        chain = self._chain
        if chain is None:
            what = "The sampler was closed."
            raise EngineError(what)
        if self._grammar is None and chain.is_argmax:
            token = int(logits.argmax())
        elif self._grammar is None:
            token = C.llama_sampler_sample(chain.sampler, self._context, index)
        else:
            token = self._sample_by(self._grammar, chain, logits)
        if self._count:
            self._alternatives = _likeliest(logits, self._count)
        return token

    def alternatives(self) -> tuple[tuple[int, float], ...]:
        """The likeliest tokens at the last `sample` with their probabilities, likeliest first.

        As the model has them: before biases, penalties, cuts, temperature and grammar.
        """
        return self._alternatives

    def close(self) -> None:
        """Free all memory. May be called again."""
        if self._chain is not None:
            self._chain.close()
        if self._grammar is not None:
            self._grammar.close()
        self._chain = self._grammar = None

    def _biases(self, sampling: Sampling, tokenize: Callable[[str], list[int]]) -> dict[int, float]:
        found = token_biases(sampling.logit_bias, tokenize)
        biases = {token: bias for token, bias in found.items() if 0 <= token < self._size}
        if sum(bias == BAN for bias in biases.values()) >= self._size:
            what = "The token bans leave no token."
            raise PromptError(what, "Take some out in the settings for answers.")
        return biases

    def _begin(self, chain: Chain, before: Sequence[int], answered: Sequence[int]) -> None:
        for token in before[-chain.looks_back :] if chain.looks_back else ():
            chain.accept(token)
        if self._grammar is None:
            return
        for token in answered:
            if not self._grammar.allows(token):
                what = "The answer so far does not follow the grammar."
                raise PromptError(what, "Leave the grammar out to go on, or begin a new answer.")
            self._grammar.accept(token)

    def _logits(self, index: int) -> Logits:
        pointer = C.llama_get_logits_ith(self._context, index)
        if not pointer:  # sampling all the same would end the process
            what = f"llama.cpp has no output {index} to choose a token from."
            raise EngineError(what, "Send again.")
        address = ctypes.addressof(pointer.contents)
        floats = (ctypes.c_float * self._size).from_address(address)
        logits: Logits = np.frombuffer(cast("Any", floats), np.float32)
        # NaN in a list that is sorted may end the process. 7 us for 49,152 tokens.
        if not np.isfinite(logits.max()):
            what = "The model computes no numbers any more (NaN)."
            raise EngineError(what, "Its file may be damaged: load it with a check of its weights.")
        return logits

    def _sample_by(self, grammar: grammars.Grammar, chain: Chain, logits: Logits) -> int:
        """Without the grammar first: most tokens that the model prefers are allowed."""
        if not self._grammar_first:
            token, _ = _choose(chain, self._fill(grammar, logits))
            if grammar.allows(token):
                return self._accept(grammar, chain, token)
        allowed = self._allowed(grammar, chain, logits)
        if len(allowed):
            token, possible = _choose(chain, allowed)
            if possible:
                return self._accept(grammar, chain, token)
        what = "The grammar allows no token that this model has or the settings leave."
        raise EngineError(what, "Change the grammar or the token bans.")

    def _allowed(
        self, grammar: grammars.Grammar, chain: Chain, logits: Logits
    ) -> grammars.Candidates:
        """All allowed tokens that matter. The whole list takes 5 ms and more, a short one 0.5."""
        candidates = self._fill(grammar, logits)
        if chain.enough is not None and chain.enough <= _SHORT_LIST < self._size:
            likeliest = np.argpartition(candidates["logit"], -_SHORT_LIST)[-_SHORT_LIST:]
            likeliest.sort()  # as in the whole list, the first of equals is taken
            allowed = grammar.allowed(candidates[likeliest])
            if len(allowed) >= chain.enough:
                return allowed
        return grammar.allowed(candidates)

    def _fill(self, grammar: grammars.Grammar, logits: Logits) -> grammars.Candidates:
        candidates = self._candidates
        candidates["id"] = self._ids
        candidates["logit"] = logits
        candidates["logit"][grammar.hidden] = BAN
        return candidates

    @staticmethod
    def _accept(grammar: grammars.Grammar, chain: Chain, token: int) -> int:
        chain.accept(token)
        grammar.accept(token)
        return token


def _choose(chain: Chain, candidates: grammars.Candidates) -> tuple[int, bool]:
    """A token by the chain, and whether it is possible at all. Changes the candidates."""
    tokens = grammars.token_list(candidates)
    C.llama_sampler_apply(chain.sampler, tokens)
    # Not from the array: XTC moves the pointer.
    chosen = tokens.data[max(tokens.selected, 0)]
    return chosen.id, chosen.logit > BAN


def _likeliest(logits: Logits, count: int) -> tuple[tuple[int, float], ...]:
    top = np.argpartition(logits, -count)[-count:]
    top = top[np.argsort(-logits[top], kind="stable")]
    highest = logits[top[0]]
    total = float(np.exp(logits - highest).sum(dtype=np.float64))
    chances = np.exp(logits[top] - highest, dtype=np.float64) / total
    return tuple(zip(top.tolist(), chances.tolist(), strict=True))
