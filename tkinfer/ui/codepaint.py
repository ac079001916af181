"""CodePaint: colours for the code blocks of the history, when they come into view.

A block's colours depend on its lines from the first on, so it is read from there, a little per
tick; that is 0.1 ms per line, and would make a long chat slow to open.
"""

import time
import tkinter as tk
from typing import TYPE_CHECKING, Final

from tkinfer.markdown import tags as md
from tkinfer.ui import tcl
from tkinfer.ui.composition import CODE_BLOCK, CODE_HEAD, PLAIN_CODE, SOFT_BREAK, cap_tag
from tkinfer.ui.indices import Indices
from tkinfer.ui.timers import Timers

if TYPE_CHECKING:
    from tkinfer.markdown.highlight import Highlighter

_CALM_MS: Final = 80
_TICK_MS: Final = 16
_BUDGET_S: Final = 0.005
_PLACE, _END = "codepaint.line", "codepaint.end"


class CodePaint:
    """Colours one block after the other. Main thread."""

    def __init__(self, text: tk.Text) -> None:
        self._text = text
        self._indices = Indices(text)
        self._timers = Timers(text)
        self._highlighter: Highlighter | None = None

    def look(self) -> None:
        """The view has moved: see soon what is in it."""
        if not self._timers.running("look"):
            self._timers.start("look", _CALM_MS, self._tick)

    def reset(self) -> None:
        """The text is about to be emptied."""
        self._timers.cancel()
        self._highlighter = None

    def _tick(self) -> None:
        until = time.perf_counter() + _BUDGET_S
        while time.perf_counter() < until:
            if not (self._line() if self._highlighter is not None else self._begin()):
                return
        self._timers.start("look", _TICK_MS, self._tick)

    def _begin(self) -> bool:
        """Take up a plain block in view; False: there is none."""
        text = self._text
        bottom = f"@0,{text.winfo_height()}"
        head = tcl.tag_range(text, "nextrange", PLAIN_CODE, "@0,0", bottom)
        if not head and CODE_BLOCK in text.tag_names("@0,0"):
            # The block begins above the view: is its head the last one there, and plain?
            head = tcl.tag_range(text, "prevrange", CODE_HEAD, "@0,0")
            if head and PLAIN_CODE not in text.tag_names(head[0]):
                return False
        if not head:
            return False
        from tkinfer.markdown.highlight import Highlighter

        language = text.get(head[0], f"{head[0]} lineend").split("\t")[0]
        text.tag_remove(PLAIN_CODE, f"{head[0]} linestart", f"{head[0]} lineend")
        block = text.tag_nextrange(CODE_BLOCK, head[0])
        foot = text.tag_nextrange(cap_tag("code", "foot"), head[0])
        if not block or (foot and text.compare(block[0], ">", foot[0])):
            return True  # it is empty
        tcl.mark(text, _PLACE, str(block[0]), "left")
        tcl.mark(text, _END, str(block[1]), "left")
        self._highlighter = Highlighter(language)
        return True

    def _line(self) -> bool:
        """Colour the next line of the block."""
        text, highlighter = self._text, self._highlighter
        assert highlighter is not None, "a block was taken up"
        if not text.compare(_PLACE, "<", _END):
            self._highlighter = None
            return True
        stretches = self._stretches()
        line = "".join(part for _, part in stretches)
        coloured = highlighter.line(line)
        at, (start, part) = 0, stretches.pop(0)
        for shown, colour in coloured:
            left = shown
            while left:
                here = left[: len(part) - at]
                if colour and here:
                    first = f"{start} +{self._indices.steps(part[:at])} indices"
                    last = f"{start} +{self._indices.steps(part[: at + len(here)])} indices"
                    text.tag_add(f"{md.CODE}.{colour}", first, last)
                at, left = at + len(here), left[len(here) :]
                if at == len(part) and stretches:
                    at, (start, part) = 0, stretches.pop(0)
                elif not here:
                    break
        return True

    def _stretches(self) -> list[tuple[str, str]]:
        """The next line, with the places where its parts between soft breaks begin."""
        text = self._text
        parts: list[tuple[str, str]] = []
        while True:
            start = str(text.index(_PLACE))
            part = text.get(start, f"{start} lineend +1 indices")
            text.mark_set(_PLACE, f"{start} lineend +1 indices")
            soft = SOFT_BREAK in text.tag_names(f"{start} lineend")
            parts.append((start, part.removesuffix("\n") if soft else part))
            if not soft or not text.compare(_PLACE, "<", _END):
                return parts
