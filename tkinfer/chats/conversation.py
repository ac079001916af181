"""The conversation model: what was said, and how each message ended."""

from dataclasses import dataclass, field
from enum import StrEnum

from actors.engine import ChatMessage
from actors.turn import Figures


class Role(StrEnum):
    """Who wrote a message; the values are those of the chat templates."""

    USER = "user"
    ASSISTANT = "assistant"


class MessageState(StrEnum):
    """How a message stands."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    LENGTH = "length"
    CONTEXT_FULL = "context_full"
    FAILED = "failed"


@dataclass(slots=True)
class Message:
    """One message. The text of an answer is exactly what was drawn of it, as the model wrote it."""

    role: Role
    author: str
    state: MessageState = MessageState.COMPLETE
    left_out: bool = False
    """Not part of the prompt: it was refused, and its text given back."""
    figures: Figures | None = None
    note: str = ""
    """Why the answer ended as it did, in words, if it did not simply finish."""
    _parts: list[str] = field(default_factory=list[str])

    def append(self, text: str) -> None:
        """Add what was drawn. Constant cost, however long the message is."""
        self._parts.append(text)

    @property
    def text(self) -> str:
        """The whole text."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""


class Conversation:
    """The messages of one chat, in order."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add_user(self, text: str) -> Message:
        """Append what the user wrote."""
        return self._add(Message(Role.USER, "You", _parts=[text]))

    def begin_answer(self, author: str) -> Message:
        """Append an answer that is about to stream in."""
        return self._add(Message(Role.ASSISTANT, author, MessageState.STREAMING))

    def leave_out_last_question(self) -> str:
        """Keep the newest question out of later prompts; return its text."""
        question = next(m for m in reversed(self.messages) if m.role is Role.USER)
        question.left_out = True
        return question.text

    def _add(self, message: Message) -> Message:
        self.messages.append(message)
        return message

    def prompt(self) -> tuple[ChatMessage, ...]:
        """What the model is to answer: all messages that have text, up to the newest of the user.

        An answer that was stopped before its first character has none, and is left out.
        """
        return tuple(
            ChatMessage(role=message.role.value, content=message.text)
            for message in self.messages
            if message.text and not message.left_out
        )

    @property
    def title(self) -> str:
        """The beginning of the first question, on one line; empty for a new chat."""
        if not self.messages:
            return ""
        words = self.messages[0].text.split()
        title = " ".join(words[:12])
        return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"


MAX_TITLE = 60
