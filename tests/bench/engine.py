"""The engine alone: prompt lookup, samplers, templates, memory plans, switching between chats."""

import json
import subprocess
import sys

from actors.engine import ChatMessage
from tests.bench.common import Figures, Options, as_ms, at_least, at_most, median, say, starter
from tests.bench.talk import Reply, ask, question
from tests.tkinfer.engines.rig import Rig

BUDGETS = {
    "lookup_copy_ratio": at_least(1.3),
    "lookup_plain_ratio": at_least(0.95),
    "sampler_us_per_token": at_most(400),
    "chat_switch_ms": at_most(100),
}
COPY = """Repeat the following text word for word.

Once there was a small boat in the harbour. Every morning the captain painted its sides, and every
evening the rain washed the paint away. The children of the town laughed at him, but he went on
painting. One day the rain stopped, and the boat was blue.

The next week a woman came down from the hills with a basket of apples. She wanted to cross the bay
before dark, and no other captain would take her. He said that he would, if she told him why. She
laughed, and gave him the reddest apple of all."""
PLAIN = "Tell me a long story about a ship that was lost at sea, with many details."
CHAT_TOKENS = 1_000


def run(options: Options) -> Figures:
    figures = parts(quick=options.quick)
    rounds = 2 if options.quick else 6
    with Rig() as rig:
        rig.load(starter())
        figures |= lookup(rig, "copy", COPY, 300, rounds)
        figures |= lookup(rig, "plain", PLAIN, 120 if options.quick else 200, rounds)
        figures |= switches(rig, 3 * rounds)
    return figures


def parts(*, quick: bool) -> Figures:
    """What `engine_parts` measures in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.engine_parts", starter(), str(int(quick))]
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout
    return {key: round(value, 2) for key, value in json.loads(output).items()}


def lookup(rig: Rig, name: str, task: str, tokens: int, rounds: int) -> Figures:
    """Tokens/s with prompt lookup ÷ without, taking turns; and whether the answers are the same."""
    chat = [ChatMessage(role="user", content=task)]
    ask(rig, chat, 20)
    ratios: list[float] = []
    same = True
    for number in range(rounds):
        sides = [
            ask(rig, chat, tokens, lookup=lookup) for lookup in (number % 2 == 1, number % 2 == 0)
        ]
        plain, drafted = sides if number % 2 == 0 else reversed(sides)
        ratios.append(drafted.figures.tokens_per_s / plain.figures.tokens_per_s)
        same = same and drafted.message == plain.message
        say(f"{name}: {told(plain)}, with lookup {told(drafted)}")
    drafted_tokens = drafted.figures.drafted_tokens
    return {
        f"lookup_{name}_ratio": round(median(ratios), 3),
        f"lookup_{name}_same": int(same),
        f"lookup_{name}_accepted": round(
            drafted.figures.accepted_tokens / max(1, drafted_tokens), 3
        ),
        f"lookup_{name}_tokens": drafted.figures.answer_tokens,
    }


def told(reply: Reply) -> str:
    return f"{reply.figures.answer_tokens} tokens, {reply.figures.tokens_per_s:.1f} a second"


def switches(rig: Rig, times: int) -> Figures:
    """Go to and fro between two chats; what isn't the reading of the new question is the switch."""
    chats = [[question(number, CHAT_TOKENS)] for number in (1, 2)]
    for chat in chats:
        chat.append(ask(rig, chat, 4).message)
    took: list[float] = []
    first: list[float] = []
    kept = 0
    for number in range(times):
        chat = chats[number % 2]
        chat.append(question(number + 3, 5))
        reply = ask(rig, chat, 4)
        chat.append(reply.message)
        kept = reply.figures.cached_tokens
        took.append(reply.figures.first_token_s - reply.figures.prefill_s)
        first.append(reply.figures.first_token_s)
    say(f"switches: {[as_ms(one) for one in took]} ms")
    return {
        "chat_switch_ms": as_ms(median(took)),
        "chat_switch_max_ms": as_ms(max(took)),
        "chat_switch_first_token_ms": as_ms(median(first)),
        "chat_switch_kept_tokens": kept,
    }
