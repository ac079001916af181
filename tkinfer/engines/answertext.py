"""From the tokens of an answer to the text that is shown: reasoning, answer, and no markers."""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.turn import Channel
from tkinfer.engines.reasoning import Chunk, ReasoningSplitter
from tkinfer.engines.stopstrings import StopStrings
from tkinfer.engines.text import TextDecoder


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text of one channel; never empty."""

    channel: Channel
    text: str


class AnswerText:
    """Takes the tokens of one answer, one call each, and says what can be shown.

    However the bytes are cut, the spans join to the same text, and nothing that was shown is ever
    taken back. To go on with an answer that was cut, feed its kept tokens first and ignore the
    spans: then all is as it was.

    Args:
        stop: Texts at which the answer ends; they are looked for in the answer, not in the
            reasoning, and are not shown.
        reasoning_open: The marker by which the prompt has already opened the reasoning; see
            `markers.opened_by`. Empty if it hasn't.
    """

    def __init__(self, *, stop: Sequence[str] = (), reasoning_open: str = "") -> None:
        self._decoder = TextDecoder()
        self._splitter = ReasoningSplitter(reasoning_open)
        self._stops = StopStrings(stop)
        self._shown = 0
        self._ends: list[int] = []
        self.decided = 0
        """How many characters, of reasoning and answer together, the tokens so far account for:
        those shown and those held back, half a character counting as one. It falls when held
        text turns out to be a marker or a stop string, or white space beside a marker.
        """
        self.stop_tokens = 0
        """Of the tokens fed, so many at the end hold a part of the stop string that was met."""

    @property
    def stopped(self) -> bool:
        """A stop string was met: nothing more is to be fed, and nothing more will be shown."""
        return self._stops.matched

    @property
    def reasoning(self) -> bool:
        """Inside reasoning now."""
        return self._splitter.reasoning

    @property
    def ends(self) -> Sequence[int]:
        """For each token (each call of `feed` or `control`) what `decided` was behind it.

        Corrected as soon as held text turns out not to be shown: where a window drew d
        characters, the tokens with `ends[i] <= d` are a beginning of the answer, and exactly
        those whose shown text was all drawn. A token of which a part is still held is not among
        them.
        """
        return self._ends

    def feed(self, raw: bytes) -> Sequence[Span]:
        """What can be shown after an ordinary token with these bytes."""
        if self._stops.matched:
            return ()
        text = self._decoder.feed(raw)
        spans = self._show(self._splitter.feed(text)) if text else ()
        self._account(1)
        return spans

    def control(self, text: str) -> Sequence[Span]:
        """What can be shown after a control token, which is never shown itself.

        Args:
            text: What the token is written as, such as `<|channel|>`.
        """
        if self._stops.matched:
            return ()
        spans = self._broken_off()
        if not self._stops.matched:
            spans += self._show(self._splitter.control(text))
        self._account(1)
        return spans

    def finish(self) -> Sequence[Span]:
        """What is left to show at the end; nothing if a stop string was met."""
        if self._stops.matched:
            return ()
        spans = self._broken_off()
        if not self._stops.matched:
            spans += self._show(self._splitter.finish())
        if not self._stops.matched and (rest := self._stops.release()):
            spans.append(self._span(Channel.ANSWER, rest))
        self._account(0)
        return spans

    def _broken_off(self) -> list[Span]:
        text = self._decoder.flush()
        return self._show(self._splitter.feed(text)) if text else []

    def _span(self, channel: Channel, text: str) -> Span:
        self._shown += len(text)
        return Span(channel, text)

    def _show(self, chunks: list[Chunk]) -> list[Span]:
        spans: list[Span] = []
        for channel, chunk in chunks:
            text = chunk
            if self._stops:
                if channel is Channel.ANSWER:
                    text = self._stops.feed(chunk)
                elif rest := self._stops.release():
                    spans.append(self._span(Channel.ANSWER, rest))
            if text:
                spans.append(self._span(channel, text))
            if self._stops.matched:
                break
        return spans

    def _account(self, tokens: int) -> None:
        """Note what is decided now, and correct what was said of earlier tokens."""
        splitter, stops = self._splitter, self._stops
        if splitter.low is not None:
            self._correct(splitter.low)
            splitter.low = None
        if stops.matched:
            self.decided = self._shown
            self.stop_tokens = self._correct(self._shown) + tokens
        else:
            self.decided = self._shown + stops.held + splitter.held + self._decoder.half
            if self._ends and self._ends[-1] > self.decided:
                self._correct(self.decided)
        if tokens:
            self._ends.append(self.decided)

    def _correct(self, limit: int) -> int:
        """Let no token account for more than this; say for how many that was news."""
        ends = self._ends
        at = len(ends)
        while at and ends[at - 1] > limit:
            at -= 1
            ends[at] = limit
        return len(ends) - at
