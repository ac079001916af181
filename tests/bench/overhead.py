"""What the window costs: tokens/s drawn, beside a bare decode loop and beside the usual way.

The sides take turns in one run: same model, prompt, threads, context. Each answer of the window is
compared with the bare loops before and after it, so that a machine that changes its speed meanwhile
changes both. `cpu_ratio` compares the CPU time per token of the two decoding processes: it is the
steadier figure when the machine does other work too, but it does not see time spent waiting.

The window's side has stop strings, penalties and the look-out for reasoning on; the loop is bare.
"""

import json
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

from tests.bench.common import Figures, Options, at_least, median, say, starter
from tests.bench.cpu import cpu_ns
from tests.bench.program import EVERYTHING, Program, running_program
from tkinfer.engines.process import ProcessEngine

BUDGETS = {"ratio": at_least(0.97)}
QUESTION = "Count from 1 to 1000 in words, one number on each line. Leave none out."


class Side:
    """A process that answers questions, one line for each."""

    def __init__(self, module: str, model: str, threads: int, context_size: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"tests.bench.{module}", model, str(threads), str(context_size)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def answer(self, tokens: int) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({"question": QUESTION, "tokens": tokens}) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def run(options: Options) -> Figures:
    tokens, rounds = (150, 3) if options.quick else (1_200, 3)
    model = starter()
    with running_program(ProcessEngine(), model) as program:
        info = program.session.model.info
        assert info is not None
        program.use(replace(EVERYTHING, max_tokens=tokens))
        bare = Side("bare_loop", model, info.threads, info.context_size)
        usual = Side("usual_way", model, info.threads, info.context_size)
        try:
            return measure(program, bare, usual, tokens, rounds) | {"threads": info.threads}
        finally:
            bare.end()
            usual.end()


def measure(program: Program, bare: Side, usual: Side, tokens: int, rounds: int) -> Figures:
    bare.answer(20)  # both have loaded once this is answered
    usual.answer(20)
    ratios: list[float] = []
    cpu_ratios: list[float] = []
    usual_ratios: list[float] = []
    drawn_rates: list[float] = []
    same = True
    before = told("bare loop", bare.answer(tokens))
    bare_rates = [before["per_s"]]
    for number in range(rounds):
        drawn = told("window", window_answer(program))
        after = told("bare loop", bare.answer(tokens))
        bare_rates.append(after["per_s"])
        drawn_rates.append(drawn["per_s"])
        ratios.append(2 * drawn["per_s"] / sum(bare_rates[-2:]))
        cpu_ratios.append(after["cpu_ms"] / drawn["cpu_ms"])
        same = same and drawn["text"] == after["text"]
        if number == 0 or tokens > 1_000:
            rate = told("usual way", usual.answer(tokens))["per_s"]
            usual_ratios.append(rate / after["per_s"])
    return {
        "ratio": round(median(ratios), 3),
        "ratio_min": round(min(ratios), 3),
        "ratio_max": round(max(ratios), 3),
        "cpu_ratio": round(median(cpu_ratios), 3),
        "usual_way_ratio": round(median(usual_ratios), 3),
        "tokens_per_s": round(median(drawn_rates), 1),
        "bare_tokens_per_s": round(median(bare_rates), 1),
        "tokens": before["tokens"],
        "same_text": int(same),
    }


def told(side: str, answer: dict[str, Any]) -> dict[str, Any]:
    say(f"{side}: {answer['tokens']} tokens, {answer['per_s']:.1f} a second")
    return answer


def window_answer(program: Program) -> dict[str, Any]:
    """Ask in a new chat; the time runs from the first to the last drawing."""
    times: list[float] = []
    used_ns: list[int] = []
    draw = program.app.window.draw
    assert isinstance(program.engine, ProcessEngine)
    pid = program.engine.pid or 0

    def timed_draw(*args: Any) -> None:
        draw(*args)
        times.append(time.perf_counter())
        used_ns.append(cpu_ns(pid) or 0)

    program.session.new_chat()
    program.app.window.draw = timed_draw
    try:
        program.send(QUESTION)
        program.wait_idle()
    finally:
        program.app.window.draw = draw
    message = program.session.conversation.messages[-1]
    assert message.figures is not None
    tokens = message.figures.answer_tokens
    rate = (tokens - 1) / (times[-1] - times[0])
    cpu_ms = (used_ns[-1] - used_ns[0]) / (tokens - 1) / 1e6
    return {"tokens": tokens, "per_s": rate, "cpu_ms": cpu_ms, "text": message.text}
