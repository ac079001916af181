"""Stage: what the three actors of the chain share, and how they know their neighbours."""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

import pykka

from actors.mailbox import BoundedMailbox
from actors.messages import Credit

Ref = pykka.ActorRef[Any]
FailureReport = Callable[[str, BaseException], None]
"""Called on the dying actor's thread with the actor's name and what it raised."""


@dataclass(slots=True)
class Neighbours:
    """The actors of one generation of the chain. Filled in while the chain starts.

    A successor chain gets an object of its own, so that a late message of a dying actor never
    reaches an actor that does not expect it.
    """

    model: Ref | None = None
    relay: Ref | None = None
    renderer: Ref | None = None


def post(receiver: Ref | None, message: object) -> None:
    """Tell, if the receiver lives. A dead neighbour is the supervisor's business, not the sender's.

    Raises:
        CreditViolationError: the sender had no credit for a data message.
    """
    if receiver is None:
        return
    try:
        receiver.tell(message)
    except pykka.ActorDeadError:
        return


def grant(sender: Ref | None, messages: int) -> None:
    """Give a sender its credit back, if there is any to give."""
    if messages:
        post(sender, Credit(messages=messages))


class Stage(pykka.ThreadingActor):
    """An actor with a bounded two-lane mailbox, which reports its death."""

    use_daemon_thread = True
    """A handler that hangs must not keep the program from ending; Chain ends actors properly."""

    def __init__(self, *, capacity: int, report_failure: FailureReport) -> None:
        super().__init__()
        self.mailbox.capacity = capacity
        self._report_failure = report_failure

    @staticmethod
    def _create_actor_inbox() -> BoundedMailbox:
        return BoundedMailbox()

    @property
    def mailbox(self) -> BoundedMailbox:
        """This actor's own inbox."""
        return cast("BoundedMailbox", self.actor_inbox)

    def on_failure(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Pykka calls this on the actor's thread once a told message has killed it."""
        del exception_type, traceback
        self._report_failure(type(self).__name__, exception_value or RuntimeError("unknown"))
