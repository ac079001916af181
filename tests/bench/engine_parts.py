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
PROMPT_TOKENS = 200


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
    model.evaluate(list(range(1000, 1000 + PROMPT_TOKENS))[:128])
    for name, sampling in (
        ("sampler", Sampling()),
        ("sampler_penalties", Sampling(repeat_penalty=1.1)),
        ("sampler_greedy", Sampling(temperature=0)),
        ("sampler_json", Sampling(json_schema='{"type": "object"}')),
    ):
        with model.sampler(sampling, 1, list(range(1000, 1064)), ()) as sampler:
            seconds = timed(sampler.sample, 40 if name == "sampler_json" else 50 * times)
            figures[f"{name}_us_per_token"] = 1e6 * seconds
    vocabulary = model.vocabulary
    builder = PromptBuilder(vocabulary, vocabulary.templates)
    chat: list[ChatMessage] = []
    for turn in range(TURNS):
        chat += [question(turn, 30), ChatMessage(role="assistant", content="So it is. " * 8)]
    figures["template_ms"] = 1000 * timed(lambda: build(builder, chat[:-1]), times)
    model.close()
    print(json.dumps(figures), flush=True)


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
