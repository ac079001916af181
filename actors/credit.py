"""Credit of one hop: the sender's window and the receiver's gate.

For each hop, at any moment: credit held by the sender + credit on its way back + messages queued or
held at the receiver + credit owed by the gate = window.
"""

from actors.mailbox import CreditViolationError


class CreditWindow:
    """The sender's side: how many messages it may still send. Not thread-safe: one owner."""

    def __init__(self, size: int, *, outstanding: int = 0) -> None:
        """Begin with a full window, less what an earlier sender left on the way."""
        if size < 1:
            msg = f"a window needs at least one place, not {size}"
            raise ValueError(msg)
        self.size = size
        self._available = size - outstanding

    @property
    def available(self) -> int:
        """Messages that may be sent now."""
        return self._available

    def take(self) -> bool:
        """Spend one credit, if there is one."""
        if self._available == 0:
            return False
        self._available -= 1
        return True

    def refill(self, messages: int) -> None:
        """Add granted credit.

        Raises:
            CreditViolationError: the receiver granted more than it was sent.
        """
        if self._available + messages > self.size:
            msg = f"{messages} credits on top of {self._available} exceed the window {self.size}"
            raise CreditViolationError(msg)
        self._available += messages


class CreditGate:
    """The receiver's side: counts what has been taken and says when to grant. One owner.

    Grants are joined to a quarter of the window, so that 128 pieces cost 4 messages, not 128.
    """

    def __init__(self, size: int) -> None:
        self._owed = 0
        self._step = max(1, size // 4)

    @property
    def owed(self) -> int:
        """Credits not yet granted."""
        return self._owed

    def took(self, messages: int) -> int:
        """Count messages as taken; return the credits to grant now, 0 if it is too early."""
        self._owed += messages
        return self.settle() if self._owed >= self._step else 0

    def settle(self) -> int:
        """All that is owed, to be granted now."""
        owed, self._owed = self._owed, 0
        return owed
