"""The pump under a fake scheduler: budget, slices, sleep, Stop, and errors."""

from collections.abc import Callable, Sequence

import pytest

from actors.drawing import DrawOp, InsertRuns, InsertText, Run, Tail
from actors.mailbox import LatestQueue
from actors.messages import Finished, ModelLost, News, RenderOps, TurnEnd
from actors.output import OutputQueue
from actors.telemetry import Telemetry
from actors.turn import Channel, EndReason, Figures, TurnId
from tests.fake_clock import FakeClock, FakeTkScheduler
from tkinfer.ui.pump import BUDGET_S, SLICE_CHARS, SLICE_RUNS, TICK_MS, OutputPump

ONE, TWO = TurnId(1), TurnId(2)


class RecordingScreen:
    """A Screen that takes as long as it is told."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.cost_s = 0.0
        self.calls: list[tuple[TurnId, list[str]]] = []
        self.channels: list[Channel] = []
        self.ends: list[TurnEnd] = []
        self.told: list[News] = []
        self.undrawn: list[str] = []
        self.failed_with: list[Exception] = []
        self.samples: list[Telemetry] = []
        self.on_draw: Callable[[Sequence[DrawOp]], None] = lambda _ops: None

    @property
    def text(self) -> str:
        return "".join(source for _turn, sources in self.calls for source in sources)

    def draw(self, turn: TurnId, ops: Sequence[DrawOp], channel: Channel) -> None:
        self.on_draw(ops)
        self.clock.spend(self.cost_s)
        self.calls.append((turn, [op.source for op in ops]))
        self.channels.append(channel)

    def draw_failed(self, turn: TurnId, op: DrawOp, channel: Channel, error: Exception) -> None:
        del turn, channel, error
        self.undrawn.append(op.source)

    def failed(self, error: Exception) -> None:
        self.failed_with.append(error)

    def turn_ended(self, end: TurnEnd) -> None:
        self.ends.append(end)

    def news(self, news: News) -> None:
        self.told.append(news)

    def measured(self, sample: Telemetry) -> None:
        self.samples.append(sample)


class Rig:
    """A pump with everything around it in the test's hand."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.scheduler = FakeTkScheduler(self.clock)
        self.screen = RecordingScreen(self.clock)
        self.output = OutputQueue(4)
        self.granted = 0
        self.output.attach(self.grant)
        self.telemetry: LatestQueue[Telemetry] = LatestQueue(8)
        self.pump = OutputPump(
            output=self.output,
            telemetry=self.telemetry,
            screen=self.screen,
            scheduler=self.scheduler,
            now=self.clock.now,
        )

    def grant(self, lists: int) -> None:
        self.granted += lists

    def put(self, turn: TurnId, *texts: str, channel: Channel = Channel.ANSWER) -> None:
        ops = tuple(InsertText(text=text, source=text) for text in texts)
        self.output.put(
            RenderOps(turn=turn, first_seq=0, pieces=len(ops), ops=ops, channel=channel)
        )

    def tick(self) -> None:
        self.scheduler.run_for(TICK_MS)


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_it_draws_in_order_and_gives_the_credit_back(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.put(ONE, "a", "b")
    rig.put(ONE, "c")
    rig.tick()
    assert rig.screen.text == "abc"
    assert (rig.granted, rig.output.outstanding) == (2, 0)


def test_a_list_is_acknowledged_only_when_it_is_drawn_whole(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.screen.cost_s = BUDGET_S  # one slice uses up the tick
    rig.put(ONE, "x" * SLICE_CHARS, "y" * SLICE_CHARS)
    rig.scheduler.run_for(0)
    assert (rig.screen.text[:1], len(rig.screen.text)) == ("x", SLICE_CHARS)
    assert rig.granted == 0
    rig.scheduler.run_for(TICK_MS)
    assert len(rig.screen.text) == 2 * SLICE_CHARS
    assert rig.granted == 1


def test_a_slice_joins_lists_and_is_bounded_in_characters_and_in_runs(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.put(ONE, *["ab"] * (SLICE_RUNS + 1))
    rig.put(ONE, *["x" * 1500] * 4)
    rig.tick()
    assert [len(sources) for _turn, sources in rig.screen.calls] == [SLICE_RUNS, 3, 2]


def insert(text: str) -> InsertText:
    return InsertText(text=text, source=text)


def tail(text: str) -> Tail:
    return Tail(runs=(Run(text),), source=text)


def test_only_the_last_tail_of_a_slice_is_drawn(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    for ops in ([tail("a")], [insert("a"), tail("b")], [tail("bc")]):
        rig.output.put(RenderOps(turn=ONE, first_seq=0, pieces=1, ops=tuple(ops)))
    rig.scheduler.run_for(TICK_MS)
    assert rig.screen.calls == [(ONE, ["a", "bc"])]
    assert rig.granted == 3


def test_a_slice_never_ends_in_front_of_a_tail(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.screen.cost_s = BUDGET_S
    long = insert("x" * SLICE_CHARS)
    rig.output.put(RenderOps(turn=ONE, first_seq=0, pieces=1, ops=(long, long, tail("end"))))
    rig.scheduler.run_for(5 * TICK_MS)
    assert [[len(source) for source in sources] for _, sources in rig.screen.calls] == [
        [SLICE_CHARS],
        [SLICE_CHARS, 3],
    ]


def test_runs_count_as_what_they_put_in(rig: Rig) -> None:
    runs = tuple(Run("x") for _ in range(SLICE_RUNS - 1))
    op = InsertRuns(runs=runs, source="x")
    rig.pump.job_begins(ONE)
    rig.output.put(RenderOps(turn=ONE, first_seq=0, pieces=1, ops=(op, op, op)))
    rig.scheduler.run_for(TICK_MS)
    assert [len(sources) for _, sources in rig.screen.calls] == [1, 1, 1]


def test_reasoning_and_answer_are_never_drawn_together(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.put(ONE, "so", channel=Channel.REASONING)
    rig.put(ONE, " it is", channel=Channel.REASONING)
    rig.put(ONE, "4")
    rig.put(ONE, "2")
    rig.tick()
    assert rig.screen.calls == [(ONE, ["so", " it is"]), (ONE, ["4", "2"])]
    assert rig.screen.channels == [Channel.REASONING, Channel.ANSWER]


def test_the_next_tick_is_armed_at_the_end_so_that_tk_can_repaint(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.screen.cost_s = 0.1  # an overrun of several frames
    rig.put(ONE, "a")
    rig.scheduler.run_for(0)
    assert rig.screen.text == "a"
    rig.put(ONE, "b")
    rig.scheduler.run_for(TICK_MS - 1)
    assert rig.screen.text == "a"  # a whole frame is left to Tk
    rig.scheduler.run_for(1)
    assert rig.screen.text == "ab"


def test_it_sleeps_without_a_job_and_wakes_when_asked(rig: Rig) -> None:
    assert rig.pump.asleep
    rig.pump.job_begins(ONE)
    assert not rig.pump.asleep
    rig.pump.job_over(ONE)
    rig.tick()
    assert rig.pump.asleep
    assert rig.scheduler.pending == 0
    rig.output.tell(ModelLost(error=None, next_path=None))
    rig.pump.wake()
    rig.tick()
    assert len(rig.screen.told) == 1
    assert rig.scheduler.pending == 0


def test_it_does_not_sleep_while_there_is_something_to_draw(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.pump.job_over(ONE)
    rig.screen.cost_s = BUDGET_S
    for text in "abc":
        rig.put(ONE, text)
    for _ in range(4):
        rig.tick()
    assert rig.screen.text == "abc"
    assert rig.pump.asleep


def test_after_a_stop_nothing_of_the_turn_is_drawn_but_others_are(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.screen.cost_s = BUDGET_S
    rig.put(ONE, "x" * SLICE_CHARS, "never")
    rig.put(ONE, "never")
    rig.scheduler.run_for(0)
    rig.pump.stop(ONE)
    assert rig.output.outstanding == 0  # all credit is back before the next tick
    rig.put(ONE, "late")  # the renderer had not heard of it yet
    rig.put(TWO, "next")
    rig.output.put(Finished(turn=ONE, reason=EndReason.LENGTH, figures=Figures()))
    for _ in range(4):
        rig.tick()
    assert rig.screen.text == "x" * SLICE_CHARS + "next"
    assert rig.screen.ends == []
    assert rig.output.outstanding == 0


def test_a_stop_from_within_the_drawing_is_safe(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.screen.on_draw = lambda _ops: rig.pump.stop(ONE)
    rig.put(ONE, "a")
    rig.put(ONE, "b")
    rig.tick()
    assert (rig.granted, rig.output.outstanding) == (2, 0)


@pytest.mark.errors_logged("can't be drawn")
def test_one_operation_that_fails_costs_only_itself(rig: Rig) -> None:
    def breaks(ops: Sequence[DrawOp]) -> None:
        if any(op.source == "7" for op in ops):
            msg = "no"
            raise RuntimeError(msg)

    rig.pump.job_begins(ONE)
    rig.screen.on_draw = breaks
    rig.put(ONE, *"123456789")
    rig.tick()
    assert rig.screen.text == "12345689"
    assert rig.screen.undrawn == ["7"]
    assert rig.output.outstanding == 0


def test_telemetry_is_the_latest_only(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    for tokens in (1, 2, 3):
        rig.telemetry.put(Telemetry(turn=ONE, answer_tokens=tokens))
    rig.tick()
    assert [sample.answer_tokens for sample in rig.screen.samples] == [3]


def test_closed_it_never_runs_again(rig: Rig) -> None:
    """Case T-2: no timer of a dead widget ever runs its body."""
    rig.pump.job_begins(ONE)
    rig.put(ONE, "a")
    rig.pump.close()
    assert rig.scheduler.pending == 0
    rig.pump.wake()
    rig.pump.job_begins(TWO)
    rig.tick()
    assert rig.screen.text == ""


def test_lateness_is_measured(rig: Rig) -> None:
    rig.pump.job_begins(ONE)
    rig.tick()
    rig.clock.spend(0.05)  # something else held the main thread
    rig.tick()
    assert max(rig.pump.lateness_s) == pytest.approx(0.05, abs=0.017)
