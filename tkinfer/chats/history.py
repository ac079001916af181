"""ChatHistory: a conversation as the transcript takes it, message by message."""

from collections.abc import Callable

from actors.drawing import TextRenderer
from tkinfer import words
from tkinfer.chats.conversation import Conversation, Message, MessageState, Role
from tkinfer.ui.view import Entry, Tone

_TONES = {
    MessageState.LENGTH: Tone.WARNING,
    MessageState.CONTEXT_FULL: Tone.WARNING,
    MessageState.FAILED: Tone.ERROR,
}


def figures_of(message: Message) -> str:
    """An answer's figures, in words."""
    figures = message.figures
    return words.message_figures(figures, len(message.tokens)) if figures else ""


def tone_of(message: Message) -> Tone:
    """How the note below an answer is coloured."""
    return _TONES.get(message.state, Tone.PLAIN)


class ChatHistory:
    """Implements tkinfer.ui.view.History."""

    def __init__(
        self, conversation: Conversation, make_text_renderer: Callable[[], TextRenderer]
    ) -> None:
        self._conversation = conversation
        self.renderer = make_text_renderer

    def __len__(self) -> int:
        return len(self._conversation.messages)

    def entry(self, index: int) -> Entry:
        """The message with this number, from 0."""
        message = self._conversation.messages[index]
        return Entry(
            author=message.author,
            text=message.text,
            is_user=message.role is Role.USER,
            reasoning=message.reasoning,
            thought_s=message.thought_s,
            left_out=message.left_out,
            figures=figures_of(message),
            note=message.note,
            tone=tone_of(message),
            grows=message.state is MessageState.STREAMING,
        )
