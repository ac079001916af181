"""The engine process with the real starter model."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from actors.engine import (
    Aborted,
    ChatMessage,
    EngineFinished,
    LoadProgress,
    Piece,
    PrefillProgress,
)
from actors.sampling import Sampling
from actors.turn import EndReason, Phase, TurnId
from tests.tkinfer.engines.rig import Rig, user

pytestmark = [pytest.mark.model, pytest.mark.timeout(400)]

STOPS = 28
"""`python -m tests.bench stop` does hundreds."""
QUESTION = "Tell me a story about a ship."

# llama.cpp alone, as plainly as it can be used: no chunks, no cache, no flag, no process of ours.
PLAIN_LOOP = """
import ctypes, json, sys
import llama_cpp as C
from tests.binding import avoid_amx
avoid_amx()
path, prompt, count, threads = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3]), int(sys.argv[4])
model = C.llama_model_load_from_file(path.encode(), C.llama_model_default_params())
params = C.llama_context_default_params()
params.n_ctx, params.n_threads, params.n_threads_batch = 2048, threads, threads
context = C.llama_init_from_model(model, params)
vocab = C.llama_model_get_vocab(model)
tokens = (C.llama_token * 512)()
size = C.llama_tokenize(vocab, prompt, len(prompt), tokens, 512, False, True)
assert size < 128, "one chunk, or the rounding may differ"
C.llama_decode(context, C.llama_batch_get_one(tokens, size))
sampler = C.llama_sampler_init_greedy()
answer, one = b"", (C.llama_token * 1)()
for _ in range(count):
    token = C.llama_sampler_sample(sampler, context, -1)
    if C.llama_vocab_is_eog(vocab, token):
        break
    buffer = ctypes.create_string_buffer(512)
    size = C.llama_token_to_piece(vocab, token, buffer, 512, 0, False)
    answer += buffer.raw[:size]
    one[0] = token
    C.llama_decode(context, C.llama_batch_get_one(one, 1))
print(json.dumps(answer.decode("utf-8", "replace")))
"""


def greedy(count: int) -> Sampling:
    return Sampling(temperature=0, max_tokens=count)


def pieces(rig: Rig, messages: tuple[ChatMessage, ...], count: int) -> list[str]:
    turn = rig.start(messages, greedy(count))
    rig.finished(turn)
    return [piece.text for piece in rig.of(Piece, turn)]


def test_a_greedy_answer_is_that_of_a_plain_loop(rig: Rig, starter: Path) -> None:
    info = rig.load(starter, context_size=2048).info
    prompt = (
        "<|im_start|>system\nBe brief.<|im_end|>\n"
        f"<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    )
    command = [sys.executable, "-c", PLAIN_LOOP, str(starter), prompt, "60", str(info.threads)]
    run = subprocess.run(command, check=True, capture_output=True)
    system = ChatMessage(role="system", content="Be brief.")
    assert rig.answer((system, *user(QUESTION)), greedy(60)) == json.loads(run.stdout)


def test_the_same_seed_gives_the_same_answer(rig: Rig, starter: Path) -> None:
    rig.load(starter)

    def ask(seed: int | None) -> str:
        sampling = Sampling(
            temperature=1.2, top_p=1, min_p=0, repeat_penalty=1.1, seed=seed, max_tokens=16
        )
        return rig.answer(QUESTION, sampling)

    assert ask(1) == ask(1)
    assert len({ask(2), ask(3), ask(None), ask(None)}) == 4


def test_the_model_says_when_its_turn_is_over(rig: Rig, starter: Path) -> None:
    rig.load(starter)
    end = rig.finished(rig.start("Say hello.", greedy(400)))
    assert end.reason is EndReason.END_OF_TEXT
    assert 0 < end.figures.answer_tokens < 400


def test_a_conversation_goes_on_from_the_cache(rig: Rig, starter: Path) -> None:
    rig.load(starter)
    history = user(QUESTION)
    first = rig.start(history, greedy(30))
    rig.finished(first)
    answer = ChatMessage(role="assistant", content=rig.text(first))
    figures = rig.finished(rig.start((*history, answer, *user("Go on.")), greedy(8))).figures
    # The last token of an answer cut by its limit was not evaluated.
    assert figures.cached_tokens >= rig.finished(first).figures.context_used - 1


class Stops:
    """Random stops in all phases, each from one seed."""

    SHARED = ChatMessage(role="system", content="You know all about ships and the sea. " * 15)
    SHORT = (ChatMessage(role="system", content="Hi"), *user("Ships?"))
    LONG = (SHARED, *user("What is a ship?"))
    """More than a chunk of it is also in some of the prompts that are stopped."""
    KINDS = ("load", "prefill", "late_prefill", "decode", "paused", "early", "late")
    WORDS = ("ship", "sea", "storm", "sail", "wind", "rope", "anchor", "harbour")
    TOKENS = 5

    def __init__(self, rig: Rig, model: Path, seed: int) -> None:
        self.rig = rig
        self.model = model
        self.random = random.Random(seed)
        self.kinds: dict[str, int] = {}

    def words(self, number: int) -> str:
        return " ".join(self.random.choices(self.WORDS, k=number))

    def question(self, number: int) -> tuple[ChatMessage, ...]:
        return self.LONG if number % 30 == 0 else self.SHORT

    def stop_somewhere(self, number: int) -> None:
        """Each kind once at first, then at random."""
        if number < len(self.KINDS):
            kind = self.KINDS[number]
        else:
            kind = self.random.choices(self.KINDS, [3, 38, 2, 29, 14, 10, 4])[0]
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        getattr(self, f"_{kind}")()

    def _start(self, credit: int = 1000) -> TurnId:
        prompt = f"A long story about {self.words(2)}!"
        sampling = Sampling(temperature=1, seed=self.random.randrange(1000))
        return self.rig.start((self.SHORT[0], *user(prompt)), sampling, credit)

    def _moment(self, longest_s: float) -> None:
        time.sleep(self.random.random() * longest_s)  # no condition: any moment is right

    def _flow(self, turn: TurnId, number: int) -> None:
        """Wait for so many pieces; a few answers are shorter."""
        self.rig.until(
            lambda: (
                len(self.rig.of(Piece, turn)) >= number or bool(self.rig.of(EngineFinished, turn))
            )
        )

    def _abort_decode(self, turn: TurnId) -> None:
        aborted = self.rig.abort(turn)
        over = bool(self.rig.of(EngineFinished, turn))
        assert aborted.phase is (Phase.IDLE if over else Phase.DECODE)

    def _load(self) -> None:
        turn = self.rig.ask_load(self.model)
        share = self.random.random() * 0.99
        self.rig.wait(LoadProgress, lambda event: event.turn == turn and event.fraction >= share)
        self.rig.kill()
        self.rig.load(self.model)

    def _prefill(self) -> None:
        turn = self.rig.start(self.words(300))
        self.rig.prefilling(turn)
        self._moment(0.1)  # at any node of the graph
        assert self.rig.abort(turn).phase in (Phase.PREFILL, Phase.DECODE)  # a fast machine

    def _late_prefill(self) -> None:
        turn = self.rig.start((self.SHARED, *user(self.words(300))))
        self.rig.wait(PrefillProgress, lambda event: event.turn == turn and event.done >= 128)
        self._moment(0.1)
        assert self.rig.abort(turn).tokens_kept >= 128

    def _decode(self) -> None:
        turn = self._start()
        self._flow(turn, self.random.randrange(1, 8))
        self._moment(0.015)
        self._abort_decode(turn)

    def _paused(self) -> None:
        credit = self.random.randrange(1, 4)
        turn = self._start(credit)
        self._flow(turn, credit)
        self._moment(0.03)
        self._abort_decode(turn)

    def _early(self) -> None:
        self.rig.abort(self.rig.start(self.words(100)))

    def _late(self) -> None:
        turn = self.rig.start(self.SHORT, greedy(3))
        self.rig.finished(turn)
        assert self.rig.abort(turn).phase is Phase.IDLE


def test_random_stops_poison_no_later_answer(starter: Path) -> None:
    right = {}
    for question in (Stops.SHORT, Stops.LONG):
        with Rig() as fresh:
            fresh.load(starter)
            right[question] = pieces(fresh, question, Stops.TOKENS)
    with Rig() as rig:
        rig.load(starter)
        stops, aborted = Stops(rig, starter, seed=20), 0
        for number in range(STOPS):
            stops.stop_somewhere(number)
            question = stops.question(number)
            assert pieces(rig, question, Stops.TOKENS) == right[question], (number, stops.kinds)
            aborted += len(rig.of(Aborted))
            rig.events.clear()
        assert aborted == STOPS - stops.kinds["load"]
        assert set(stops.kinds) == set(Stops.KINDS)
