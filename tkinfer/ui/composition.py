"""What is put into the transcript: drawing operations and messages as runs of text with tags.

No tkinter here. All that one call draws becomes one list of runs, so that Tk is asked once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from actors.drawing import CloseBlock, DrawOp, InsertText, OpenBlock
from tkinfer.ui.linebreaks import LineBreaker
from tkinfer.ui.sanitise import CR_STAND_IN, clean, clean_line

CHROME = "chrome"
"""On everything that is not the conversation's own text: never copied together with it."""
HEADING = "heading"
FIGURES = "figures"
NOTE = "note"
SOFT_BREAK = "softbreak"
USER = "user"
CODE_BLOCK = "code.block"
CODE_HEAD = "code.head"
COPY_CODE = "code.copy"
REASONING = "reasoning"
"""On what the model thought before its answer: shown, but not copied together with the answer."""
REASONING_HEAD = "reasoning.head"
REASONING_FOOT = "reasoning.foot"
"""On the thin line that parts the reasoning from the answer."""
CAP = "cap"
"""On a line that shows a band's rounded end, as an image."""
BARE_CAP = "cap.bare"
"""On a cap whose image is still to be put in."""

COPY_LABEL = "Copy"
REASONING_LABEL = "Thinking"
_MAX_NAME = 60

Run = tuple[str, tuple[str, ...]]


def cap_tag(band: str, end: str) -> str:
    """The tag of the upper ("top") or lower ("foot") end of a "user" or "code" band."""
    return f"{CAP}.{band}.{end}"


@dataclass(slots=True)
class Composed:
    """What one call puts in, and how the transcript stands afterwards."""

    breaker: LineBreaker
    at_line_start: bool
    in_block: bool
    ends_in_cr: bool
    in_reasoning: bool = False
    takes_back_cr: bool = False
    """Delete the stand-in that ends the transcript: its carriage return belonged to a CRLF."""
    caps: list[str] = field(default_factory=list)
    """Tags of the caps among the runs, in order."""
    runs: list[Run] = field(default_factory=list)

    def add(self, text: str, *tags: str) -> None:
        """Append a run, joined to the one before if the tags are the same."""
        if not text:
            return
        if self.runs and self.runs[-1][1] == tags:
            self.runs[-1] = (self.runs[-1][0] + text, tags)
        else:
            self.runs.append((text, tags))

    def add_cap(self, band: str, end: str) -> None:
        tag = cap_tag(band, end)
        self.runs.append(("\n", (CHROME, CAP, tag, BARE_CAP)))
        self.caps.append(tag)

    def add_text(self, text: str, *tags: str) -> None:
        """Append text of the conversation, with soft breaks where its lines grow too long."""
        if self.ends_in_cr and text.startswith("\n"):
            self._take_back_cr()
        self.ends_in_cr = text.endswith("\r")
        for number, stretch in enumerate(self.breaker.cut(clean(text))):
            if number:
                self.add("\n", *tags, SOFT_BREAK)
            self.add(stretch, *tags)
        if text:
            self.at_line_start = text.endswith("\n")

    def start_line(self, *tags: str) -> None:
        """Begin a new line unless one has just begun."""
        if not self.at_line_start:
            self.add("\n", *tags)
        self.at_line_start = True
        self.ends_in_cr = False
        self.breaker.reset()

    def open_reasoning(self) -> None:
        if not self.in_reasoning:
            self.start_line(CHROME)
            self.add(f"{REASONING_LABEL}\n", CHROME, REASONING_HEAD)
        self.in_reasoning = True

    def close_reasoning(self) -> None:
        if self.in_reasoning:
            self.start_line(CHROME, REASONING)
            self.add("\n", CHROME, REASONING_FOOT)
        self.in_reasoning = False

    def open_code(self, info: str) -> None:
        words = clean_line(info).split()
        language = words[0][:_MAX_NAME] if words else ""
        self.start_line()
        self.in_block = True
        self.add_cap("code", "top")
        self.add(f"{language}\t", CHROME, CODE_HEAD)
        self.add(COPY_LABEL, CHROME, CODE_HEAD, COPY_CODE)
        self.add("\n", CHROME, CODE_HEAD)

    def close_code(self) -> None:
        if self.in_block:
            self.start_line(CODE_BLOCK)
            self.add_cap("code", "foot")
        self.in_block = False

    def _take_back_cr(self) -> None:
        if self.runs and self.runs[-1][0].endswith(CR_STAND_IN):
            text, tags = self.runs.pop()
            self.add(text.removesuffix(CR_STAND_IN), *tags)
        else:
            self.takes_back_cr = True


class Composer:
    """Composes what comes next. Nothing changes until the caller says that it was drawn."""

    def __init__(self) -> None:
        self.state = Composed(LineBreaker(), at_line_start=True, in_block=False, ends_in_cr=False)
        """How the transcript stands. Never changed, so it can be kept and set again after what
        came later was deleted.
        """

    def reasoning(self, ops: Sequence[DrawOp]) -> Composed:
        """What the model thinks before its answer: plain text, whatever it holds."""
        made = self._next()
        if ops:
            made.open_reasoning()
        for op in ops:
            made.add_text(op.source, REASONING)
        return made

    def ops(self, ops: Sequence[DrawOp]) -> Composed:
        """An answer's next operations."""
        made = self._next()
        if ops:
            made.close_reasoning()
        for op in ops:
            match op:
                case InsertText():
                    tags = (*op.tags, CODE_BLOCK) if made.in_block else op.tags
                    made.add_text(op.text, *tags)
                case OpenBlock():
                    made.close_code()
                    made.open_code(op.info)
                case CloseBlock():
                    made.close_code()
                case _:
                    assert_never(op)
        return made

    def user_message(self, author: str, text: str) -> Composed:
        """A whole message of the user, in its tinted band."""
        made = self._next()
        self._head(made, author)
        made.add_cap(USER, "top")
        made.add_text(text, USER)
        made.add("\n", CHROME, USER)
        made.at_line_start = True
        made.start_line()
        made.add_cap(USER, "foot")
        return made

    def answer_heading(self, author: str) -> Composed:
        made = self._next()
        self._head(made, author)
        return made

    def answer_end(self, note: str, tone: str) -> Composed:
        """What closes an answer: an open block's end, and a note if there is one."""
        made = self._next()
        made.close_reasoning()
        made.close_code()
        if text := clean(note).strip():
            made.start_line(CHROME)
            made.add(f"{text}\n", CHROME, NOTE, f"{NOTE}.{tone}")
        return made

    def drawn(self, made: Composed) -> None:
        """This has been put in; go on from there."""
        made.runs, made.caps, made.takes_back_cr = [], [], False
        self.state = made

    def _next(self) -> Composed:
        state = self.state
        return Composed(
            state.breaker.copy(),
            at_line_start=state.at_line_start,
            in_block=state.in_block,
            ends_in_cr=state.ends_in_cr,
            in_reasoning=state.in_reasoning,
        )

    def _head(self, made: Composed, author: str) -> None:
        made.close_reasoning()
        made.close_code()
        made.start_line(CHROME)
        made.add(f"{clean_line(author)[:_MAX_NAME]}\n", CHROME, HEADING)
