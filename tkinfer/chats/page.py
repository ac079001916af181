"""ChatPage: shows a conversation in the window, and what can be done with its last answer."""

from collections.abc import Callable

from actors.drawing import TextRenderer
from tkinfer.chats.conversation import Conversation, Exchange, Message, MessageState
from tkinfer.chats.history import ChatHistory, figures_of, tone_of
from tkinfer.chats.token_log import TokenLog
from tkinfer.ui.view import AnswerChoices, View


class ChatPage:
    """What the transcript shows of the conversation. Main thread."""

    def __init__(
        self, view: View, make_text_renderer: Callable[[], TextRenderer], tokens: TokenLog
    ) -> None:
        """`make_text_renderer` makes what draws the text of earlier answers."""
        self._view = view
        self._make_text_renderer = make_text_renderer
        self._tokens = tokens

    def begin(self, conversation: Conversation) -> None:
        """Show this empty conversation."""
        self._view.show_history(ChatHistory(conversation, self._make_text_renderer))

    def show(self, conversation: Conversation, at: int | None = None) -> None:
        """Show this conversation in place of the one there: its end, or the message `at`."""
        view = self._view
        view.show_title(conversation.title)
        view.show_empty(None)
        view.show_history(ChatHistory(conversation, self._make_text_renderer), at)
        self.offer(conversation)

    def show_version(self, conversation: Conversation, before: Exchange) -> None:
        """Show another version of the last exchange in place of this one."""
        last = conversation.last
        assert last is not None, "one of its versions was shown"
        changed = 1 if last.question is before.question else 2
        self._view.redraw_from(len(conversation.messages) - changed)
        self._view.show_title(conversation.title)
        self.offer(conversation)

    def reopen(self, conversation: Conversation) -> None:
        """Show the last answer as one that grows."""
        self._view.redraw_from(len(conversation.messages) - 1)

    def close(self, answer: Message) -> None:
        """The answer is complete, or was cut: show its figures and its note."""
        self._view.end_answer(figures=figures_of(answer), note=answer.note, tone=tone_of(answer))

    def offer(self, conversation: Conversation) -> None:
        """Offer what can be done with the last answer, unless it is being made."""
        last = conversation.last
        if last is None or last.answer.state is MessageState.STREAMING:
            self._view.show_choices(None)
            return
        answer = last.answer
        number, versions = conversation.version
        self._view.show_choices(
            AnswerChoices(
                resumable=answer.resumable,
                number=number,
                versions=versions,
                tokens=bool(self._tokens.of(answer)),
                seed=answer.figures.seed if answer.figures is not None else None,
            )
        )
