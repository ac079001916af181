"""Does the window stay alive? Lateness of 16 ms ticks while text streams into a long chat.

First 500 pieces a second, reasoning and then Markdown with tables, formulae and code; then the real
model; both into a chat of 2,000 messages. The heartbeat is a timer of its own in the main loop: it
is late by as much as a key press would be.
"""

import time
from itertools import islice

from tests.bench.common import Figures, Options, as_ms, at_most, percentile, say, starter
from tests.bench.material import CHAT, paced, paragraphs, pieces, streamed_markdown
from tests.bench.program import (
    SCRIPTED_MODEL,
    EitherEngine,
    Heartbeat,
    Program,
    running_program,
)
from tkinfer.engines.scripted import Script, ScriptedEngine

BUDGETS = {
    "late_p99_ms": at_most(4),
    "late_max_ms": at_most(30),
    "real_late_p99_ms": at_most(8),
    "real_late_max_ms": at_most(50),
}
PIECES_PER_S = 500
QUESTION = "Write a very long story about a clockmaker who repairs the moon. Tell every detail."


def run(options: Options) -> Figures:
    seconds = 12 if options.quick else 40
    amount = seconds * PIECES_PER_S
    thoughts = paced(islice(pieces(paragraphs()), amount // 10), PIECES_PER_S)
    script = Script(reasoning=thoughts, pieces=streamed_markdown(amount, PIECES_PER_S))
    engine = EitherEngine(ScriptedEngine(script))
    with running_program(engine, SCRIPTED_MODEL) as program:
        say(f"filling the chat with {CHAT} messages")
        program.fill_chat(CHAT)
        idle = Heartbeat(program)
        idle.start()
        program.run_for(2)
        figures: Figures = {"idle_late_p99_ms": as_ms(percentile(idle.stop(), 99))}
        say(f"streaming {amount} pieces at {PIECES_PER_S} a second")
        figures |= stream_script(program, amount)
        say("loading the real model")
        program.open(starter())
        program.run_for(1)
        say(f"streaming from the real model for {seconds} s")
        figures |= stream_model(program, seconds)
    return figures


def stream_script(program: Program, amount: int) -> Figures:
    beat = Heartbeat(program)
    program.send("Go on.")
    began = time.perf_counter()
    beat.start()
    program.wait_idle()
    late = beat.stop()
    return {
        "late_p50_ms": as_ms(percentile(late, 50)),
        "late_p99_ms": as_ms(percentile(late, 99)),
        "late_max_ms": as_ms(max(late)),
        "pieces_per_s": round(amount / (time.perf_counter() - began)),
        "ticks": len(late),
    }


def stream_model(program: Program, seconds: float) -> Figures:
    """Ask until the time is over; each question alone is the prompt, the chat stays as it is."""
    beat = Heartbeat(program)
    beat.start()
    chars, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for message in program.session.conversation.messages[-2:]:
            message.refused = True  # so that each question alone is the prompt
        program.send(QUESTION)
        program.run_until(
            lambda: not program.running() or time.perf_counter() > end, "the story", seconds + 10
        )
        chars += len(program.answer_text())
    program.app.stop()
    program.wait_idle()
    late = beat.stop()
    return {
        "real_late_p50_ms": as_ms(percentile(late, 50)),
        "real_late_p99_ms": as_ms(percentile(late, 99)),
        "real_late_max_ms": as_ms(max(late)),
        "real_ticks": len(late),
        "real_chars": chars,
    }
