"""Mailboxes: two lanes for actors, and a queue that keeps only the latest."""

import threading
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Lane(Enum):
    """How a message queues. Each message class names its lane in the class attribute `lane`."""

    CONTROL = auto()
    """Served before all else, never refused: Stop, Credit, and Pykka's own messages."""
    DATA = auto()
    """In order, and costs one credit: refused beyond the mailbox's capacity."""
    END = auto()
    """In order behind the data, but free: a turn has exactly one, so it cannot pile up, and a
    sender that is out of credit can still say that the turn is over."""


class CreditViolationError(RuntimeError):
    """A sender sent without credit, or a receiver granted more than it took. A bug, never load."""


class Envelope(Protocol):
    """What Pykka puts into an inbox."""

    message: Any


def lane_of(message: object) -> Lane:
    """The lane of a message; what names none, such as Pykka's own stop, is control."""
    return getattr(type(message), "lane", Lane.CONTROL)


def _itself(message: Any) -> Any:
    return message


def drop_turn(queue: deque[Any], turn: int, message_of: Callable[[Any], Any] = _itself) -> int:
    """Take a turn's messages out of a queue; return how many of them had cost a credit.

    `message_of` unpacks what the queue holds.
    """
    kept = [item for item in queue if message_of(item).turn != turn]
    costly = sum(lane_of(message_of(item)) is Lane.DATA for item in queue)
    queue.clear()
    queue.extend(kept)
    return costly - sum(lane_of(message_of(item)) is Lane.DATA for item in kept)


class BoundedMailbox:
    """An actor's inbox with a control lane and a bounded data lane. Any thread may put.

    Replaces Pykka's inbox, which is one unbounded queue: there a stop request waits behind all
    that was sent before it (1.0 s behind 50 messages of 20 ms; case C-5).
    """

    def __init__(self, capacity: int = 0) -> None:
        self.capacity = capacity
        self._control: deque[Envelope] = deque()
        self._ordered: deque[Envelope] = deque()
        self._data_queued = 0
        self._high_water = 0
        self._changed = threading.Condition()

    def put(self, envelope: Any, /) -> None:
        """Queue an envelope.

        Raises:
            CreditViolationError: the data lane is full, so the sender had no credit.
        """
        lane = lane_of(envelope.message)
        with self._changed:
            if lane is Lane.CONTROL:
                self._control.append(envelope)
            elif lane is Lane.END:
                self._ordered.append(envelope)
            else:
                if self._data_queued >= self.capacity:
                    msg = f"{envelope.message!r} exceeds the mailbox's {self.capacity} places"
                    raise CreditViolationError(msg)
                self._ordered.append(envelope)
                self._data_queued += 1
                self._high_water = max(self._high_water, self._data_queued)
            self._changed.notify()

    def get(self) -> Any:
        """Take the next envelope, waiting for one. Only the actor's own thread may call this."""
        with self._changed:
            while not (self._control or self._ordered):
                self._changed.wait()
            if self._control:
                return self._control.popleft()
            envelope = self._ordered.popleft()
            if lane_of(envelope.message) is Lane.DATA:
                self._data_queued -= 1
            return envelope

    def empty(self) -> bool:
        """Whether nothing is queued in either lane."""
        with self._changed:
            return not (self._control or self._ordered)

    def discard_turn(self, turn: int) -> int:
        """Throw away what is queued of this turn; return the number of data messages among it.

        The caller owes their sender that many credits.
        """
        with self._changed:
            dropped = drop_turn(self._ordered, turn, lambda envelope: envelope.message)
            self._data_queued -= dropped
            return dropped

    @property
    def data_queued(self) -> int:
        """Data messages waiting now."""
        return self._data_queued

    @property
    def high_water(self) -> int:
        """The most data messages that ever waited at once."""
        return self._high_water


class LatestQueue(Generic[T]):
    """Keeps the newest items and drops the oldest: for telemetry, where a missed sample is worth
    nothing. Any thread may put and take.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: deque[T] = deque(maxlen=capacity)

    def put(self, item: T) -> None:
        """Add an item, dropping the oldest when full. Never blocks."""
        self._items.append(item)  # deque's append and popleft are atomic

    def take_latest(self) -> T | None:
        """The newest item, or None; all older ones are dropped."""
        latest: T | None = None
        for _ in range(self._capacity):  # a fast putter must not keep the taker here for ever
            try:
                latest = self._items.popleft()
            except IndexError:
                break
        return latest
