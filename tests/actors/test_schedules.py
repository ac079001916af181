"""The chain under random schedules: no deadlock, no loss, no repeats; the credit adds up."""

import random
from collections.abc import Callable, Iterable

from hypothesis import given
from hypothesis import strategies as st

from actors.chain import Windows
from tests.actors.schedule import Bench

SMALL = st.sampled_from([1, 1, 2, 2, 3, 9])
WINDOWS = st.builds(Windows, engine=SMALL, relay=SMALL, renderer=SMALL)

STEPS: dict[str, Callable[[Bench], object]] = {
    "model": lambda bench: bench.handle(bench.model),
    "relay": lambda bench: bench.handle(bench.relay),
    "renderer": lambda bench: bench.handle(bench.renderer),
    "engine": lambda bench: bench.engine.step(),
    "engine late": lambda bench: bench.engine.step(late=True),
    "take": lambda bench: bench.screen_takes(),
    "draw": lambda bench: bench.screen_draws(),
    "send 0": lambda bench: bench.user_sends(0),
    "send 2": lambda bench: bench.user_sends(2),
    "send 40": lambda bench: bench.user_sends(40),
    "stop": lambda bench: bench.user_stops(),
    "fail": lambda bench: bench.fail(),
    "settle": lambda bench: bench.settle(),
}
WORK = ["model", "relay", "renderer", "engine", "engine late", "take", "draw"]
USER = ["send 0", "send 2", "send 40", "stop"]


Schedule = Iterable[str]


def schedules(*rare: str) -> st.SearchStrategy[Schedule]:
    """Short schedules that shrink well, and long ones in which each part has its own speed."""
    step = st.sampled_from([*WORK, *USER, *rare])
    weights = st.fixed_dictionaries({name: st.sampled_from([1, 4, 16, 64]) for name in WORK})
    seeds = st.integers(0, 2**32)
    return st.lists(step, max_size=80) | st.builds(long_schedule, weights, st.just(rare), seeds)


def long_schedule(speeds: dict[str, int], rare: tuple[str, ...], seed: int) -> list[str]:
    """A few turns' worth of steps; the user asks early and stops late, anything else is rare."""
    chance = random.Random(seed)
    weights = {**speeds, "send 40": 4, "send 2": 2, "send 0": 1, "stop": 2}
    weights |= dict.fromkeys(rare, 1)
    return ["send 40", *chance.choices(list(weights), list(weights.values()), k=600)]


def run(bench: Bench, schedule: Schedule) -> None:
    for step in schedule:
        STEPS[step](bench)
        bench.check_credit()
        bench.check_text()


def check_all_ended(bench: Bench) -> None:
    """Left alone, every turn comes to one end, or to two if a failure met a Stop or a finish."""
    bench.settle()
    bench.check_credit()
    bench.check_text()
    for turn in bench.engine.lengths:
        ends = bench.screen.ends.get(turn, [])
        assert len(ends) == len(set(ends)) >= 1, (turn, ends)
        assert len(ends) == 1 or "failed" in ends, (turn, ends)
    assert bench.engine.turn is None


@given(windows=WINDOWS, screen=SMALL, schedule=schedules("settle"))
def test_every_schedule_keeps_the_credit_and_the_text(
    windows: Windows, screen: int, schedule: Schedule
) -> None:
    bench = Bench(windows, screen)
    run(bench, schedule)
    check_all_ended(bench)


@given(windows=WINDOWS, screen=SMALL, schedule=schedules("settle", "fail", "fail"))
def test_a_replaced_chain_works_with_full_windows(
    windows: Windows, screen: int, schedule: Schedule
) -> None:
    bench = Bench(windows, screen)
    run(bench, schedule)
    check_all_ended(bench)
    bench.user_sends(40)
    bench.settle()
    assert bench.screen.ends[bench.last] == ["finished"]


@given(windows=WINDOWS, screen=SMALL, schedule=schedules("fail"))
def test_after_a_stop_every_window_is_full_again(
    windows: Windows, screen: int, schedule: Schedule
) -> None:
    bench = Bench(windows, screen)
    run(bench, schedule)
    bench.settle()
    bench.user_sends(40)
    for _ in range(7):
        bench.engine.step()
        bench.handle(bench.model)
        bench.handle(bench.relay)
    bench.user_stops()
    check_all_ended(bench)
    assert bench.model._outlet._relay.available == windows.relay
    assert bench.relay._renderer_window.available == windows.renderer
    assert bench.renderer._screen.available == screen


def test_the_rest_of_one_answer_gives_no_credit_to_the_next() -> None:
    bench = Bench(Windows(engine=9, relay=1, renderer=1), 1)
    bench.user_sends(8)
    for _ in range(40):
        bench.engine.step()
        bench.handle(bench.model)
    assert bench.engine.turn is None
    bench.open.clear()  # asked for before the answer is on the screen
    bench.user_sends(40)
    for _ in range(100):
        for step in WORK:
            STEPS[step](bench)
            bench.check_credit()
