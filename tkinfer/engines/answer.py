"""One answer: build and read the prompt, then decode token by token, while the turn may go on."""

import os
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from actors.engine import (
    AnswerTokens,
    EngineFinished,
    GenerateRequest,
    Piece,
    PrefillProgress,
    PromptReady,
)
from actors.sampling import Sampling
from actors.turn import EndReason, Figures, Phase
from tkinfer.engines.answertext import AnswerText, Span
from tkinfer.engines.cache import Cache
from tkinfer.engines.lookup import PromptLookup
from tkinfer.engines.prompt import Prompt, PromptBuilder
from tkinfer.engines.turns import TurnAbortedError, TurnGate

PROGRESS_S = 0.05  # twenty times a second is more than an eye sees


class TokenSampler(Protocol):
    """Picks tokens; frees its memory at the end of a `with`."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

    def sample(self, index: int = -1) -> int:
        """Choose the next token from an output of the last evaluation."""
        ...

    def alternatives(self) -> tuple[tuple[int, float], ...]:
        """The likeliest tokens at the last `sample`, with their probabilities."""
        ...


class Generator(Protocol):
    """What decoding needs of a model, beside the KV cache."""

    context_size: int
    batch: int
    """Prompt tokens evaluated at once."""

    def piece(self, token: int) -> bytes:
        """The bytes that a token adds to the text; none for control tokens."""
        ...

    def control_text(self, token: int) -> str:
        """How a control token is written; empty for all others."""
        ...

    def ends(self, token: int) -> bool:
        """Whether the model says with it that its turn is over."""
        ...

    def sampler(
        self, sampling: Sampling, seed: int, recent: Sequence[int], answered: Sequence[int]
    ) -> TokenSampler:
        """What picks the next token, behind `recent` and the answer's own tokens so far."""
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
        self._sampling = request.sampling
        self._model = model
        self._cache = cache
        self._gate = gate
        self._send = send
        self._text = AnswerText()
        self._ids: list[int] = []
        self._seq = 0
        self._textless = 0
        self._made = 0
        self._reasoned = 0
        self._paused_s = 0.0
        self._prompt_tokens = 0
        self._lookup: PromptLookup | None = None
        self._guess: list[int] = []
        """Tokens that were evaluated before they were chosen."""
        self._guess_s = 0.0
        self._right = 0
        """So many of them were chosen meanwhile."""
        self._began = self._prefilled = self._first = time.perf_counter()
        self.evaluated = 0
        """Tokens put through the model for this turn, of prompt and answer."""

    @property
    def tokens(self) -> AnswerTokens:
        """The answer so far, token by token; of one that is gone on with, from its beginning."""
        count = len(self._ids) - self._text.stop_tokens
        return AnswerTokens(ids=tuple(self._ids[:count]), ends=tuple(self._text.ends[:count]))

    def run(self, builder: PromptBuilder) -> EngineFinished:
        """Make the answer; its pieces are sent as they come.

        Raises:
            TurnAbortedError: the turn was stopped.
            PromptError: it can't be answered as it is; nothing was evaluated.
            EngineError: llama.cpp failed.
        """
        request, model = self._request, self._model
        prompt = builder.build(
            request.messages,
            format=request.format,
            resume=request.resume,
            context_size=model.context_size,
            max_tokens=self._sampling.max_tokens,
            check=self._gate.check,
        )
        self._gate.check()
        self._announce(prompt)
        self._take_up(prompt)
        seed = self._seed()
        before = prompt.tokens[: len(prompt.tokens) - len(prompt.answered)]
        with model.sampler(self._sampling, seed, before, prompt.answered) as sampler:
            cached = self._cache.reuse(prompt.tokens)
            began_prefill = time.perf_counter()
            self._prefill(prompt.tokens, cached)
            self._prefilled = self._first = time.perf_counter()
            self._gate.enter(Phase.DECODE)
            reason = self._decode(sampler, prompt)
        self._show(self._text.finish())
        return EngineFinished(
            turn=request.turn,
            reason=reason,
            tokens=self.tokens,
            figures=self._figures(prompt, cached, began_prefill, seed),
        )

    def _seed(self) -> int:
        seed = self._sampling.seed
        return int.from_bytes(os.urandom(4)) >> 1 if seed is None else seed

    def _announce(self, prompt: Prompt) -> None:
        self._send(
            PromptReady(
                turn=self._request.turn,
                tokens=len(prompt.tokens),
                left_out=prompt.left_out,
                format=prompt.format,
                fell_back=prompt.fell_back,
            )
        )

    def _take_up(self, prompt: Prompt) -> None:
        """Bring the text to where the answer was cut, if it is gone on with."""
        self._text = AnswerText(stop=self._sampling.stop, reasoning_open=prompt.reasoning_open)
        for token in prompt.answered:
            self._feed(token)

    def _figures(self, prompt: Prompt, cached: int, began_prefill: float, seed: int) -> Figures:
        lookup = self._lookup
        return Figures(
            prompt_tokens=len(prompt.tokens),
            cached_tokens=cached,
            answer_tokens=self._made,
            reasoning_tokens=self._reasoned,
            prefill_s=self._prefilled - began_prefill,
            decode_s=time.perf_counter() - self._prefilled,
            first_token_s=self._first - self._began,
            paused_s=self._paused_s,
            context_used=len(self._cache.tokens),
            context_size=self._model.context_size,
            drafted_tokens=lookup.drafted if lookup else 0,
            accepted_tokens=lookup.accepted if lookup else 0,
            seed=seed,
        )

    # ---- the prompt -------------------------------------------------------------------------

    def _prefill(self, tokens: list[int], done: int) -> None:
        total, batch = len(tokens), self._model.batch
        last_bound = (total - 1) // batch * batch
        told = self._tell_progress(done, total)
        while done < total:
            self._gate.check()
            # Chunks end at multiples of their size, wherever the cached part ended: see Cache.
            end = min(total, (done // batch + 1) * batch)
            self._evaluate(tokens[done:end])
            done = end
            if done == last_bound:
                self._cache.checkpoint()
            if time.perf_counter() - told >= PROGRESS_S or done == total:
                told = self._tell_progress(done, total)

    def _tell_progress(self, done: int, total: int) -> float:
        self._send(PrefillProgress(turn=self._request.turn, done=done, total=total))
        return time.perf_counter()

    def _evaluate(self, tokens: Sequence[int], *, all_outputs: bool = False) -> None:
        before = len(self._cache.tokens)
        done = self._cache.evaluate(tokens, all_outputs=all_outputs)
        self.evaluated += max(0, len(self._cache.tokens) - before)
        if not done:
            raise TurnAbortedError

    # ---- the answer -------------------------------------------------------------------------

    def _decode(self, sampler: TokenSampler, prompt: Prompt) -> EndReason:
        if self._sampling.max_tokens == 0:
            return EndReason.LENGTH
        self._prompt_tokens = len(prompt.tokens)
        if self._sampling.prompt_lookup and self._cache.cuts_anywhere:
            self._lookup = PromptLookup(prompt.tokens, self._model.ends, self._model.batch - 1)
        try:
            return self._decode_with(sampler)
        finally:
            self._settle_guess()

    def _decode_with(self, sampler: TokenSampler) -> EndReason:
        output = -1
        while True:
            self._gate.check()
            token = sampler.sample(output)
            reason = self._take(token, sampler)
            if self._right < len(self._guess) and token == self._guess[self._right]:
                self._right += 1  # evaluated already, and output number `right` is what follows it
                output = self._right
            elif reason is None:
                self._settle_guess()
                output = self._go_on(token)
            if reason is not None:
                return reason

    def _take(self, token: int, sampler: TokenSampler) -> EndReason | None:
        """Let a chosen token be part of the answer; say if the answer ends with it."""
        if not self._made:
            self._first = time.perf_counter()
        if self._model.ends(token):
            return EndReason.END_OF_TEXT
        self._made += 1
        self._textless += 1
        if self._lookup is not None:
            self._lookup.add(token)
        spans = self._feed(token)
        self._reasoned += self._text.reasoning
        if spans:
            self._show(spans, sampler)
        if self._text.stopped:
            return EndReason.STOP_STRING
        if self._made == self._sampling.max_tokens:
            return EndReason.LENGTH
        if self._room < 1:
            return EndReason.CONTEXT_FULL
        return None

    @property
    def _room(self) -> int:
        """How many tokens of the answer can still be evaluated."""
        return self._model.context_size - self._prompt_tokens - self._made + 1

    def _feed(self, token: int) -> Sequence[Span]:
        self._ids.append(token)
        raw = self._model.piece(token)
        if not raw and (control := self._model.control_text(token)):
            return self._text.control(control)
        return self._text.feed(raw)

    def _go_on(self, token: int) -> int:
        """Evaluate the token; return the output from which to choose the next one."""
        lookup = self._lookup
        if lookup is None:
            self._evaluate([token])
            return -1
        most = self._sampling.max_tokens
        room = self._room - 1
        guess = lookup.guess(room if most is None else min(room, most - self._made))
        began = time.perf_counter()
        self._evaluate([token, *guess], all_outputs=bool(guess))
        took = time.perf_counter() - began
        if not guess:
            lookup.plain(took)
            return -1
        self._guess, self._guess_s = guess, took
        return 0

    def _settle_guess(self) -> None:
        """Take what was guessed wrong out of the cache again."""
        guess, right = self._guess, self._right
        self._guess, self._right = [], 0
        if guess and self._lookup is not None:
            began = time.perf_counter()
            self._cache.drop_last(len(guess) - right)
            took = self._guess_s + time.perf_counter() - began
            self._lookup.judged(len(guess), right, took)

    def _show(self, spans: Sequence[Span], sampler: TokenSampler | None = None) -> None:
        alternatives = self._alternatives(sampler)
        for span in spans:
            self._paused_s += self._gate.spend()
            tokens, self._textless = self._textless, 0
            self._send(
                Piece(
                    turn=self._request.turn,
                    seq=self._seq,
                    text=span.text,
                    tokens=tokens,
                    channel=span.channel,
                    alternatives=alternatives,
                )
            )
            self._seq += 1

    def _alternatives(self, sampler: TokenSampler | None) -> tuple[tuple[str, float], ...]:
        if sampler is None or not self._sampling.alternatives:
            return ()
        model = self._model
        return tuple(
            (model.control_text(token) or model.piece(token).decode("utf-8", "replace"), share)
            for token, share in sampler.alternatives()
        )
