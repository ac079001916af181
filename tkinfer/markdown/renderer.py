"""MarkdownRenderer: an answer's Markdown → drawing operations, as the text comes.

Parts that have ended become operations and are never touched again. What is still open is drawn as
a tail: how it would look if the text ended here. So the final picture can't depend on how the text
was cut: the settled operations depend on the text alone, and at the end there is no tail.
"""

import re
from collections.abc import Iterator
from typing import Final

from actors.drawing import DrawOp, SettledOp, Tail
from tkinfer.markdown.blocks import MAX_PARAGRAPH, BlockParser
from tkinfer.markdown.inline import closed_for_now
from tkinfer.markdown.operations import OperationMaker

MAX_LINE: Final = MAX_PARAGRAPH
"""Characters. What is longer is parsed in parts, so that the tail is bounded."""

_LAST_SPACE: Final = 200
"""How far from its end a part may be cut at a space."""
_MAY_BECOME_ANYTHING: Final = re.compile(
    r"[ \t]*(?:[-+*>][ \t]+|\d{1,9}[.)][ \t]+)*"
    r"(?:#{1,6}|[-+*=_~`$|:<>\[\\]{1,12}|\d{1,9}[.)]?)?[ \t]*"
)
"""The beginning of a line that doesn't say yet what it is: it is held back for a moment."""


class MarkdownRenderer:
    """One answer's renderer; not for threads to share. See actors.drawing.TextRenderer."""

    def __init__(self, *, colours: bool = True) -> None:
        """Without `colours`, code is plain: 20 times as fast."""
        self._blocks = BlockParser()
        self._operations = OperationMaker(colours=colours)
        self._line = ""
        """The line that has no end yet; of a long one what comes behind its last part."""

    def feed(self, text: str, *, tail: bool = True) -> list[DrawOp]:
        """Take the next text; return what is settled, and what stands behind it for now."""
        ops: list[DrawOp] = list(self._settle(self._line + text))
        return [*ops, self._tail()] if tail else ops

    def finish(self) -> list[DrawOp]:
        """The text is complete: all of it is settled now."""
        line, self._line = self._line, ""
        parts = self._blocks.line(line) if line else []
        ops: list[DrawOp] = [op for part in parts for op in self._operations.of(part)]
        return [*ops, *(op for part in self._blocks.end() for op in self._operations.of(part))]

    def _settle(self, text: str) -> Iterator[SettledOp]:
        start = 0
        while True:
            end = text.find("\n", start, start + MAX_LINE + 1) + 1
            if not end and len(text) - start <= MAX_LINE:
                break
            parts = self._blocks.line(
                text[start : end or (end := _cut(text, start))], ends=text[end - 1] == "\n"
            )
            start = end
            for part in parts:
                yield from self._operations.of(part)
        self._line = text[start:]

    def _tail(self) -> Tail:
        blocks, operations = self._blocks.copy(), self._operations.for_tail()
        line = self._line.rstrip("\r")  # which may be half of a line's end
        open_source = blocks.open_source
        if blocks.in_code:
            hold = not line.strip("`~ \t")  # it may become the fence's end
            parts = [] if hold else blocks.line(line, ends=False)
        elif blocks.in_table:
            return operations.row_so_far(line)
        else:
            hold = _MAY_BECOME_ANYTHING.fullmatch(line) is not None
            parts = [] if hold else blocks.line(closed_for_now(line))
            parts += blocks.end()
        return operations.tail(parts, whole=open_source + ("" if hold else line))


def _cut(text: str, start: int) -> int:
    """Where a part of a long line ends: behind a space, if there is one near the limit."""
    limit = start + MAX_LINE
    if text[limit - 1] == "\r":  # whose line feed may follow
        limit -= 1
    space = text.rfind(" ", limit - _LAST_SPACE, limit)
    return limit if space < 0 else space + 1
