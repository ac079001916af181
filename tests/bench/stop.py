"""Does Stop stop? Stops at random moments of each phase, by the Esc key, in the real window.

`P_reset` runs from the moment of the click to a window that is painted without the run; `P_idle` to
the last moment in which the engine computed, as its CPU time shows (for `draw`, where a scripted
engine floods the window, as its thread shows). After each stop a fixed question is asked at
temperature 0; `poisoned` counts answers that differ from a fresh process's. Penalties, stop strings
and prompt lookup are on.

Then the part `mixed`, which counts for `poisoned` too: `--stops` stops of the engine alone, by
turns in sends, edits, second tries and answers that are gone on with, in several chats.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from actors.sampling import Sampling
from actors.turn import Phase
from tests.bench.common import Figures, Options, as_ms, at_most, percentile, say, starter
from tests.bench.cpu import SAMPLE_EVERY_S, IdleWatch
from tests.bench.material import WORDS, numbered
from tests.bench.mixed import mixed
from tests.bench.program import (
    EVERYTHING,
    SCRIPTED_MODEL,
    EitherEngine,
    Program,
    running_program,
)
from tkinfer.engines.scripted import Script, ScriptedEngine

IDLE_BUDGETS = {"load": 150, "prefill": 100, "decode": 50, "draw": 50}
BUDGETS = {
    **{f"{phase}_reset_p95_ms": at_most(40) for phase in IDLE_BUDGETS},
    **{f"{phase}_idle_p95_ms": at_most(limit) for phase, limit in IDLE_BUDGETS.items()},
    "kills": at_most(0),
    "poisoned": at_most(0),
}
STOPS = 20
QUICK_STOPS = 6
MIXED_STOPS = 500
QUICK_MIXED_STOPS = 10
PROMPT_WORDS = 1_800
WATCH_AFTER_S = 0.25
"""How long the engine must have been idle to believe it."""
LONG_QUESTION = "Count from 1 to 1000 in words, one number on each line."
CHECK_QUESTION = "Name the planets of the solar system in order."
FREE = replace(EVERYTHING, prompt_lookup=True)
CHECK = replace(FREE, max_tokens=16)


@dataclass(slots=True)
class Times:
    """Of the stops in one phase, in seconds. `missed`: the run was over before the click."""

    reset: list[float] = field(default_factory=list[float])
    idle: list[float] = field(default_factory=list[float])
    missed: int = 0


class ThreadWatch:
    """As IdleWatch, for the scripted engine: idle when no thread is inside of it."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine
        self._end = threading.Event()
        self._busy_at = time.perf_counter()
        self._thread = threading.Thread(target=self._watch, name="thread-watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._end.wait(SAMPLE_EVERY_S):
            if self._engine.counts.inside:
                self._busy_at = time.perf_counter()

    def finish(self) -> float:
        self._end.set()
        self._thread.join()
        return self._busy_at


class StopBench:
    """One program, stopped over and over."""

    def __init__(self, program: Program, engine: EitherEngine, stops: int) -> None:
        self.program = program
        self.engine = engine
        self.stops = stops
        self.chance = random.Random(7)
        self.kills = 0
        self.poisoned = 0
        self.checked = 0
        self.model = starter()
        self.expected = ""

    def run(self) -> Figures:
        self.program.open(self.model)
        self.expected = self.check_answer()
        say(f"a fresh process answers: {self.expected!r}")
        figures: Figures = {}
        for phase, begin, longest_s in (
            ("load", self.begin_load, 0.25),
            ("prefill", self.begin_prefill, 2.0),
            ("decode", self.begin_decode, 1.0),
            ("draw", self.begin_draw, 0.5),
        ):
            times = Times()
            while len(times.reset) < self.stops and times.missed < 3 * self.stops:
                self.one(phase, begin, longest_s, times)
            figures |= {
                f"{phase}_reset_p95_ms": as_ms(percentile(times.reset, 95)),
                f"{phase}_reset_max_ms": as_ms(max(times.reset)),
                f"{phase}_idle_p95_ms": as_ms(percentile(times.idle, 95)),
                f"{phase}_idle_max_ms": as_ms(max(times.idle)),
                f"{phase}_stops": len(times.reset),
            }
            say(
                f"{phase}: {figures[f'{phase}_reset_p95_ms']} ms until the widgets are reset, "
                f"{figures[f'{phase}_idle_p95_ms']} ms until the engine is idle (p95)"
            )
        figures |= {"kills": self.kills, "poisoned": self.poisoned, "checked": self.checked}
        return figures

    # ---- one stop ---------------------------------------------------------------------------

    def one(self, phase: str, begin: Callable[[], None], longest_s: float, times: Times) -> None:
        program = self.program
        begin()
        receipts = len(program.receipts)
        reset, idle = self.click(phase, self.chance.uniform(0, longest_s))
        program.wait_idle()
        if len(program.receipts) == receipts:
            times.missed += 1
        else:
            times.reset.append(reset)
            times.idle.append(idle)
            receipt = program.receipts[-1]
            self.kills += receipt.killed and receipt.phase is not Phase.LOADING
        self.check(phase)

    def click(self, phase: str, delay_s: float) -> tuple[float, float]:
        """Press Esc after the delay; seconds to reset widgets, and to an idle engine."""
        program, root = self.program, self.program.root
        due = time.perf_counter() + delay_s
        reset_at = 0.0

        def press() -> None:
            root.event_generate("<Escape>", when="tail")
            look()

        def look() -> None:
            if self.shows_run():
                root.after(1, look)
            else:
                root.after_idle(painted)

        def painted() -> None:
            nonlocal reset_at
            reset_at = time.perf_counter()

        pid = self.engine.process.pid
        watch = ThreadWatch(self.engine.scripted) if phase == "draw" or pid is None else None
        watch = watch or IdleWatch(pid or 0)
        root.after(round(delay_s * 1000), press)
        program.run_until(lambda: reset_at > 0, "the widgets")
        program.run_for(WATCH_AFTER_S)
        return reset_at - due, max(0.0, watch.finish() - due)

    def shows_run(self) -> bool:
        """Whether the window still shows the answer or the load as running."""
        return self.program.running() or self.program.app.window._badge.loading is not None

    # ---- the phases -------------------------------------------------------------------------

    def begin_load(self) -> None:
        self.program.app.load_model(self.model)

    def begin_prefill(self) -> None:
        self.ask(" ".join(self.chance.choices(WORDS, k=PROMPT_WORDS)), FREE)

    def begin_decode(self) -> None:
        self.ask(LONG_QUESTION, FREE)
        self.program.run_until(self.program.answer_text, "the first token")

    def begin_draw(self) -> None:
        if self.program.session.model.info is None or (
            self.program.session.model.info.path != SCRIPTED_MODEL
        ):
            self.program.open(SCRIPTED_MODEL)
        self.ask("Flood.", FREE)
        self.program.run_until(self.program.answer_text, "the first pieces")

    def ask(self, question: str, sampling: Sampling) -> None:
        self.program.session.new_chat()
        self.program.use(sampling)
        self.program.send(question)

    # ---- afterwards -------------------------------------------------------------------------

    def check(self, phase: str) -> None:
        if phase == "draw":
            return
        if phase == "load":
            self.program.open(self.model)
        self.checked += 1
        answer = self.check_answer()
        if answer != self.expected:
            self.poisoned += 1
            say(f"after a stop in {phase}: {answer!r}")

    def check_answer(self) -> str:
        self.ask(CHECK_QUESTION, CHECK)
        self.program.wait_idle()
        return self.program.answer_text()


def run(options: Options) -> Figures:
    stops, mixed_stops = (QUICK_STOPS, QUICK_MIXED_STOPS) if options.quick else (STOPS, MIXED_STOPS)
    engine = EitherEngine(ScriptedEngine(lambda _request: Script(pieces=numbered(10_000_000))))
    with running_program(engine, SCRIPTED_MODEL) as program:
        figures = StopBench(program, engine, stops).run()
    more = mixed(mixed_stops if options.stops is None else options.stops)
    return figures | more | {"poisoned": figures["poisoned"] + more["mixed_poisoned"]}
