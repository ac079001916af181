"""The transcript by itself: opening a chat of 10,000 messages, scrolling in it, hard lines.

`render_us_per_char` is the renderer's side, on a thread of its own; all else is the Tk thread's.
"""

import json
import statistics
import time
from collections.abc import Callable

from tests.bench.common import Figures, Options, as_ms, at_most, percentile, say
from tests.bench.material import (
    WORDS,
    batches,
    beginning,
    chat_entries,
    markdown,
    paced,
)
from tests.bench.program import SCRIPTED_MODEL, Heartbeat, Program, running_program
from tests.tkinfer.ui.rig import Rig
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.markdown.renderer import MarkdownRenderer
from tkinfer.ui.view import Entry

BUDGETS = {
    "open_ms": at_most(150),
    "scroll_p99_ms": at_most(25),
    "endless_line_late_max_ms": at_most(50),
    "minified_late_max_ms": at_most(50),
}
MESSAGES = 10_000
PIECES_PER_S = 500
PIECE = 12
SCROLL_MS = 400


def run(options: Options) -> Figures:
    rig = Rig("1000x740")
    try:
        say(f"opening a chat of {MESSAGES} messages")
        entries = chat_entries(MESSAGES)
        figures = opening(rig, entries, 5 if options.quick else 15)
        say("scrolling up through it")
        figures |= scrolling(rig, 400 if options.quick else 1_500)
        say("resizing")
        figures |= resizing(rig, 10)
    finally:
        rig.close()
    figures |= rendering(60_000)
    share = 0.4 if options.quick else 1.0
    for name, whole in (("endless_line", endless_line()), ("minified", minified())):
        text = whole[: round(len(whole) * share)]
        say(f"streaming {len(text)} characters: {name}")
        figures |= streaming(name, text)
    return figures


def opening(rig: Rig, entries: list[Entry], times: int) -> Figures:
    took: list[float] = []
    for _ in range(times):
        rig.show()
        rig.settle()
        began = time.perf_counter()
        rig.show(*entries)
        rig.root.update_idletasks()  # the first paint; the margin above the view comes later
        took.append(time.perf_counter() - began)
        wait(rig, 0.5)
    return {"open_ms": as_ms(statistics.median(took)), "open_max_ms": as_ms(max(took))}


def scrolling(rig: Rig, steps: int) -> Figures:
    """Turn the wheel upwards, 40 times a second; a step is late by what the main loop was busy."""
    late: list[float] = []
    for _ in range(steps):
        began = time.perf_counter()
        rig.text.yview_scroll(-6, "units")
        rig.settle()
        late.append(time.perf_counter() - began)
        while time.perf_counter() < began + 0.025:
            rig.settle()
            time.sleep(0.001)
    first = rig.window.transcript.first_visible()
    return {
        "scroll_p50_ms": as_ms(percentile(late, 50)),
        "scroll_p99_ms": as_ms(percentile(late, 99)),
        "scroll_max_ms": as_ms(max(late)),
        "scrolled_messages": MESSAGES - first,
    }


def resizing(rig: Rig, times: int) -> Figures:
    took: list[float] = []
    for number in range(times):
        rig.root.geometry(f"{820 + number % 2 * 240}x740")
        began = time.perf_counter()
        rig.settle()
        took.append(time.perf_counter() - began)
        wait(rig, 0.2)
    return {"resize_ms": as_ms(statistics.median(took)), "resize_max_ms": as_ms(max(took))}


def rendering(chars: int) -> Figures:
    text = beginning(markdown(seed=9), chars)
    renderer = MarkdownRenderer()
    began = time.perf_counter()
    for batch in batches(text):
        renderer.feed(batch)
    renderer.finish()
    return {"render_us_per_char": round((time.perf_counter() - began) * 1e6 / len(text), 2)}


def streaming(name: str, text: str) -> Figures:
    script = Script(pieces=paced(batches(text, PIECE), PIECES_PER_S))
    with running_program(ScriptedEngine(script), SCRIPTED_MODEL) as program:
        beat = Heartbeat(program)
        program.send("Go on.")
        beat.start()
        stop_scrolling = scroll_meanwhile(program)
        program.wait_idle()
        stop_scrolling()
        late = beat.stop()
        if program.answer_text() != text:
            msg = "the text is not as it was sent"
            raise RuntimeError(msg)
    return {
        f"{name}_late_p99_ms": as_ms(percentile(late, 99)),
        f"{name}_late_max_ms": as_ms(max(late)),
    }


def scroll_meanwhile(program: Program) -> Callable[[], None]:
    """Up and down again, now and then, as a reader does. Call the result to end it."""
    text = program.app.window.transcript.text
    timer = ""

    def scroll(step: int) -> None:
        nonlocal timer
        text.yview_scroll(step, "units")
        timer = program.root.after(SCROLL_MS, scroll, -step)

    scroll(-5)
    return lambda: program.root.after_cancel(timer)


def endless_line() -> str:
    """100,000 characters of prose without a line feed (case B-2)."""
    words = " ".join(WORDS)
    return (words + " ") * (100_000 // (len(words) + 1))


def minified() -> str:
    """A fence with one line of 60,000 characters of JSON."""
    rows = [
        {"id": number, "name": WORDS[number % len(WORDS)], "on": True} for number in range(1_500)
    ]
    line = json.dumps(rows, separators=(",", ":"))[:60_000]
    return f"```json\n{line}\n```\n"


def wait(rig: Rig, seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        rig.settle()
        time.sleep(0.005)
