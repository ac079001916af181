"""Random stops in several chats, mixed with edits, second tries, continuing and switching.

After each stop the engine is asked what a user may ask next, and a fresh engine is asked the same:
whatever the first one's caches have been through, the answers must be the same to the token.
Prompts are read in batches of 32 tokens on one thread, since the rounding of llama.cpp's kernels
changes with the number of tokens only from 64 on (or with more threads, from 2 on).
"""

import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from actors.engine import Aborted, AnswerTokens, ChatMessage, EngineFinished, Piece
from actors.loading import LoadSpec
from actors.sampling import Sampling
from actors.turn import Phase, TurnId
from tests.tkinfer.engines.rig import Rig

WORDS = ("ship", "sea", "storm", "sail", "wind", "rope", "anchor", "harbour", "crew", "map")
CHATS = 3
PROBE = Sampling(temperature=0, max_tokens=6, repeat_penalty=1.1)
MOST_TURNS = 2
SYSTEM_WORDS = 24
LENGTHS = (5, 20, 60)
"""Words of a question; 24 and more are several batches."""


class MixedStops:
    """One engine that is stopped over and over, and one that is always fresh."""

    def __init__(self, rig: Rig, fresh: Rig, model: Path, seed: int) -> None:
        self.rig = rig
        self.fresh = fresh
        self.spec = LoadSpec(path=str(model), context_size=1024, threads=1, batch=32)
        self.random = random.Random(seed)
        self.chats = [self.new_chat(number) for number in range(CHATS)]
        self.kinds: Counter[str] = Counter()
        self.poisoned: list[str] = []
        """What was done before an answer that differs from a fresh engine's."""
        rig.load_spec(self.spec)

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(WORDS, k=count))

    def new_chat(self, number: int) -> list[ChatMessage]:
        text = f"Chat {number}. {self.words(SYSTEM_WORDS)}"
        return [ChatMessage(role="system", content=text)]

    def stop_once(self) -> None:
        """Begin an answer, stop it somewhere, and compare what comes next."""
        number = self.random.randrange(CHATS)
        kind, resume = self._prepare(number)
        phase = self._run_and_stop(number, resume=resume)
        self.kinds.update((kind, phase.value))
        probe, next_kind = self._probe(self.random.randrange(CHATS))
        self.kinds[next_kind] += 1
        answer = self._answer(self.rig, *probe)
        self.fresh.load_spec(self.spec)
        expected = self._answer(self.fresh, *probe)
        if answer != expected:
            self.poisoned.append(f"{kind} stopped in {phase}, then {next_kind}")
        self.rig.events.clear()
        self.fresh.events.clear()

    # ---- what the user does -----------------------------------------------------------------

    def _prepare(self, number: int) -> tuple[str, bool]:
        chat = self.chats[number]
        if len(chat) > 2 * MOST_TURNS:
            chat = self.chats[number] = self.new_chat(number)
        kinds = ["send"]
        if chat[-1].role == "assistant":
            kinds += ["continue", "regenerate", "edit"]
        elif chat[-1].role == "user":
            kinds += ["edit"]
        kind = self.random.choice(kinds)
        if kind == "regenerate":
            del chat[-1]
        elif kind == "edit":
            while chat[-1].role != "user":
                del chat[-1]
            del chat[-1]
        if kind in ("send", "edit"):
            length = self.random.choice(LENGTHS)
            chat.append(ChatMessage(role="user", content=self.words(length)))
        return kind, kind == "continue"

    def _run_and_stop(self, number: int, *, resume: bool) -> Phase:
        chat = self.chats[number]
        seed = self.random.randrange(1000)
        sampling = Sampling(
            temperature=1, seed=seed, max_tokens=60, repeat_penalty=1.1, stop=("storm sea",)
        )
        credit = self.random.choice((2, 5, 1000))
        turn = self.rig.start(tuple(chat), sampling, credit, resume=resume)
        if self.random.random() < 0.4:
            self.rig.prefilling(turn)
        else:
            pieces = self.random.randrange(1, min(credit, 12) + 1)
            self.rig.until(lambda: self._has(turn, pieces))
        time.sleep(self.random.random() * 0.02)  # no condition: any moment is right
        aborted = self.rig.abort(turn)
        self._keep(chat, self.rig.text(turn), self._tokens(turn, aborted), resume=resume)
        return aborted.phase

    def _has(self, turn: TurnId, pieces: int) -> bool:
        over = any(isinstance(e, EngineFinished) and e.turn == turn for e in self.rig.events)
        return over or len(self.rig.of(Piece, turn)) >= pieces

    def _tokens(self, turn: TurnId, aborted: Aborted) -> AnswerTokens:
        ends = self.rig.of(EngineFinished, turn)
        return ends[0].tokens if ends else aborted.tokens

    def _keep(
        self, chat: list[ChatMessage], text: str, tokens: AnswerTokens, *, resume: bool
    ) -> None:
        """Keep what was drawn: a window may be some characters behind."""
        drawn = text[: len(text) - self.random.choice((0, 0, 1, 7))] if text else ""
        before = chat.pop() if resume else ChatMessage(role="assistant", content="")
        content = before.content + drawn
        kept = tuple(
            token for token, end in zip(tokens.ids, tokens.ends, strict=True) if end <= len(content)
        )
        if content:
            ids = kept or before.tokens
            chat.append(replace(before, content=content, tokens=ids))

    # ---- what comes next --------------------------------------------------------------------

    def _probe(self, number: int) -> tuple[tuple[tuple[ChatMessage, ...], bool], str]:
        chat = list(self.chats[number])
        if chat[-1].role == "assistant" and self.random.random() < 0.5:
            return (tuple(chat), True), "then continue"
        chat.append(ChatMessage(role="user", content=self.words(6)))
        return (tuple(chat), False), "then ask"

    def _answer(
        self,
        rig: Rig,
        messages: tuple[ChatMessage, ...],
        resume: bool,
    ) -> tuple[str, tuple[int, ...]]:
        turn = rig.start(messages, PROBE, resume=resume)
        end = rig.finished(turn)
        return rig.text(turn), end.tokens.ids
