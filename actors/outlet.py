"""ModelActor's way out to the relay: text as credit allows, ends in order behind it."""

from collections import deque
from typing import TYPE_CHECKING

from actors.credit import CreditGate, CreditWindow
from actors.engine import Engine, Piece
from actors.job import NO_TURN, EngineState
from actors.mailbox import drop_turn
from actors.messages import Stop, TokenChunk, TurnEnd
from actors.stage import Neighbours, post

if TYPE_CHECKING:
    from actors.turn import TurnId


class Outlet:
    """Holds what the relay has no room for, and with it the engine's credit. One owner."""

    def __init__(
        self,
        *,
        engine: Engine,
        state: EngineState,
        neighbours: Neighbours,
        engine_window: int,
        relay_window: int,
    ) -> None:
        self._engine = engine
        self._state = state
        self._neighbours = neighbours
        self._gate = CreditGate(engine_window)
        self._relay = CreditWindow(relay_window)
        self._held: deque[TokenChunk | TurnEnd] = deque()
        self.drawing: TurnId = NO_TURN
        """The last turn that ended by itself; its text may still be on its way to the screen."""

    def begin(self) -> None:
        """A new answer begins: what is owed to an earlier one counts no more."""
        self._gate.settle()

    def put(self, piece: Piece) -> None:
        """Take a piece of the current answer; `flush` sends it."""
        self._held.append(
            TokenChunk(
                turn=piece.turn,
                seq=piece.seq,
                text=piece.text,
                tokens=piece.tokens,
                channel=piece.channel,
            )
        )

    def end(self, end: TurnEnd) -> None:
        """Send the end of a turn, behind its text."""
        self.drawing = end.turn
        self._held.append(end)
        self.flush()

    def refill(self, messages: int) -> None:
        """The relay has granted credit."""
        self._relay.refill(messages)

    def flush(self) -> None:
        """Send what there is credit for, and let the engine go on."""
        while self._held:
            head = self._held[0]
            if isinstance(head, TokenChunk):
                if not self._relay.take():
                    return
                # The engine's credit ends with its turn: the rest of an earlier one counts no more.
                current = head.turn == self._state.job_turn
                granted = self._gate.took(1) if current else 0
                if granted:
                    self._engine.grant(head.turn, granted)
            post(self._neighbours.relay, self._held.popleft())

    def drop(self, stop: Stop) -> None:
        """Throw away what is held of a turn, and pass the Stop on."""
        drop_turn(self._held, stop.turn)
        post(self._neighbours.relay, stop)
