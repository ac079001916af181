"""Jobs: the runs that the window has begun and whose end it hasn't seen."""

import itertools
from collections.abc import Callable

from actors.chain import Chain, Order
from actors.messages import Stop
from actors.turn import StopReason, TurnId
from tkinfer.status_line import StatusLine
from tkinfer.ui.pump import OutputPump


class Jobs:
    """Numbers the runs, keeps the pump polling while one is alive, and sends Stops. Main thread."""

    def __init__(self, chain: Chain, status: StatusLine, now: Callable[[], float]) -> None:
        self.chain = chain
        self.now = now
        """The chain's clock, in seconds."""
        self._status = status
        self._turns = itertools.count(1)
        self._pump: OutputPump | None = None

    def attach_pump(self, pump: OutputPump) -> None:
        """Give the pump that is to poll."""
        self._pump = pump

    def begin(self) -> TurnId:
        """A run begins; its order goes to the chain next."""
        turn = TurnId(next(self._turns))
        if self._pump is not None:
            self._pump.job_begins(turn)
        return turn

    def tell(self, order: Order) -> None:
        """Pass an order to the chain."""
        self.chain.tell(order)

    def stop(self, turn: TurnId, reason: StopReason) -> None:
        """Stop a run. Nothing of it is drawn any more; its receipt will come."""
        self._status.stop(turn)
        if self._pump is not None:
            self._pump.stop(turn)
        self.chain.tell(Stop(turn=turn, reason=reason, clicked_at=self.now()))

    def over(self, turn: TurnId) -> None:
        """A run's end, or its receipt, has been seen."""
        self._status.over(turn)
        self.chain.turn_over(turn)
        if self._pump is not None:
            self._pump.job_over(turn)

    def close(self) -> None:
        """Draw nothing any more."""
        if self._pump is not None:
            self._pump.close()
