"""An engine without limit: 200,000 numbered pieces as fast as credit allows, into the real window.

`lost` counts pieces that are missing from the kept text or from the text on the screen.
"""

import gc
import time

import psutil

from tests.bench.common import Figures, Options, as_ms, at_least, at_most, percentile, say
from tests.bench.material import numbered
from tests.bench.program import SCRIPTED_MODEL, Heartbeat, Program, running_program
from tkinfer.engines.scripted import Script, ScriptedEngine

BUDGETS = {
    "pieces_per_s": at_least(3_000),
    "peak_fill": at_most(1),
    "rss_growth_mb": at_most(20),
    "lost": at_most(0),
}
AMOUNT = 200_000
QUICK_AMOUNT = 60_000
WARM_UP = 500
RSS_EVERY_S = 0.25
MB = 1024 * 1024


def run(options: Options) -> Figures:
    amount = QUICK_AMOUNT if options.quick else AMOUNT
    scripts = iter((Script(pieces=numbered(WARM_UP)), Script(pieces=numbered(amount))))
    engine = ScriptedEngine(lambda _request: next(scripts))
    with running_program(engine, SCRIPTED_MODEL) as program:
        program.send("Warm up.")  # what is allocated once is not growth
        program.wait_idle()
        program.session.new_chat()
        say(f"flooding with {amount} pieces")
        figures = flood(program, amount)
        figures |= fills(program, engine)
        figures["lost"] = lost(program, amount)
    return figures


def flood(program: Program, amount: int) -> Figures:
    process, beat = psutil.Process(), Heartbeat(program)
    gc.collect()
    before = peak = process.memory_info().rss
    looked_at = 0.0

    def ended() -> bool:
        nonlocal peak, looked_at
        if time.perf_counter() - looked_at > RSS_EVERY_S:
            looked_at = time.perf_counter()
            peak = max(peak, process.memory_info().rss)
        return not program.running()

    program.send("Flood.")
    began = time.perf_counter()
    beat.start()
    program.run_until(ended, "the end of the flood", limit_s=600)
    took = time.perf_counter() - began
    late = beat.stop()
    return {
        "pieces": amount,
        "pieces_per_s": round(amount / took),
        "rss_growth_mb": round((max(peak, process.memory_info().rss) - before) / MB, 1),
        "flood_late_p99_ms": as_ms(percentile(late, 99)),
        "flood_late_max_ms": as_ms(max(late)),
    }


def fills(program: Program, engine: ScriptedEngine) -> Figures:
    """How full each queue ever was, as a share of its window."""
    chain = program.session.jobs.chain
    fill = {hop.name: hop.high_water / hop.window for hop in chain.hops()}
    fill["engine"] = engine.counts.most_unacknowledged / chain._windows.engine
    figures: Figures = {
        f"fill_{name.replace('-', '_')}": round(share, 3) for name, share in fill.items()
    }
    figures["peak_fill"] = round(max(fill.values()), 3)
    return figures


def lost(program: Program, amount: int) -> int:
    expected = list(numbered(amount))
    kept = program.answer_text()
    text = program.app.window.transcript.text
    on_screen = text.get("1.0", "end")
    joined = "".join(expected)
    if kept == joined and joined in on_screen:
        return 0
    missing = sum(piece not in kept or piece not in on_screen for piece in expected)
    return max(1, missing)  # in disorder, if all are there
