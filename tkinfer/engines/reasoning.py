"""Tells a model's reasoning from its answer, by the markers around them."""

import re
from collections.abc import Callable, Collection
from typing import Final

from actors.turn import Channel
from tkinfer.engines.markers import (
    BY_OPEN,
    FRAMES,
    HARMONY,
    HEAD_ENDS,
    HEADS,
    OPENERS,
    Marker,
    marker_of,
)
from tkinfer.engines.stopstrings import overlap

Chunk = tuple[Channel, str]

_HEADER_STOP: Final = re.compile(r"<\|(?:message|content)\|>|\n")
_CHANNEL_NAME: Final = re.compile(r".*<\|channel\|>\s*(analysis|commentary|final|\w*)", re.DOTALL)
_HEADER_CHARS: Final = 128  # a longer one is no header, and its text is worth showing
_BLANK_LINE: Final = "\n\n"


class ReasoningSplitter:
    """Sorts an answer's text into reasoning and answer, wherever it is cut.

    Markers count at the very start, behind at most whitespace, or where the prompt has opened the
    reasoning; the control tokens of channels count always. Any other is text. White space beside
    a marker belongs to neither side. Several blocks of one channel are set apart by a blank line.
    """

    def __init__(self, opened: str = "") -> None:
        self._out: list[Chunk] = []
        self._seen: set[Channel] = set()
        self._space: list[str] = []  # white space that may yet turn out to stand beside a marker
        self._space_chars = 0
        self._partial = ""  # what may yet turn out to be a marker
        self._marker = HARMONY
        self._closer = ""  # the text that closes the reasoning, or the frame around the answer
        self._fresh = False  # nothing of this block of reasoning was seen yet
        self._by_control = False
        self.reasoning = False
        """Inside reasoning now."""
        self.emitted = 0
        """Characters handed out so far."""
        self.low: int | None = None
        """How many were handed out when held text was dropped, if any was; the reader resets it."""
        self._expect(OPENERS, self._begin_answer, keeps_space=True)
        opened = opened.strip()
        if opened:
            self._open(marker_of(opened))
            if not self._marker.label or opened != self._marker.open:
                self._expect((self._marker.open,), self._begin_reasoning)

    @property
    def held(self) -> int:
        """Characters kept back: they may be part of a marker, or white space beside one."""
        return self._space_chars + len(self._partial)

    def feed(self, text: str) -> list[Chunk]:
        """What is sure now."""
        self._out = []
        self._run(text)
        return self._out

    def control(self, text: str) -> list[Chunk]:
        """What a control token makes sure. Itself it is never shown, whatever it is."""
        self._out = []
        if self._step == self._in_header:
            self._header_control(text)
            return self._out
        self._settle()
        marker = BY_OPEN.get(text)
        if text in HEADS[:2] or (self._waiting and text in HEADS and text in self._expected):
            self._drop()
            self._begin_header(text, by_control=True)
        elif marker and (marker.anywhere or (self._waiting and not self.reasoning)):
            self._drop()
            self._open(marker)
        elif self.reasoning and text == self._marker.close:
            self._drop()
            self._close()
        return self._out

    def finish(self) -> list[Chunk]:
        """What was held, now that nothing follows."""
        self._out = []
        if self._step == self._in_header:
            self._drop()
        self._settle()
        space, channel = self._take_space(), self._channel
        if space:
            self._emit(channel, space)
        return self._out

    @property
    def _channel(self) -> Channel:
        return Channel.REASONING if self.reasoning else Channel.ANSWER

    @property
    def _waiting(self) -> bool:
        return self._step == self._at_start

    def _run(self, text: str) -> None:
        while text:
            text = self._step(text)

    def _emit(self, channel: Channel, text: str) -> None:
        self._out.append((channel, text))
        self._seen.add(channel)
        self.emitted += len(text)

    def _hold_space(self, space: str) -> None:
        if space:
            self._space.append(space)
            self._space_chars += len(space)

    def _take_space(self) -> str:
        space = "".join(self._space)
        self._space.clear()
        self._space_chars = 0
        return space

    def _drop(self) -> None:
        self._take_space()
        self._partial = ""
        self.low = self.emitted if self.low is None else min(self.low, self.emitted)

    def _settle(self) -> None:
        """What began like a marker was none."""
        text, self._partial = self._partial, ""
        if not text:
            return
        if self._waiting:
            if text == self._marker.label and self.reasoning:
                self._drop()
                self._begin_reasoning()
                return
            self._otherwise()
            self._run(self._take_space() + text)
            text, self._partial = self._partial, ""
        if text and self.reasoning:
            self._reason(text)
        elif text:
            self._emit(Channel.ANSWER, text)

    # Each step takes text, and gives back what is left for the next.

    def _expect(
        self, expected: Collection[str], otherwise: Callable[[], None], *, keeps_space: bool = False
    ) -> None:
        self._expected = tuple(expected)
        self._otherwise = otherwise
        self._keeps_space = keeps_space
        self._step: Callable[[str], str] = self._at_start

    def _at_start(self, text: str) -> str:
        if not self._partial:
            body = text.lstrip()
            if self._keeps_space:
                self._hold_space(text[: len(text) - len(body)])
            elif len(body) < len(text):
                self._drop()
            if not body:
                return ""
            text = body
        data, self._partial = self._partial + text, ""
        for opener in self._expected:
            if data.startswith(opener):
                self._drop()
                return self._met(opener, data[len(opener) :])
        if any(opener.startswith(data) for opener in self._expected):
            self._partial = data
            return ""
        self._otherwise()
        return self._take_space() + data

    def _met(self, opener: str, rest: str) -> str:
        if self.reasoning and opener == self._marker.label + self._marker.close:
            self._close()
        elif opener in HEADS:
            self._begin_header(opener, by_control=False)
        elif self.reasoning and opener != self._marker.open:
            self._begin_reasoning()
        elif opener not in FRAMES:
            self._open(BY_OPEN.get(opener, self._marker))
        else:
            self._closer = FRAMES[opener]
            self._expect((), self._begin_answer)
        return rest

    def _open(self, marker: Marker) -> None:
        self._marker = marker
        self._closer = marker.close
        self._begin_reasoning()
        if marker.label:
            ends = ("\n", "\r", marker.close)
            self._expect([marker.label + end for end in ends], self._begin_reasoning)
        if Channel.REASONING in self._seen:
            self._emit(Channel.REASONING, _BLANK_LINE)

    def _begin_reasoning(self) -> None:
        self.reasoning = self._fresh = True
        self._step = self._in_reasoning

    def _in_reasoning(self, text: str) -> str:
        data, self._partial = self._partial + text, ""
        closer = self._closer
        at = data.find(closer) if closer else -1
        if at >= 0:
            self._reason(data[:at])
            self._drop()
            self._close()
            return data[at + len(closer) :]
        if closer and (keep := overlap(data, closer)):
            data, self._partial = data[:-keep], data[-keep:]
        self._reason(data)
        return ""

    def _reason(self, text: str) -> None:
        if self._fresh:
            body = text.lstrip()
            if len(body) < len(text):
                self._drop_space()
            if not body:
                return
            self._fresh = False
            text = body
        core = text.rstrip()
        if core:
            self._emit(Channel.REASONING, self._take_space() + core)
        self._hold_space(text[len(core) :])

    def _drop_space(self) -> None:
        partial = self._partial
        self._drop()
        self._partial = partial

    def _close(self) -> None:
        self.reasoning = False
        self._closer = ""
        heads = HEADS if self._marker.messages else ()
        self._expect((*heads, *FRAMES), self._begin_answer)

    def _begin_answer(self) -> None:
        self._step = self._in_answer
        if Channel.ANSWER in self._seen:
            self._emit(Channel.ANSWER, _BLANK_LINE)

    def _in_answer(self, text: str) -> str:
        if not self._closer:
            self._emit(Channel.ANSWER, text)
            return ""
        data, self._partial = self._partial + text, ""
        at = data.find(self._closer)
        rest = ""
        if at >= 0:
            data, rest = data[:at], data[at + len(self._closer) :]
            self._closer = ""
        elif keep := overlap(data, self._closer):
            data, self._partial = data[:-keep], data[-keep:]
        if data:
            self._emit(Channel.ANSWER, data)
        if at >= 0:
            self._drop()
        return rest

    def _begin_header(self, opener: str, *, by_control: bool) -> None:
        self.reasoning = False
        self._by_control = by_control
        self._partial = opener
        self._step = self._in_header

    def _in_header(self, text: str) -> str:
        data = self._partial = self._partial + text
        stop = _HEADER_STOP.search(data)
        if stop and stop.start() <= _HEADER_CHARS and stop[0] != "\n":
            self._drop()
            self._begin_message(data[: stop.start()])
            return data[stop.end() :]
        limit = _HEADER_CHARS + max(map(len, HEAD_ENDS))
        if stop and stop.start() <= _HEADER_CHARS:
            limit = stop.start()
        if len(data) < limit:
            return ""
        self._partial = ""  # no header after all: what isn't a channel's name is text
        return self._begin_message(data[:limit]) + data[limit:]

    def _header_control(self, text: str) -> None:
        if text in HEAD_ENDS:
            header = self._partial
            self._drop()
            self._begin_message(header)
        else:
            self._run(text)

    def _begin_message(self, header: str) -> str:
        """Start the message that a header announces; what stands behind the name is returned."""
        name = _CHANNEL_NAME.match(header)
        if name and name[1] and name[1] != "final":
            self._open(HARMONY)
            if self._by_control:
                self._closer = ""  # then the same characters as plain text are a quotation
        else:
            self._closer = ""
            self._expect((), self._begin_answer)
        return header[name.end() :] if name else header
