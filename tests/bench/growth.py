"""Does drawing cost more as things grow? A long code block, and a long chat.

`code_ratio`: lines 4,501-5,000 of one block ÷ its lines 1-500. `chat_ratio`: an answer in a chat of
2,000 messages ÷ one in a chat of 10, taken in turns. Both are what the Tk thread spends on drawing
and repainting; `render_code_ratio` is what the renderer spends, which has a thread of its own.
"""

import random
import statistics
import time

from tests.bench.common import Figures, Options, at_most, say
from tests.bench.material import CHAT, batches, beginning, chat_entries, code, markdown
from tests.tkinfer.ui.rig import Rig
from tkinfer.markdown.renderer import MarkdownRenderer
from tkinfer.ui.view import Tone

BUDGETS = {"code_ratio": at_most(1.3), "chat_ratio": at_most(1.3)}
LINES = 5_000
PART = 500
ANSWER_CHARS = 3_000


def run(options: Options) -> Figures:
    rig = Rig("1000x740")
    try:
        figures = code_block(rig, rounds=1 if options.quick else 3)
        return figures | chats(rig, rounds=5 if options.quick else 15)
    finally:
        rig.close()


def code_block(rig: Rig, rounds: int) -> Figures:
    early: list[float] = []
    late: list[float] = []
    render_early: list[float] = []
    render_late: list[float] = []
    for number in range(rounds):
        say(f"a block of {LINES} lines, round {number + 1} of {rounds}")
        rig.show()
        rig.window.begin_answer("Model")
        renderer = MarkdownRenderer()
        rig.window.draw(renderer.feed("```python\n"))
        for at, line in enumerate(code(random.Random(number), LINES)):
            began = time.perf_counter()
            ops = renderer.feed(line)
            rendered = time.perf_counter()
            rig.window.draw(ops)
            rig.settle()
            drawn = time.perf_counter()
            if at < PART:
                early.append(drawn - rendered)
                render_early.append(rendered - began)
            elif at >= LINES - PART:
                late.append(drawn - rendered)
                render_late.append(rendered - began)
        rig.window.draw(renderer.finish())
        rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    return {
        "code_ratio": round(statistics.median(late) / statistics.median(early), 2),
        "code_line_ms": round(statistics.median(late) * 1000, 2),
        "render_code_ratio": round(
            statistics.median(render_late) / statistics.median(render_early), 2
        ),
    }


def chats(rig: Rig, rounds: int) -> Figures:
    text = beginning(markdown(seed=5), ANSWER_CHARS)
    took: dict[int, list[float]] = {10: [], CHAT: []}
    for number in range(rounds):
        say(f"an answer in two chats, round {number + 1} of {rounds}")
        for size, times in took.items():
            rig.show(*chat_entries(size))
            rig.settle()
            times.append(answer(rig, text))
    small, large = (statistics.median(times) for times in took.values())
    return {
        "chat_ratio": round(large / small, 2),
        "answer_ms": round(large * 1000, 1),
    }


def answer(rig: Rig, text: str) -> float:
    """Seconds on the Tk thread for one answer, in batches as the relay makes them."""
    rig.window.add_user_message("Go on.")
    rig.window.begin_answer("Model")
    renderer = MarkdownRenderer()
    spent = 0.0
    for batch in batches(text):
        ops = renderer.feed(batch)
        began = time.perf_counter()
        rig.window.draw(ops)
        rig.settle()
        spent += time.perf_counter() - began
    rig.window.draw(renderer.finish())
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    return spent
