"""The chain under random schedules: no deadlock, no loss, no repeats; the credit adds up."""

from collections.abc import Callable

from hypothesis import given, settings
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


def bursts(*rare: str) -> st.SearchStrategy[list[tuple[str, int]]]:
    """Steps, each done some times in a row: a thread that is ahead of or behind all others."""
    step = st.sampled_from(WORK * 3 + USER * 2 + list(rare))
    return st.lists(st.tuples(step, st.integers(1, 12)), max_size=60)


def run(bench: Bench, schedule: list[tuple[str, int]]) -> None:
    for step, times in schedule:
        for _ in range(times if step in WORK else 1):
            STEPS[step](bench)
            bench.check_credit()
            bench.check_text()


def check_all_ended(bench: Bench) -> None:
    """Left alone, every turn comes to one end, or to two if a Stop met a failure."""
    bench.settle()
    bench.check_credit()
    bench.check_text()
    for turn in bench.engine.lengths:
        ends = bench.screen.ends.get(turn, [])
        both = turn in bench.screen.clicked and sorted(ends) == ["failed", "stopped"]
        assert len(ends) == 1 or both, (turn, ends)
    assert bench.engine.turn is None


@settings(max_examples=150)
@given(windows=WINDOWS, screen=SMALL, schedule=bursts("settle"))
def test_every_schedule_keeps_the_credit_and_the_text(
    windows: Windows, screen: int, schedule: list[tuple[str, int]]
) -> None:
    bench = Bench(windows, screen)
    run(bench, schedule)
    check_all_ended(bench)


@settings(max_examples=150)
@given(windows=WINDOWS, screen=SMALL, schedule=bursts("settle", "fail", "fail"))
def test_a_replaced_chain_works_with_full_windows(
    windows: Windows, screen: int, schedule: list[tuple[str, int]]
) -> None:
    bench = Bench(windows, screen)
    run(bench, schedule)
    check_all_ended(bench)
    bench.user_sends(40)
    bench.settle()
    assert bench.screen.ends[bench.last] == ["finished"]


@settings(max_examples=150)
@given(windows=WINDOWS, screen=SMALL, schedule=bursts("fail"))
def test_after_a_stop_every_window_is_full_again(
    windows: Windows, screen: int, schedule: list[tuple[str, int]]
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
    assert bench.model._relay_window.available == windows.relay
    assert bench.relay._renderer_window.available == windows.renderer
    assert bench.renderer._screen.available == screen
