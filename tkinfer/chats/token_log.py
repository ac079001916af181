"""TokenLog: what else the model could have written at each place of one answer."""

from collections import deque
from collections.abc import Sequence

from actors.messages import TokenChoice
from actors.turn import TurnId
from tkinfer.chats.conversation import Message

MOST_PLACES = 4_096
"""Older ones are forgotten: twenty alternatives each, this is some 10 MB."""


class TokenLog:
    """Remembers the places of the answer that is made or was made last. Main thread."""

    def __init__(self) -> None:
        self._places: deque[TokenChoice] = deque(maxlen=MOST_PLACES)
        self._turn: TurnId | None = None
        self._message: Message | None = None

    def begin(self, turn: TurnId, message: Message) -> None:
        """This turn makes this message, or goes on with it."""
        if message is not self._message:
            self._places.clear()
        self._turn, self._message = turn, message

    def add(self, choice: TokenChoice) -> None:
        """Keep it, unless it comes from a turn that is over."""
        if choice.turn == self._turn:
            self._places.append(choice)

    def end(self) -> None:
        """The turn is over: what still comes of it was not drawn."""
        self._turn = None

    def of(self, message: Message) -> Sequence[TokenChoice]:
        """The places of this message, in order; empty if nothing is known of it."""
        return tuple(self._places) if message is self._message else ()
