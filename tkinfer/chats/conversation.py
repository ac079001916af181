"""The conversation model: what was said, in which versions, and how each message ended."""

from dataclasses import dataclass, field
from enum import StrEnum

from actors.engine import AnswerTokens, ChatMessage
from actors.turn import Channel, Figures

MAX_TITLE = 60


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


_CUT = {
    MessageState.STOPPED,
    MessageState.LENGTH,
    MessageState.CONTEXT_FULL,
    MessageState.FAILED,
}


@dataclass(slots=True, eq=False)
class Message:
    """One message. The text of an answer is exactly what was drawn of it, as the model wrote it."""

    role: Role
    author: str
    state: MessageState = MessageState.COMPLETE
    refused: bool = False
    """Not part of the prompt: it was too long, and its text given back."""
    figures: Figures | None = None
    note: str = ""
    """Why the answer ended as it did, in words, if it did not simply finish."""
    left_out: str = ""
    """What of the chat the prompt had no room for, in words."""
    format: str = ""
    """Which chat format the prompt was written in, in words."""
    tokens: tuple[int, ...] = ()
    """The answer's tokens from its beginning, as many as were drawn."""
    model: str = ""
    """The file whose tokens these are."""
    thought_s: float = 0.0
    """How long the model thought, in seconds."""
    drawn: int = 0
    """How many characters of reasoning and text were drawn."""
    versions: "list[Exchange]" = field(default_factory=lambda: list[Exchange](), repr=False)  # noqa: PLW0108 - defined below
    """Of an answer: all that took its place, itself among them; one list for all of them."""
    _parts: list[str] = field(default_factory=list[str])
    _thoughts: list[str] = field(default_factory=list[str])

    def append(self, text: str, channel: Channel = Channel.ANSWER) -> None:
        """Add what was drawn. Constant cost, however long the message is."""
        parts = self._thoughts if channel is Channel.REASONING else self._parts
        parts.append(text)
        self.drawn += len(text)

    @property
    def text(self) -> str:
        """The whole text, without the reasoning."""
        return _joined(self._parts)

    @property
    def reasoning(self) -> str:
        """What the model thought before its answer."""
        return _joined(self._thoughts)

    def first_words(self, limit: int) -> str:
        """The beginning of the text on one line, at most `limit` characters."""
        words = " ".join(self.text[: limit * 4].split())
        return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"

    @property
    def resumable(self) -> bool:
        """Whether it is an answer that was cut behind its first character."""
        return self.role is Role.ASSISTANT and self.state in _CUT and self.drawn > 0

    def keep_tokens(self, tokens: AnswerTokens, drawn: int, model: str) -> None:
        """Keep the tokens that lead to the first `drawn` characters, in place of earlier ones.

        The engine gives them from the answer's beginning, also if it has gone on with it; if it
        gives none, what is known already stays.
        """
        if not tokens.ids:
            return
        kept = len(tokens.ends)
        while kept and tokens.ends[kept - 1] > drawn:
            kept -= 1
        self.tokens, self.model = tokens.ids[:kept], model


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question of the user, and one answer to it."""

    question: Message
    answer: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the model is given. `sources` are the messages behind it, the system text not among
    them.
    """

    messages: tuple[ChatMessage, ...]
    sources: tuple[Message, ...]


class Conversation:
    """The messages of one chat, in order; of the last exchange, the version that was chosen."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add_user(self, text: str) -> Message:
        """Append what the user wrote."""
        question = Message(Role.USER, "You", _parts=[text])
        self.messages.append(question)
        return question

    def begin_answer(self, author: str) -> Message:
        """Append an answer to the last question, which is about to stream in."""
        question = self.messages[-1]
        answer = Message(Role.ASSISTANT, author, MessageState.STREAMING)
        answer.versions = [Exchange(question, answer)]
        self.messages.append(answer)
        return answer

    @property
    def last(self) -> Exchange | None:
        """The last question with its answer, in the version that is shown."""
        if not self.messages:
            return None
        question, answer = self.messages[-2:]
        return Exchange(question, answer)

    def copy(self) -> "Conversation":
        """The conversation as it stands now. Messages are shared, and so are their versions."""
        twin = Conversation()
        twin.messages = list(self.messages)
        return twin

    def exchange_at(self, index: int) -> int:
        """Where the question of this message stands."""
        return index - index % 2

    def up_to(self, index: int) -> "Conversation":
        """The conversation as it was when this message's exchange was its last."""
        twin = self.copy()
        del twin.messages[self.exchange_at(index) + 2 :]
        return twin

    def without(self, index: int) -> "Conversation":
        """The conversation without this message's exchange."""
        twin = self.copy()
        first = self.exchange_at(index)
        del twin.messages[first : first + 2]
        return twin

    def answer_again(self, author: str) -> Message:
        """Begin another answer to the last question. An answer without text gives it its place."""
        assert self.last is not None, "there is an answer"
        return self._add_version(self.last.question, author)

    def ask_again(self, text: str, author: str) -> Message:
        """Begin the answer to a changed last question."""
        return self._add_version(Message(Role.USER, "You", _parts=[text]), author)

    def _add_version(self, question: Message, author: str) -> Message:
        last = self.last
        assert last is not None, "there is an exchange"
        answer = Message(Role.ASSISTANT, author, MessageState.STREAMING)
        versions = answer.versions = last.answer.versions
        question.refused = False
        if last.question is question and not last.answer.drawn:
            versions.remove(last)
        versions.append(Exchange(question, answer))
        self._choose(versions[-1])
        return answer

    @property
    def version(self) -> tuple[int, int]:
        """Which version of the last exchange is shown, from 1, and how many there are."""
        last = self.last
        if last is None:
            return 1, 1
        return last.answer.versions.index(last) + 1, len(last.answer.versions)

    def step_version(self, step: int) -> bool:
        """Choose the next (1) or previous (-1) version. False: there is none."""
        number, count = self.version
        if self.last is None or not 1 <= number + step <= count:
            return False
        self._choose(self.last.answer.versions[number - 1 + step])
        return True

    def drop_version(self) -> bool:
        """Forget the shown version of the last exchange, and choose the one before it.

        False: there is no other.
        """
        last = self.last
        if last is None or len(last.answer.versions) == 1:
            return False
        versions = last.answer.versions
        place = versions.index(last)
        del versions[place]
        self._choose(versions[max(place - 1, 0)])
        return True

    def _choose(self, exchange: Exchange) -> None:
        self.messages[-2:] = [exchange.question, exchange.answer]

    def refuse_last_question(self) -> str:
        """Keep the newest question out of later prompts; return its text."""
        question = next(m for m in reversed(self.messages) if m.role is Role.USER)
        question.refused = True
        return question.text

    def prompt(self, *, system: str = "", model: str = "", resume: bool = False) -> Prompt:
        """What the model is to answer: all messages that have text, up to the newest of the user.

        An answer that was stopped before its first character has none, and is left out.

        Args:
            system: Goes first, if it isn't empty.
            model: The file that answers; only its own tokens mean anything to it.
            resume: The last message is an answer to go on with, even if it has only reasoning.
        """
        messages = [ChatMessage(role="system", content=system)] if system else []
        sources = [m for m in self.messages if m.text and not m.refused]
        if resume and (not sources or sources[-1] is not self.messages[-1]):
            sources.append(self.messages[-1])
        messages += [
            ChatMessage(
                role=message.role.value,
                content=message.text,
                reasoning=message.reasoning,
                tokens=message.tokens if message.model == model else (),
            )
            for message in sources
        ]
        return Prompt(messages=tuple(messages), sources=tuple(sources))

    @property
    def title(self) -> str:
        """The beginning of the first question, on one line; empty for a new chat."""
        return self.messages[0].first_words(MAX_TITLE) if self.messages else ""


def _joined(parts: list[str]) -> str:
    if len(parts) > 1:
        parts[:] = ["".join(parts)]
    return parts[0] if parts else ""
