"""OutputQueue: the way out of the actor world, into the window's thread."""

import threading
from collections import deque
from collections.abc import Callable

from actors.credit import CreditWindow
from actors.mailbox import CreditViolationError, drop_turn
from actors.messages import News, RenderOps, TurnEnd
from actors.turn import TurnId

GrantCredit = Callable[[int], None]


def ignore_wake() -> None:
    """The wake-up of a queue whose reader polls."""


class OutputQueue:
    """Operation lists in order, bounded by credit, and news. Actors put; one reader takes.

    A list counts against the window until the reader has *drawn* it (`acknowledge`), so a slow
    window holds the renderer back. The renderer may be replaced while lists are under way: the
    queue knows how many are out, and their credit goes to the successor.
    """

    def __init__(self, window: int, wake: Callable[[], None] = ignore_wake) -> None:
        """`wake` is called on the putting thread whenever something was put; it must not block."""
        self.window = window
        self._wake = wake
        self._ordered: deque[RenderOps | TurnEnd] = deque()
        self._news: deque[News] = deque()
        self._outstanding = 0
        self._high_water = 0
        self._grant: GrantCredit | None = None
        self._lock = threading.Lock()

    def attach(self, grant: GrantCredit) -> CreditWindow:
        """Make the caller the renderer: credit goes to it from now on. Returns its window."""
        with self._lock:
            self._grant = grant
            return CreditWindow(self.window, outstanding=self._outstanding)

    def put(self, item: RenderOps | TurnEnd) -> None:
        """Queue what the renderer made.

        Raises:
            CreditViolationError: more lists are out than the window allows.
        """
        with self._lock:
            if isinstance(item, RenderOps):
                if self._outstanding >= self.window:
                    msg = f"{self._outstanding} lists are out already; the window is {self.window}"
                    raise CreditViolationError(msg)
                self._outstanding += 1
                self._high_water = max(self._high_water, self._outstanding)
            self._ordered.append(item)
        self._wake()

    def tell(self, news: News) -> None:
        """Queue news for the window. Few by nature: each answers something the window did."""
        self._news.append(news)
        self._wake()

    def take(self) -> RenderOps | TurnEnd | None:
        """The next thing in order. A RenderOps must be acknowledged once it is drawn or dropped."""
        with self._lock:
            return self._ordered.popleft() if self._ordered else None

    def take_news(self) -> News | None:
        """The oldest news, or None."""
        return self._news.popleft() if self._news else None

    def acknowledge(self, lists: int = 1) -> None:
        """So many lists taken earlier are drawn or dropped: give their credit back.

        Raises:
            CreditViolationError: more lists than are out.
        """
        if lists == 0:
            return
        with self._lock:
            if lists > self._outstanding:
                msg = f"{lists} lists acknowledged, but {self._outstanding} are out"
                raise CreditViolationError(msg)
            self._outstanding -= lists
            grant = self._grant
        if grant is not None:
            grant(lists)

    def discard_turn(self, turn: TurnId) -> None:
        """Throw away what is queued of this turn, and give the credit back."""
        with self._lock:
            dropped = drop_turn(self._ordered, turn)
        self.acknowledge(dropped)

    @property
    def outstanding(self) -> int:
        """Lists put and not yet acknowledged."""
        return self._outstanding

    @property
    def high_water(self) -> int:
        """The most lists that were ever out at once."""
        return self._high_water

    def empty(self) -> bool:
        """Whether there is nothing to take, in order or as news."""
        return not self._ordered and not self._news
