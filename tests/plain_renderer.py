"""Plain text with fenced code: the simplest TextRenderer. It only ever appends.

Fences follow CommonMark 0.31, section 4.5: up to three spaces, then three or more backticks or
tildes; a fence of backticks has none in its info string; it is closed by at least as many of the
same mark alone on a line.
"""

import re

from actors.drawing import BlockKind, CloseBlock, DrawOp, InsertText, OpenBlock

CODE_TAG = "code"
MAX_FENCE_LINE = 300
"""A line that is longer is no fence, so no more than this is ever held back."""

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_OPENING = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)\r?\n?")
_OPENING_BEGUN = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|`{3,}[^`\r\n]*\r?|~{3,}[^\r\n]*\r?)")
_CLOSING = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[ \t]*\r?\n?")
_CLOSING_BEGUN = re.compile(r" {0,3}(?:`*|~*)[ \t]*\r?")


class PlainRenderer:
    """Tells fenced code from text, line by line. Holds back only what may become a fence line,
    and a carriage return whose line feed may follow.
    """

    def __init__(self) -> None:
        self._held = ""
        self._at_line_start = True
        self._fence = ""
        """The opening mark, while inside a code block."""
        self._ops: list[DrawOp] = []
        self._run: list[str] = []
        """Text of one kind that is to be drawn together."""

    def feed(self, text: str, *, tail: bool = True) -> list[DrawOp]:
        """Take the next text; return what is decided. There are no tails."""
        del tail
        pending, self._held = self._held + text, ""
        for line in _LINES.findall(pending):
            self._line(line)
        return self._taken()

    def finish(self) -> list[DrawOp]:
        """Draw what was held; an unclosed fence ends here."""
        held, self._held = self._held, ""
        if held and not (self._at_line_start and self._fence_line(held)):
            self._insert(held)
        if self._fence:
            self._add(CloseBlock(source=""))
            self._fence = ""
        return self._taken()

    def _line(self, line: str) -> None:
        """Take the rest of a line, or as much of it as there is."""
        complete = line.endswith("\n")
        if self._at_line_start:
            begun = _CLOSING_BEGUN if self._fence else _OPENING_BEGUN
            if not complete and _short(line) and begun.fullmatch(line):
                self._held = line
                return
            if complete and self._fence_line(line):
                return
        if not complete and line.endswith("\r"):
            self._held, line = "\r", line[:-1]
        if line:
            self._insert(line)
            self._at_line_start = complete

    def _fence_line(self, line: str) -> bool:
        """Draw a whole line as the fence that it is, if it is one."""
        if not _short(line):
            return False
        if self._fence:
            closing = _CLOSING.fullmatch(line)
            if closing is None or not closing["mark"].startswith(self._fence):
                return False
            self._add(CloseBlock(source=line))
            self._fence = ""
            return True
        opening = _OPENING.fullmatch(line)
        if opening is None or (opening["mark"][0] == "`" and "`" in opening["info"]):
            return False
        words = opening["info"].split()
        info = words[0] if words else ""
        self._add(OpenBlock(kind=BlockKind.CODE, info=info, source=line))
        self._fence = opening["mark"]
        return True

    def _insert(self, source: str) -> None:
        self._run.append(source)  # joined later: 5,000 lines in one feed must not cost their square

    def _add(self, op: OpenBlock | CloseBlock) -> None:
        self._close_run()
        self._ops.append(op)

    def _close_run(self) -> None:
        if self._run:
            source = "".join(self._run)
            tags = (CODE_TAG,) if self._fence else ()
            text = source.replace("\r\n", "\n")
            self._ops.append(InsertText(text=text, tags=tags, source=source))
            self._run.clear()

    def _taken(self) -> list[DrawOp]:
        self._close_run()
        ops, self._ops = self._ops, []
        return ops


def _short(line: str) -> bool:
    return len(line.rstrip("\r\n")) <= MAX_FENCE_LINE
