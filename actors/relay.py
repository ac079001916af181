"""RelayActor: releases text at once while there is room, merges it while there is not."""

from collections import deque
from typing import assert_never

from actors.credit import CreditGate, CreditWindow
from actors.mailbox import drop_turn
from actors.messages import (
    Credit,
    Failed,
    Finished,
    Ping,
    RelayInbox,
    Stop,
    TextBatch,
    TokenChunk,
    TurnEnd,
)
from actors.stage import FailureReport, Neighbours, Stage, grant, post
from actors.turn import TurnId

MIN_BATCH = 16
MAX_BATCH = 256


class BatchCap:
    """How many pieces one batch may join: grows as the queue fills, shrinks as it empties.

    A short queue means a screen that keeps up, so batches stay small and even; a long one means
    that fewer, larger batches are what helps.
    """

    def __init__(self, window: int) -> None:
        self.pieces = MIN_BATCH
        self._grow_above = window // 2
        self._shrink_below = window // 8

    def observe(self, queued: int) -> None:
        """Adapt to the pieces that wait now."""
        if queued > self._grow_above:
            self.pieces = min(MAX_BATCH, self.pieces * 2)
        elif queued < self._shrink_below:
            self.pieces = max(MIN_BATCH, self.pieces // 2)


class RelayActor(Stage):
    """Merges chunks into batches. Credit goes back as a chunk is released, so what it holds is
    bounded by its window.
    """

    def __init__(
        self,
        *,
        neighbours: Neighbours,
        window: int,
        renderer_window: int,
        report_failure: FailureReport,
    ) -> None:
        super().__init__(capacity=window, report_failure=report_failure)
        self._neighbours = neighbours
        self._gate = CreditGate(window)
        self._renderer_window = CreditWindow(renderer_window)
        self._cap = BatchCap(window)
        self._held: deque[TokenChunk | TurnEnd] = deque()

    def on_receive(self, message: RelayInbox) -> bool | None:
        """Handle one message, on this actor's thread."""
        match message:
            case TokenChunk() | Finished() | Failed():
                self._held.append(message)
            case Credit():
                self._renderer_window.refill(message.messages)
            case Stop():
                self._drop(message)
            case Ping():
                return True
            case _:
                assert_never(message)
        self._release()
        return None

    def _release(self) -> None:
        while self._held:
            head = self._held[0]
            if not isinstance(head, TokenChunk):
                post(self._neighbours.renderer, self._held.popleft())
                # Idle means that all credit is back.
                grant(self._neighbours.model, self._gate.settle())
            elif self._renderer_window.take():
                self._send_batch(head.turn)
            else:
                return

    def _send_batch(self, turn: TurnId) -> None:
        self._cap.observe(len(self._held) + self.mailbox.data_queued)
        chunks: list[TokenChunk] = []
        while self._held and len(chunks) < self._cap.pieces:
            head = self._held[0]
            if not isinstance(head, TokenChunk) or head.turn != turn:
                break  # never merged across the end of a turn
            if chunks and head.channel is not chunks[0].channel:
                break
            chunks.append(head)
            self._held.popleft()
        batch = TextBatch(
            turn=turn,
            first_seq=chunks[0].seq,
            pieces=len(chunks),
            text="".join(chunk.text for chunk in chunks),
            channel=chunks[0].channel,
        )
        post(self._neighbours.renderer, batch)
        grant(self._neighbours.model, self._gate.took(len(chunks)))

    def _drop(self, stop: Stop) -> None:
        dropped = drop_turn(self._held, stop.turn) + self.mailbox.discard_turn(stop.turn)
        post(self._neighbours.renderer, stop)
        grant(self._neighbours.model, self._gate.took(dropped) + self._gate.settle())
