"""One answer: read the prompt, then decode token by token, while the turn may go on."""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from actors.engine import EngineFinished, GenerateRequest, Piece, PrefillProgress
from actors.sampling import Sampling
from actors.turn import EndReason, Figures, Phase
from tkinfer.engines import prompt as prompts
from tkinfer.engines.cache import Cache
from tkinfer.engines.template import ChatTemplate
from tkinfer.engines.text import TextDecoder
from tkinfer.engines.turns import TurnAbortedError, TurnGate

PROGRESS_S = 0.05  # twenty times a second is more than an eye sees


class Generator(prompts.Vocabulary, Protocol):
    """What decoding needs of a model, beside the KV cache."""

    context_size: int

    def piece(self, token: int) -> bytes:
        """The bytes that a token adds to the text."""
        ...

    def ends(self, token: int) -> bool:
        """Whether the model says with it that its turn is over."""
        ...

    def sampler(
        self, sampling: Sampling, seed: int, recent: list[int], /
    ) -> AbstractContextManager[Callable[[], int]]:
        """A function that picks the next token."""
        ...


class Answer:
    """Makes one answer on the main thread of the child. Used once."""

    def __init__(
        self,
        request: GenerateRequest,
        model: Generator,
        cache: Cache,
        gate: TurnGate,
        send: Callable[[Any], None],
    ) -> None:
        self._request = request
        self._model = model
        self._cache = cache
        self._gate = gate
        self._send = send
        self._decoder = TextDecoder()
        self._seq = 0
        self._textless = 0
        self._answer_tokens = 0
        self._paused_s = 0.0
        self._began = self._prefilled = self._first = time.perf_counter()
        self.evaluated = 0
        """Tokens put through the model for this turn, of prompt and answer."""

    def run(self, template: ChatTemplate, chunk: int) -> EngineFinished:
        """Make the answer; its pieces are sent as they come.

        Raises:
            TurnAbortedError: the turn was stopped.
            PromptError: it can't be answered as it is; nothing was evaluated.
            EngineError: llama.cpp failed.
        """
        request = self._request
        size = self._model.context_size
        tokens = prompts.build(self._model, template, request.messages, size)
        self._gate.check()
        cached = self._cache.reuse(tokens)
        began_prefill = time.perf_counter()
        self._prefill(tokens, cached, chunk)
        self._prefilled = self._first = time.perf_counter()
        self._gate.enter(Phase.DECODE)
        reason = self._decode(tokens)
        rest = self._decoder.flush()
        if rest:
            self._emit(rest)
        figures = Figures(
            prompt_tokens=len(tokens),
            cached_tokens=cached,
            answer_tokens=self._answer_tokens,
            prefill_s=self._prefilled - began_prefill,
            decode_s=time.perf_counter() - self._prefilled,
            first_token_s=self._first - self._began,
            paused_s=self._paused_s,
            context_used=len(self._cache.tokens),
            context_size=size,
        )
        return EngineFinished(turn=request.turn, reason=reason, figures=figures)

    def _prefill(self, tokens: list[int], done: int, chunk: int) -> None:
        total = len(tokens)
        told = self._tell_progress(done, total)
        while done < total:
            self._gate.check()
            # Chunks end at multiples of their size, wherever the cached part ended: see Cache.
            end = min(total, (done // chunk + 1) * chunk)
            self._evaluate(tokens[done:end])
            done = end
            if time.perf_counter() - told >= PROGRESS_S or done == total:
                told = self._tell_progress(done, total)

    def _tell_progress(self, done: int, total: int) -> float:
        self._send(PrefillProgress(turn=self._request.turn, done=done, total=total))
        return time.perf_counter()

    def _evaluate(self, tokens: list[int]) -> None:
        before = len(self._cache.tokens)
        done = self._cache.evaluate(tokens)
        self.evaluated += max(0, len(self._cache.tokens) - before)
        if not done:
            raise TurnAbortedError

    def _decode(self, prompt: list[int]) -> EndReason:
        sampling = self._request.sampling
        seed = sampling.seed if sampling.seed is not None else int.from_bytes(os.urandom(4)) >> 1
        recent = prompt[-sampling.repeat_last_n :] if sampling.repeat_last_n > 0 else []
        with self._model.sampler(sampling, seed & 0xFFFFFFFF, recent) as sample:
            return self._decode_with(sample)

    def _decode_with(self, sample: Callable[[], int]) -> EndReason:
        model, gate, decoder = self._model, self._gate, self._decoder
        most = self._request.sampling.max_tokens
        while True:
            gate.check()
            if most is not None and self._answer_tokens >= most:
                return EndReason.LENGTH
            token = sample()
            if not self._answer_tokens:
                self._first = time.perf_counter()
            if model.ends(token):
                return EndReason.END_OF_TEXT
            self._answer_tokens += 1
            self._textless += 1
            text = decoder.feed(model.piece(token))
            if text:
                self._emit(text)
            if len(self._cache.tokens) >= model.context_size:
                return EndReason.CONTEXT_FULL
            if self._answer_tokens != most:
                self._evaluate([token])

    def _emit(self, text: str) -> None:
        self._paused_s += self._gate.spend()
        tokens, self._textless = self._textless, 0
        self._send(Piece(turn=self._request.turn, seq=self._seq, text=text, tokens=tokens))
        self._seq += 1
