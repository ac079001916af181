"""RendererActor: text into drawing operations, away from the Tk thread."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from actors.credit import CreditGate
from actors.drawing import DrawOp, InsertText, Tail, TextRenderer
from actors.mailbox import drop_turn
from actors.messages import (
    Credit,
    Failed,
    Finished,
    GoesOn,
    Ping,
    RendererInbox,
    RenderOps,
    Stop,
    TextBatch,
    TurnEnd,
)
from actors.output import OutputQueue
from actors.stage import FailureReport, Neighbours, Stage, grant, post
from actors.turn import Channel, TurnId

REASONING_TAG = "reasoning"
MAX_OP_CHARS = 4_000
"""The window draws an operation whole, so none may be longer than one slice of its budget."""


def bounded(ops: Iterable[DrawOp]) -> Iterator[DrawOp]:
    """Cut long insertions, so that each can be drawn within one slice.

    Only an insertion whose text is its own source can be cut without losing what belongs to what.
    """
    for op in ops:
        if isinstance(op, InsertText) and len(op.text) > MAX_OP_CHARS and op.text == op.source:
            for start in range(0, len(op.text), MAX_OP_CHARS):
                part = op.text[start : start + MAX_OP_CHARS]
                yield InsertText(text=part, tags=op.tags, source=part)
        else:
            yield op


class RendererActor(Stage):
    """Renders batches while the screen has room; else holds them, and with them their credit."""

    def __init__(
        self,
        *,
        neighbours: Neighbours,
        window: int,
        output: OutputQueue,
        make_text_renderer: Callable[[], TextRenderer],
        report_failure: FailureReport,
    ) -> None:
        super().__init__(capacity=window, report_failure=report_failure)
        self._neighbours = neighbours
        self._gate = CreditGate(window)
        self._output = output
        me = self.actor_ref
        self._screen = output.attach(lambda lists: post(me, Credit(messages=lists)))
        self._make_text_renderer = make_text_renderer
        self._text_renderer: TextRenderer | None = None
        self._rendering = TurnId(0)
        self._known = 0
        """How much of the next sources was drawn before the turn began."""
        self._waiting: deque[TextBatch | TurnEnd] = deque()

    def on_receive(self, message: RendererInbox) -> bool | None:
        """Handle one message, on this actor's thread."""
        match message:
            case TextBatch() | Finished() | Failed():
                self._waiting.append(message)
            case GoesOn():
                self._go_on(message)
            case Credit():
                self._screen.refill(message.messages)
            case Stop():
                self._drop(message)
            case Ping():
                return True
            case _:
                assert_never(message)
        self._work()
        return None

    def _work(self) -> None:
        # One credit is enough: a batch and an end make at most one operation list each.
        while self._waiting and self._screen.available:
            item = self._waiting.popleft()
            if isinstance(item, TextBatch):
                self._draw(item)
            else:
                self._finish(item)

    def _draw(self, batch: TextBatch) -> None:
        ops = self._ops(batch)
        if ops and self._screen.take():
            self._output.put(
                RenderOps(
                    turn=batch.turn,
                    first_seq=batch.first_seq,
                    pieces=batch.pieces,
                    ops=ops,
                    channel=batch.channel,
                )
            )
        grant(self._neighbours.relay, self._gate.took(1))

    def _ops(self, batch: TextBatch) -> tuple[DrawOp, ...]:
        if batch.channel is Channel.REASONING:
            thoughts = InsertText(text=batch.text, tags=(REASONING_TAG,), source=batch.text)
            return tuple(bounded([thoughts]))
        if self._text_renderer is None or self._rendering != batch.turn:
            self._text_renderer = self._begin(batch.turn)
        return tuple(self._new(bounded(self._text_renderer.feed(batch.text))))

    def _go_on(self, beginning: GoesOn) -> None:
        ops = self._begin(beginning.turn).feed(beginning.text, tail=False)
        self._known = len(beginning.text) - sum(len(op.source) for op in ops)

    def _new(self, ops: Iterable[DrawOp]) -> Iterator[DrawOp]:
        """The operations, with what was drawn before the turn began left out of their sources."""
        for op in ops:
            known = min(self._known, len(op.source))
            yield replace(op, source=op.source[known:]) if known else op
            if not isinstance(op, Tail):
                self._known -= known

    def _begin(self, turn: TurnId) -> TextRenderer:
        self._rendering, self._known = turn, 0
        self._text_renderer = self._make_text_renderer()
        return self._text_renderer

    def _finish(self, end: TurnEnd) -> None:
        if self._text_renderer is not None and self._rendering == end.turn:
            ops = tuple(self._new(bounded(self._text_renderer.finish())))
            if ops and self._screen.take():
                self._output.put(RenderOps(turn=end.turn, first_seq=0, pieces=0, ops=ops))
            self._text_renderer = None
        self._output.put(end)

    def _drop(self, stop: Stop) -> None:
        dropped = drop_turn(self._waiting, stop.turn) + self.mailbox.discard_turn(stop.turn)
        if self._rendering == stop.turn:
            self._text_renderer = None
        grant(self._neighbours.relay, self._gate.took(dropped) + self._gate.settle())
