"""Time to first token in the tenth turn of a chat, with the KV cache kept and without.

Without: an engine that has just loaded the model gets the same prompt.
"""

from typing import TYPE_CHECKING

from tests.bench.common import Figures, Options, as_ms, at_most, median, say, starter
from tests.bench.talk import ask, question
from tests.tkinfer.engines.rig import Rig

if TYPE_CHECKING:
    from actors.engine import ChatMessage

BUDGETS = {"ratio": at_most(0.1)}
TURNS = 10
LONG_WORDS = 225
QUICK_LONG_WORDS = 80
SHORT_WORDS = 6
ANSWER_TOKENS = 24


def run(options: Options) -> Figures:
    kept: list[float] = []
    cleared: list[float] = []
    tokens = new = 0
    rounds, long_words = (1, QUICK_LONG_WORDS) if options.quick else (3, LONG_WORDS)
    with Rig() as rig:
        for number in range(rounds):
            rig.load(starter())
            chat: list[ChatMessage] = []
            for turn in range(TURNS):
                words = long_words if turn < TURNS - 1 else SHORT_WORDS
                chat.append(question(100 * number + turn, words))
                reply = ask(rig, chat, ANSWER_TOKENS)
                chat.append(reply.message)
            kept.append(reply.figures.first_token_s)
            tokens = reply.figures.prompt_tokens
            new = tokens - reply.figures.cached_tokens
            rig.load(starter())
            cleared.append(ask(rig, chat[:-1], ANSWER_TOKENS).figures.first_token_s)
            say(f"{tokens} tokens: kept {as_ms(kept[-1])} ms, cleared {as_ms(cleared[-1])} ms")
    return {
        "ratio": round(median(kept) / median(cleared), 4),
        "kept_ms": as_ms(median(kept)),
        "cleared_ms": as_ms(median(cleared)),
        "prompt_tokens": tokens,
        "new_tokens": new,
    }
