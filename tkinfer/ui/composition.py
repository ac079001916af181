"""What is put into the transcript: drawing operations and messages as runs of text with tags.

No tkinter here. All that one call draws becomes one list of runs, so that Tk is asked once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from actors.drawing import (
    BlockKind,
    CloseBlock,
    DrawOp,
    InsertRuns,
    InsertText,
    OpenBlock,
    Run,
    TableRow,
    Tail,
)
from tkinfer.markdown import tags as md
from tkinfer.ui import tagdata
from tkinfer.ui.linebreaks import LineBreaker
from tkinfer.ui.sanitise import clean_line, stretches
from tkinfer.ui.tables import Table, TableSetter

CHROME = "chrome"
"""On everything that is not the conversation's own text: never copied together with it."""
HEADING = "heading"
FIGURES = "figures"
MENU = "message.menu"
"""On the sign in a heading that opens the message's menu."""
NOTE = "note"
SOFT_BREAK = "softbreak"
USER = "user"
RAW = "raw"
CODE_BLOCK = "code.block"
CODE_HEAD = "code.head"
COPY_CODE = "code.copy"
PLAIN_CODE = "code.plain"
"""On the head of a block whose colours are still to come."""
REASONING = "reasoning"
"""On what the model thought before its answer: shown, but not copied together with the answer."""
GAP_LINE = "gap.line"
"""On a line that stands for messages that are not drawn."""
REASONING_HEAD = "reasoning.head"
REASONING_FOOT = "reasoning.foot"
"""On the thin line that parts the reasoning from the answer."""
CAP = "cap"
"""On a line that shows a band's rounded end, or a thin line, as an image."""
BARE_CAP = "cap.bare"
"""On a cap whose image is still to be put in."""

COPY_LABEL = "Copy"
MENU_LABEL = "⋯"
_MAX_NAME = 60

Drawn = tuple[str, tuple[str, ...]]
"""A text with its tags."""


def cap_tag(band: str, end: str) -> str:
    """The tag of the upper ("top") or lower ("foot") end of a "user" or "code" band."""
    return f"{CAP}.{band}.{end}"


RULE_CAP = cap_tag("rule", "line")


@dataclass(slots=True)
class Composed:
    """What one call puts in, and how the place stands afterwards."""

    breaker: LineBreaker
    at_line_start: bool = True
    in_code: bool = False
    flip: bool = False
    """Tells neighbours apart whose copies are the same."""
    table: Table | None = None
    """The open table."""
    takes_back_table: bool = False
    """Delete the open table first: its columns have changed, and it is among the runs again."""
    caps: list[str] = field(default_factory=list)
    """Tags of the caps among the runs, in order."""
    runs: list[Drawn] = field(default_factory=list)
    opens_table: int = -1
    """Before which of the runs the open table begins; -1: before all of them."""

    def add(self, text: str, *tags: str) -> None:
        """Append a run, joined to the one before if the tags are the same."""
        if not text:
            return
        if self.runs and self.runs[-1][1] == tags and self.opens_table != len(self.runs):
            self.runs[-1] = (self.runs[-1][0] + text, tags)
        else:
            self.runs.append((text, tags))

    def add_cap(self, tag: str) -> None:
        self.runs.append(("\n", (CHROME, CAP, tag, BARE_CAP)))
        self.caps.append(tag)

    def add_text(self, text: str, *tags: str) -> None:
        """Append text of the conversation, with soft breaks where its lines grow too long, and
        stand-ins for what Tk can't show.
        """
        for shown, written in stretches(text):
            own = tags if written is None else (*tags, self._copied(written))
            for number, stretch in enumerate(self.breaker.cut(shown)):
                if number:
                    self.add("\n", *tags, SOFT_BREAK)
                self.add(stretch, *own)
        if text:
            self.at_line_start = text.endswith("\n")

    def add_run(self, run: Run, *more: str) -> None:
        """Append a run of Markdown's."""
        tags = (*tagdata.styled(run.tags), *more)
        if run.link:
            tags = (*tags, tagdata.link_to(run.link))
        if run.copied is None:
            self.add_text(run.text, *tags)
        else:
            self.add_text(run.text, *tags, self._copied(run.copied))

    def start_line(self, *tags: str) -> None:
        """Begin a new line unless one has just begun."""
        if not self.at_line_start:
            self.add("\n", *tags)
        self.at_line_start = True
        self.breaker.reset()

    def open_code(self, info: str, *, plain: bool) -> None:
        words = clean_line(info).split()
        language = words[0][:_MAX_NAME] if words else ""
        self.start_line()
        self.in_code = True
        head = (CHROME, CODE_HEAD, PLAIN_CODE) if plain and language else (CHROME, CODE_HEAD)
        self.add_cap(cap_tag("code", "top"))
        self.add(f"{language}\t", *head)
        self.add(COPY_LABEL, CHROME, CODE_HEAD, COPY_CODE)
        self.add("\n", CHROME, CODE_HEAD)

    def open_table(self, op: OpenBlock) -> None:
        self.start_line()
        self.table = Table(op.align)
        self.opens_table = len(self.runs)

    def close_block(self) -> None:
        if self.in_code:
            self.start_line(CODE_BLOCK)
            self.add_cap(cap_tag("code", "foot"))
        elif self.table is not None:
            self.add_cap(cap_tag("table", "foot"))
        self.in_code, self.table = False, None

    def add_row(self, row: TableRow, setter: TableSetter) -> None:
        """Append a table's row; all of them anew, if it changes the columns."""
        if self.table is None:  # its opening could not be drawn
            self.table = Table(())
        before = self.table
        self.table = setter.plus(before, row.cells)
        if before.rows and setter.widths(self.table) != setter.widths(before):
            self._take_back()
            first = 0
        else:
            first = len(before.rows)
        for number in range(first, len(self.table.rows)):
            for text, tags in setter.row(self.table, number):
                self.add(text, *tags)
            if number == 0:
                self.add_cap(RULE_CAP)
        self.at_line_start = True
        self.breaker.reset()

    def _take_back(self) -> None:
        if self.opens_table < 0:
            self.takes_back_table = True
            del self.runs[:], self.caps[:]
            return
        taken = self.runs[self.opens_table :]
        del self.runs[self.opens_table :]
        caps = sum(BARE_CAP in tags for _, tags in taken)
        del self.caps[len(self.caps) - caps :]

    def _copied(self, source: str) -> str:
        self.flip = not self.flip
        return tagdata.copied(source, flip=self.flip)


class Composer:
    """Composes what comes next in one place. Nothing changes until the caller says that it was
    drawn.
    """

    def __init__(self, setter: TableSetter, *, plain: bool = False) -> None:
        """`plain`: code comes without its colours."""
        self._setter = setter
        self._plain = plain
        self.has_table = False
        """Whether there is one in what was composed."""
        self.state = Composed(LineBreaker())
        """How the place stands, without the tail. Never changed."""

    def fresh(self) -> "Composer":
        """One for another place."""
        return Composer(self._setter, plain=self._plain)

    def ops(self, ops: Sequence[DrawOp]) -> tuple[Composed, Composed | None]:
        """An answer's next operations, and the tail behind them if there is one."""
        made = self._next(self.state)
        tail: Tail | None = None
        for op in ops:
            if isinstance(op, Tail):
                tail = op
            else:
                tail = None
                self._op(made, op)
        return made, None if tail is None else self._tail(made, tail)

    def _op(self, made: Composed, op: DrawOp) -> None:
        match op:
            case InsertText():
                made.add_text(op.text, *_in_block(made, op.tags))
            case InsertRuns():
                _add_runs(made, op.runs)
            case OpenBlock(kind=BlockKind.TABLE):
                made.close_block()
                made.open_table(op)
            case OpenBlock():
                made.close_block()
                made.open_code(op.info, plain=self._plain)
            case TableRow():
                self.has_table = True
                made.add_row(op, self._setter)
            case CloseBlock():
                made.close_block()
            case Tail():
                pass
            case _:
                assert_never(op)

    def _tail(self, made: Composed, tail: Tail) -> Composed:
        after = self._next(made)
        _add_runs(after, (run for run in tail.runs if md.RULE not in run.tags))
        return after

    def text(self, text: str, *tags: str) -> Composed:
        """Text of the conversation as it is."""
        made = self._next(self.state)
        made.add_text(text, *tags)
        return made

    def chrome(self, text: str, tags: tuple[str, ...]) -> Composed:
        """Something of the window's own."""
        made = self._next(self.state)
        made.add(text, *tags)
        return made

    def heading(self, author: str, figures: str = "") -> Composed:
        """What stands above a message."""
        made = self._next(self.state)
        made.add(clean_line(author)[:_MAX_NAME], CHROME, HEADING)
        if figures:
            made.add(f"   {clean_line(figures)}", CHROME, HEADING, FIGURES)
        made.add("\t", CHROME, HEADING)
        made.add(MENU_LABEL, CHROME, HEADING, MENU)
        made.add("\n", CHROME, HEADING)
        return made

    def open_user_band(self) -> Composed:
        made = self._next(self.state)
        made.add_cap(cap_tag(USER, "top"))
        return made

    def close_user_band(self) -> Composed:
        made = self._next(self.state)
        made.add("\n", CHROME, USER)
        made.at_line_start = True
        made.add_cap(cap_tag(USER, "foot"))
        return made

    def answer_end(self, note: str, tone: str) -> Composed:
        """What closes an answer: an open block's end, and a note if there is one."""
        made = self._next(self.state)
        made.close_block()
        made.start_line(CHROME)
        if text := clean_line(note):
            made.add(f"{text}\n", CHROME, NOTE, f"{NOTE}.{tone}")
        return made

    def drawn(self, made: Composed) -> None:
        """This has been put in; go on from there."""
        self.state = self._next(made)

    @staticmethod
    def _next(state: Composed) -> Composed:
        return Composed(
            state.breaker.copy(),
            at_line_start=state.at_line_start,
            in_code=state.in_code,
            flip=state.flip,
            table=state.table,
        )


def _add_runs(made: Composed, runs: Iterable[Run]) -> None:
    for run in runs:
        if md.RULE in run.tags:
            made.start_line(CHROME)
            made.add_cap(RULE_CAP)
        else:
            made.add_run(run, *_in_block(made, ()))


def _in_block(made: Composed, tags: tuple[str, ...]) -> tuple[str, ...]:
    return (*tags, CODE_BLOCK) if made.in_code else tags
