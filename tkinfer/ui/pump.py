"""OutputPump: the one door from the actors into the Tk thread, within a budget per tick.

Takes its scheduler and its clock as parameters and imports no tkinter, so that it runs headless.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from actors.drawing import DrawOp, InsertRuns, InsertText, TableRow, Tail
from actors.mailbox import LatestQueue
from actors.messages import Finished, News, RenderOps, TurnEnd
from actors.output import OutputQueue
from actors.telemetry import Telemetry
from actors.turn import Channel, TurnId

log = logging.getLogger(__name__)

TICK_MS = 16  # one frame: faster would repaint the same picture
BUDGET_S = 0.008  # half a frame; the other half is Tk's own, for layout and repainting
SPARE_S = 0.001  # a tick that is done so early has time for the figures too
MOST_PUT_OFF = 12  # ticks, 0.2 s: figures that stand still longer would look wrong
SLICE_CHARS = 4_000  # plain text costs 1-2 ms at this length (measured)
SLICE_RUNS = 200  # tagged runs cost 3-15 us each
LATENESS_KEPT = 4_096
STOPPED_KEPT = 64  # a stopped turn has at most a window of lists under way; they come within a tick


Source = tuple[TurnId, Channel]
"""Only what is of one turn and one channel is drawn together."""


class Scheduler(Protocol):
    """The part of a Tk widget that the pump needs."""

    def after(self, ms: int, func: Callable[[], None], /) -> str: ...

    def after_cancel(self, id: str, /) -> None: ...  # noqa: A002 - Tk's own name


class Screen(Protocol):
    """Where the pump delivers. All calls come on the main thread."""

    def draw(self, turn: TurnId, ops: Sequence[DrawOp], channel: Channel) -> None:
        """Draw all or nothing; raises if nothing was drawn."""
        ...

    def draw_failed(self, turn: TurnId, op: DrawOp, channel: Channel, error: Exception) -> None:
        """This operation can't be drawn; the pump goes on behind it."""
        ...

    def failed(self, error: Exception) -> None:
        """Something else went wrong on the way to the window; the pump goes on."""
        ...

    def turn_ended(self, end: TurnEnd) -> None: ...

    def news(self, news: News) -> None: ...

    def measured(self, sample: Telemetry) -> None: ...


class OutputPump:
    """Polls while a job is alive, draws in slices, and sleeps when nothing is to come.

    All methods belong to the main thread. An idle poll would cost 1.7 % of a core, so there is
    none; `wake` brings a sleeping pump back when something comes of itself.
    """

    def __init__(
        self,
        *,
        output: OutputQueue,
        telemetry: LatestQueue[Telemetry],
        screen: Screen,
        scheduler: Scheduler,
        now: Callable[[], float],
    ) -> None:
        self._output = output
        self._telemetry = telemetry
        self._screen = screen
        self._scheduler = scheduler
        self._now = now
        self._jobs: set[TurnId] = set()
        self._timer: str | None = None
        self._due_at = 0.0
        self._closed = False
        self._samples_put_off = 0
        self._lists: deque[tuple[Source, deque[DrawOp]]] = deque()
        """Taken, and not yet drawn to the end: their credit is not yet granted."""
        self._end: TurnEnd | None = None
        """The end that comes behind them."""
        self._stopped: deque[TurnId] = deque(maxlen=STOPPED_KEPT)
        self.asleep = True
        """Whether a `wake` is needed for what comes next. Read by other threads."""
        self.lateness_s: deque[float] = deque(maxlen=LATENESS_KEPT)
        """How late the last ticks were, in seconds."""

    def job_begins(self, turn: TurnId) -> None:
        """Poll from now on, until this job is over."""
        self._jobs.add(turn)
        self.wake()

    def job_over(self, turn: TurnId) -> None:
        """This job needs no more polling."""
        self._jobs.discard(turn)

    def stop(self, turn: TurnId) -> None:
        """Draw nothing more of this turn; its credit goes back at once."""
        self._stopped.append(turn)
        kept = deque(waiting for waiting in self._lists if waiting[0][0] != turn)
        dropped, self._lists = len(self._lists) - len(kept), kept
        if self._end is not None and self._end.turn == turn:
            self._end = None
        self._output.acknowledge(dropped)
        self._output.discard_turn(turn)

    def wake(self) -> None:
        """Something was put while the pump slept."""
        self.asleep = False
        if self._timer is None and not self._closed:
            self._arm(0)

    def close(self) -> None:
        """Cancel the timer; nothing is drawn any more."""
        self._closed = True
        if self._timer is not None:
            self._scheduler.after_cancel(self._timer)
            self._timer = None

    def _arm(self, ms: int) -> None:
        self._due_at = self._now() + ms / 1000
        self._timer = self._scheduler.after(ms, self._tick)

    def _tick(self) -> None:
        self._timer = None
        began = self._now()
        self.lateness_s.append(max(0.0, began - self._due_at))
        try:
            self._deliver(began + BUDGET_S)
        except Exception as error:
            log.exception("a tick failed")
            self._screen.failed(error)
        if self._closed:
            return
        if not self._jobs:
            self.asleep = True  # first this, then the look: a put in between wakes or is seen
            if self._output.empty() and not self._lists and self._end is None:
                return
            self.asleep = False
        # Re-armed at the end: a tick that overruns must leave Tk its turn to repaint.
        self._arm(TICK_MS)

    def _deliver(self, until: float) -> None:
        while (news := self._output.take_news()) is not None:
            self._screen.news(news)
        while not self._closed and self._deliver_next() and self._now() < until:
            pass
        self._deliver_sample(until)

    def _deliver_sample(self, until: float) -> None:
        """Show the newest figures, unless the text has taken its part of the tick: they can wait.

        Text and figures in one tick made the latest 1 % of ticks (0.8 ms on top of 2.5 ms).
        """
        busy = self._now() > until - BUDGET_S + SPARE_S
        if busy and self._samples_put_off < MOST_PUT_OFF:
            self._samples_put_off += 1
            return
        self._samples_put_off = 0
        sample = self._telemetry.take_latest()
        if sample is not None:
            self._screen.measured(sample)

    def _deliver_next(self) -> bool:
        """Draw one slice or deliver one end; False when there is nothing."""
        self._pull()
        if self._lists:
            self._draw_slice()
            return True
        end, self._end = self._end, None
        if end is None:
            return False
        self._screen.turn_ended(end)
        return True

    def _pull(self) -> None:
        """Take all that waits, up to the end of a turn, so that one slice can join it."""
        while self._end is None and (item := self._output.take()) is not None:
            stopped = item.turn in self._stopped
            if not isinstance(item, RenderOps):
                # A run that broke while it was being stopped may never get its receipt.
                self._end = None if stopped and isinstance(item, Finished) else item
            elif stopped:
                self._output.acknowledge()
            else:
                self._lists.append(((item.turn, item.channel), deque(item.ops)))

    def _draw_slice(self) -> None:
        source = self._lists[0][0]
        turn, channel = source
        ops, finished = self._next_slice(source)
        try:
            self._screen.draw(turn, ops, channel)
        except Exception:
            log.debug("a slice failed; drawing its operations one by one", exc_info=True)
            for op in ops:
                self._draw_one(source, op)
        finally:
            self._output.acknowledge(finished)

    def _draw_one(self, source: Source, op: DrawOp) -> None:
        turn, channel = source
        try:
            self._screen.draw(turn, (op,), channel)
        except Exception as error:
            log.exception("an operation can't be drawn")
            self._screen.draw_failed(turn, op, channel, error)

    def _next_slice(self, source: Source) -> tuple[list[DrawOp], int]:
        """Operations of one source for one drawing, and how many lists end with them."""
        ops: list[DrawOp] = []
        chars = runs = finished = 0
        while self._lists and self._lists[0][0] == source:
            waiting = self._lists[0][1]
            while waiting:
                more_chars, more_runs = _size(waiting[0])
                chars, runs = chars + more_chars, runs + more_runs
                if ops and (chars > SLICE_CHARS or runs > SLICE_RUNS):
                    return ops, finished
                if ops and isinstance(ops[-1], Tail):
                    ops.pop()  # what follows takes it away
                ops.append(waiting.popleft())
                if waiting and isinstance(waiting[0], Tail) and len(waiting) == 1:
                    ops.append(waiting.popleft())  # else what it shows would vanish for a moment
            self._lists.popleft()
            finished += 1
        return ops, finished


def _size(op: DrawOp) -> tuple[int, int]:
    """Characters and runs that an operation puts in."""
    match op:
        case InsertText():
            return len(op.text), 1
        case InsertRuns() | Tail():
            return sum(len(run.text) for run in op.runs), len(op.runs)
        case TableRow():
            return sum(len(run.text) for cell in op.cells for run in cell), 4 * len(op.cells)
        case _:
            return 0, 4
