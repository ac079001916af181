"""The engine's parts, timed one by one in a process that has llama.cpp. One side of `engine`.

`python -m tests.bench.engine_parts MODEL QUICK` prints one line of JSON.
"""

import ctypes
import json
import sys
import time
from collections.abc import Callable

from actors.engine import ChatMessage, PromptFormat
from actors.loading import LoadSpec
from actors.sampling import Sampling
from tests.bench.common import median
from tests.bench.talk import question
from tkinfer.engines import loading
from tkinfer.engines.llama import api
from tkinfer.engines.llama.model import Model
from tkinfer.engines.prompt import PromptBuilder

TURNS = 20
TOKENS = list(range(1000, 1128))
BATCHES = (8, 16, 24, 40)
"""Tokens of one guess, up to the longest."""


def timed(action: Callable[[], object], times: int) -> float:
    """The median time of an action, in seconds."""
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        took.append(time.perf_counter() - began)
    return median(took)


def main() -> None:
    path, quick = sys.argv[1], sys.argv[2] == "1"
    api.set_up()
    times = 5 if quick else 20
    spec = LoadSpec(path=path, context_size=2048)
    figures = {"plan_ms": 1000 * timed(lambda: loading.plan(spec), times)}
    model = Model(spec, (ctypes.c_ubyte * 2)(), lambda _fraction: True)
    model.evaluate(TOKENS[:128])
    figures |= samplers(model, times)
    figures["lookup_limit_ratio"] = batch_gain(model, times)
    vocabulary = model.vocabulary
    builder = PromptBuilder(vocabulary, vocabulary.templates)
    chat: list[ChatMessage] = []
    for turn in range(TURNS):
        chat += [question(turn, 30), ChatMessage(role="assistant", content="So it is. " * 8)]
    figures["template_ms"] = 1000 * timed(lambda: build(builder, chat[:-1]), times)
    model.close()
    print(json.dumps(figures), flush=True)


def samplers(model: Model, times: int) -> dict[str, float]:
    """The time of one choice, by several settings."""
    figures: dict[str, float] = {}
    for name, sampling in (
        ("sampler", Sampling()),
        ("sampler_penalties", Sampling(repeat_penalty=1.1)),
        ("sampler_greedy", Sampling(temperature=0)),
        ("sampler_json", Sampling(json_schema='{"type": "object"}')),
    ):
        with model.sampler(sampling, 1, TOKENS[:64], ()) as sampler:
            seconds = timed(sampler.sample, 40 if name == "sampler_json" else 50 * times)
            figures[f"{name}_us_per_token"] = 1e6 * seconds
    return figures


def batch_gain(model: Model, times: int) -> float:
    """How much faster tokens are evaluated together than one by one: no guessing gains more.

    It is a matter of the processor. Where one token alone keeps it busy (without AVX-512, or with
    another program beside it), a batch gains little.
    """
    held = model.held()

    def evaluate(count: int) -> None:
        model.evaluate(TOKENS[:count], all_outputs=True)
        model.truncate(held)

    alone = timed(lambda: evaluate(1), 2 * times)
    return max(
        count * alone / timed(lambda count=count: evaluate(count), max(3, times // 2))
        for count in BATCHES
    )


def build(builder: PromptBuilder, chat: list[ChatMessage]) -> object:
    return builder.build(
        chat,
        format=PromptFormat(),
        resume=False,
        context_size=8192,
        max_tokens=None,
        check=lambda: None,
    )


if __name__ == "__main__":
    main()
