"""ChatPage: draws the messages of a conversation into the window, whole or its last part."""

from collections.abc import Callable

from actors.drawing import InsertText, TextRenderer
from actors.turn import Channel
from tkinfer import words
from tkinfer.chats.conversation import Conversation, Exchange, Message, MessageState, Role
from tkinfer.chats.resumed import ResumedText
from tkinfer.chats.token_log import TokenLog
from tkinfer.ui.view import AnswerChoices, Tone, View

_TONES = {
    MessageState.LENGTH: Tone.WARNING,
    MessageState.CONTEXT_FULL: Tone.WARNING,
    MessageState.FAILED: Tone.ERROR,
}


class ChatPage:
    """What the transcript shows of the conversation. Main thread."""

    def __init__(
        self, view: View, make_text_renderer: Callable[[], TextRenderer], tokens: TokenLog
    ) -> None:
        self._view = view
        self._make_text_renderer = make_text_renderer
        self._tokens = tokens

    def show(self, conversation: Conversation) -> None:
        """Show this conversation in place of the one there."""
        view = self._view
        view.clear_chat()
        view.show_title(conversation.title)
        view.show_empty(None)
        for message in conversation.messages:
            self._show_message(message)
        self.offer(conversation)

    def show_version(self, conversation: Conversation, before: Exchange) -> None:
        """Show another version of the last exchange in place of this one."""
        last = conversation.last
        assert last is not None, "one of its versions was shown"
        if last.question is before.question:
            with self._view.replacing_answer():
                self._show_message(last.answer)
        else:
            with self._view.replacing_exchange():
                self._show_message(last.question)
                self._show_message(last.answer)
            self._view.show_title(conversation.title)
        self.offer(conversation)

    def reopen(self, answer: Message) -> ResumedText:
        """Show the last answer as one that grows. What the result makes is drawn behind it."""
        text = ResumedText(self._make_text_renderer(), answer.text)
        with self._view.replacing_answer():
            self._begin(answer)
            self._view.draw(text.ops)
        return text

    def close(self, answer: Message) -> None:
        """The answer is complete, or was cut: show its figures and its note."""
        figures = (
            words.message_figures(answer.figures, len(answer.tokens)) if answer.figures else ""
        )
        tone = _TONES.get(answer.state, Tone.PLAIN)
        self._view.end_answer(figures=figures, note=answer.note, tone=tone)

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

    def _show_message(self, message: Message) -> None:
        if message.role is Role.USER:
            self._view.add_user_message(message.text)
            return
        self._begin(message)
        if message.state is MessageState.STREAMING:
            return
        renderer = self._make_text_renderer()
        self._view.draw([*renderer.feed(message.text), *renderer.finish()])
        self.close(message)

    def _begin(self, answer: Message) -> None:
        """Everything of an answer in front of its text."""
        view = self._view
        view.begin_answer(answer.author)
        if answer.left_out:
            view.show_left_out(answer.left_out)
        if answer.reasoning:
            thoughts = InsertText(
                text=answer.reasoning, tags=("reasoning",), source=answer.reasoning
            )
            view.draw([thoughts], Channel.REASONING)
