"""Filling: draws the messages that come near the view, and drops what is far from it.

A little per tick, so that the window stays live; the reader's lines don't move meanwhile.
"""

import time
import tkinter as tk
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from actors.drawing import TextRenderer
from tkinfer.ui import tcl
from tkinfer.ui.following import Follower, ReadersPlace
from tkinfer.ui.messagerows import NORMAL, Gap, Manner, MessageRows, Row, Shown
from tkinfer.ui.painter import Painting
from tkinfer.ui.timers import Timers
from tkinfer.ui.view import Entry, History
from tkinfer.ui.writer import Writer

MAX_MESSAGES: Final = 200
MAX_SIZE: Final = 400_000
"""Characters. What is drawn beyond of it is dropped again, farthest first."""
_MARGIN_SIZE: Final = 4_000
_MARGIN_MESSAGES: Final = 12
"""So much is drawn beyond what is visible, in characters and in messages."""
_TICK_MS: Final = 16
_CALM_MS: Final = 25
_BUDGET_S: Final = 0.006
_AT_ONCE_S: Final = 0.03
_FIRST_PAINT_S: Final = 0.06
_JOB_END: Final = "filling.end"
_ANCHOR: Final = "filling.anchor"

MakeWriter = Callable[[Shown, Entry, str], Writer]
Painted = Callable[[Shown, Entry, Writer], None]


class _NoHistory:
    """The chat before there is one."""

    def __len__(self) -> int:
        return 0

    def entry(self, index: int) -> Entry:
        raise IndexError(index)

    def renderer(self) -> TextRenderer:
        raise NotImplementedError


def _near(rows: Iterable[Row]) -> Gap | None:
    """The first gap among these rows, if it is near their beginning."""
    size = 0
    for row in islice(rows, _MARGIN_MESSAGES):
        if isinstance(row, Gap):
            return row
        size += row.size
        if size > _MARGIN_SIZE:
            return None
    return None


class Filling:
    """Paints one message at a time. Main thread."""

    def __init__(
        self,
        text: tk.Text,
        rows: MessageRows,
        follower: Follower,
        *,
        tail: str,
        make_writer: MakeWriter,
        painted: Painted,
        redraw: Callable[[Shown], None],
    ) -> None:
        """`painted` is told of each message that is drawn to its end; `redraw` draws one anew."""
        self._text = text
        self._rows = rows
        self._follower = follower
        self._tail = tail
        self._make_writer = make_writer
        self._painted = painted
        self._redraw = redraw
        self._timers = Timers(text)
        self._job: Painting | None = None
        self.history: History = _NoHistory()

    def paints(self, row: Shown) -> bool:
        """Whether this message is not yet drawn to its end."""
        return self._job is not None and self._job.row is row

    @property
    def paints_last(self) -> bool:
        """Whether the last message is not yet drawn to its end."""
        return self._job is not None and self._job.row is self._rows.rows[-1]

    def reset(self, history: History | None = None) -> None:
        """Another chat. The Text is emptied by the caller."""
        self._timers.cancel()
        self._job = None
        self.history = _NoHistory() if history is None else history
        self._rows.clear(len(self.history))

    def show_end(self) -> None:
        """Draw what fits into the view, from the end of the chat."""
        until = time.perf_counter() + _FIRST_PAINT_S
        while self._rows.rows and isinstance(gap := self._rows.rows[0], Gap):
            self._begin(gap, gap.end - 1)
            self._work(until)
            self._text.see("end")
            if time.perf_counter() > until or not self._visible(gap):
                break
        self.look()

    def paint_last(self, entry: Entry, manner: Manner = NORMAL) -> Shown:
        """Draw a message behind all others: at once, if it is not a long one."""
        self.finish()
        row = self._rows.append()
        row.manner = manner
        self._start(row, entry, self._tail)
        self._work(time.perf_counter() + _AT_ONCE_S)
        self.look()
        return row

    def finish(self) -> None:
        """Draw the rest of what is being drawn."""
        while self._job is not None:
            self._work(float("inf"))

    def show(self, index: int, *, jump: bool = True) -> Shown | None:
        """Draw this message, if it isn't, and bring it into view: to its top, if it is to `jump`
        also when it is drawn already. None: there is none.
        """
        row = self._rows.of(index)
        if isinstance(row, Gap):
            self.finish()
            row = self._begin(row, index)
            self._work(time.perf_counter() + _AT_ONCE_S)
            jump = True
        if row is None:
            return None
        if jump:
            tcl.yview(self._text, row.start)
            self._fill_below(row, time.perf_counter() + _FIRST_PAINT_S)
            self.look()
        return row

    def _fill_below(self, row: Shown, until: float) -> None:
        """Draw what comes behind this message, as far as it is in view."""
        while time.perf_counter() < until:
            self._work(until)
            rows = self._rows.rows
            number = rows.index(row)
            below = next((gap for gap in rows[number:] if isinstance(gap, Gap)), None)
            if self._job is not None or below is None or not self._visible(below):
                return
            self._begin(below, below.first)
            tcl.yview(self._text, row.start)

    def visible(self) -> list[Shown]:
        """The messages in view."""
        first, last = self._visible_rows()
        rows = self._rows.rows[first : last + 1] if first >= 0 else []
        return [row for row in rows if isinstance(row, Shown)]

    def repaint(self, row: Shown) -> Shown:
        """Draw a message anew where it stands. It must not be the last one."""
        self.finish()
        anchor = ReadersPlace(self._text, row.start)
        manner, index = row.manner, row.index
        self._rows.drop(row)
        gap = self._rows.of(index)
        assert isinstance(gap, Gap), "it was dropped"
        new = self._begin(gap, index, manner)
        self._work(time.perf_counter() + _AT_ONCE_S)
        anchor.restore(new.start)
        self.look()
        return new

    def forget_from(self, index: int) -> None:
        """Take this message and all behind it off the Text."""
        if self._job is not None and self._job.row.index >= index:
            self._end_job()
        self._rows.cut(index)

    def look(self) -> None:
        """Something has moved: see soon whether a message is to be drawn."""
        if not self._timers.running("fill"):
            self._timers.start("fill", _CALM_MS, self._tick)

    # ---- one message ------------------------------------------------------------------------

    def _begin(self, gap: Gap, index: int, manner: Manner = NORMAL) -> Shown:
        row = self._rows.open(gap, index)
        row.manner = manner
        tcl.mark(self._text, _JOB_END, row.start, "right")
        self._start(row, self.history.entry(index), _JOB_END)
        return row

    def _start(self, row: Shown, entry: Entry, end: str) -> None:
        writer = self._make_writer(row, entry, end)
        renderer = self.history.renderer() if entry.text and not entry.is_user else None
        row.size = len(entry.text)
        self._job = Painting(row, entry, writer, renderer)

    def _work(self, until: float) -> None:
        """Draw until then, or until the message is complete."""
        job = self._job
        while job is not None and job.step():
            if time.perf_counter() >= until:
                return
        if job is not None:
            self._end_job()
            self._rows.settle(job.row)
            job.row.has_table = job.writer.composer.has_table
            self._painted(job.row, job.entry, job.writer)

    def _end_job(self) -> None:
        self._job = None
        self._text.mark_unset(_JOB_END)

    # ---- a tick -----------------------------------------------------------------------------

    def _tick(self) -> None:
        until = time.perf_counter() + _BUDGET_S
        follow = self._follower.at_end()
        anchor = self._hold()
        busy = False
        while time.perf_counter() < until:
            if self._job is not None:
                self._work(until)
            elif (wanted := self._wanted()) is not None:
                self._begin(*wanted)
            elif (stale := self._stale()) is not None:
                self._redraw(stale)
            else:
                busy = self._drop_one()
                break
        else:
            busy = True
        if follow:
            self._text.see("end")
        else:
            self._let_go(anchor)
        if busy or self._job is not None:
            self._timers.start("fill", _TICK_MS, self._tick)

    def _wanted(self) -> tuple[Gap, int] | None:
        """The gap in or near the view that is to be filled next, and from which side."""
        rows = self._rows.rows
        first, last = self._visible_rows()
        if first < 0:
            return None
        for gap in rows[first : last + 1]:
            if isinstance(gap, Gap):
                middle = f"@0,{self._text.winfo_height() // 2}"
                above = self._text.compare(gap.start, "<", middle)
                return gap, gap.end - 1 if above else gap.first  # so that it moves out of view
        if (above := _near(reversed(rows[:first]))) is not None:
            return above, above.end - 1
        if (below := _near(rows[last + 1 :])) is not None:
            return below, below.first
        return None

    def _stale(self) -> Shown | None:
        """A message in view that is to be drawn anew. A selection is never taken away by that."""
        if self._text.tag_ranges("sel"):
            return None
        return next((row for row in self.visible() if row.stale), None)

    def _drop_one(self) -> bool:
        """Drop the message that is farthest from the view, if there are too many."""
        rows = self._rows.rows
        shown = len(rows) - sum(isinstance(row, Gap) for row in rows)
        if shown <= MAX_MESSAGES and self._rows.size <= MAX_SIZE:
            return False
        first, last = self._visible_rows()
        first, last = first - _MARGIN_MESSAGES - 1, last + _MARGIN_MESSAGES + 1
        far = [
            (max(first - number, number - last), number)
            for number, row in enumerate(rows[:-2])
            if isinstance(row, Shown) and not first <= number <= last
        ]
        if not far:
            return False
        row = rows[max(far)[1]]
        assert isinstance(row, Shown), "it was asked"
        self._rows.drop(row)
        return True

    def _visible_rows(self) -> tuple[int, int]:
        """The numbers of the first and the last row in view; -1 if there is none."""
        rows = self._rows.rows
        if not rows:
            return -1, -1
        first = self._rows.at("@0,0")
        last = self._rows.at(f"@0,{self._text.winfo_height()}")
        return (
            rows.index(first) if first is not None else 0,
            rows.index(last) if last is not None else 0,
        )

    def _visible(self, gap: Gap) -> bool:
        return gap in self._rows.rows and self._text.dlineinfo(gap.start) is not None

    # ---- the reader's lines -------------------------------------------------------------------

    def _hold(self) -> int | None:
        """Remember what stands in the middle of the view, and how high."""
        place = str(self._text.index(f"@0,{self._text.winfo_height() // 2}"))
        line = self._text.dlineinfo(place)
        tcl.mark(self._text, _ANCHOR, place, "right")
        return line[1] if line else None

    def _let_go(self, height: int | None) -> None:
        """Bring it back to where it was."""
        if height is None:
            return
        line = self._text.dlineinfo(_ANCHOR)
        if line is None:
            tcl.yview(self._text, _ANCHOR)
            line = self._text.dlineinfo(_ANCHOR)
        if line is not None and line[1] != height:
            self._text.yview_scroll(line[1] - height, "pixels")
