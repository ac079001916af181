"""OpenChat: what the user does with the questions and answers of the chat that is open."""

from collections.abc import Callable, Sequence
from functools import partial

from actors.drawing import TextRenderer
from actors.engine import PromptReady
from actors.messages import Failed, Finished, TokenChoice, TurnEnd
from actors.turn import StopReason
from tkinfer import words
from tkinfer.chats.answering import Answering, AnswerRun, Kind
from tkinfer.chats.conversation import Conversation, Message
from tkinfer.chats.page import ChatPage
from tkinfer.chats.token_log import TokenLog
from tkinfer.error_notice import error_notice
from tkinfer.errors import PromptError, TkinferError
from tkinfer.jobs import Jobs
from tkinfer.models.runs import ModelRuns
from tkinfer.status_line import StatusLine
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.view import Notice, NoticeAction, Tone, View


class OpenChat:
    """Holds the conversation, and makes one answer of it at a time.

    Main thread; every method returns at once. Whoever calls brings the status line up to date.
    """

    def __init__(
        self,
        *,
        view: View,
        make_text_renderer: Callable[[], TextRenderer],
        jobs: Jobs,
        status: StatusLine,
        tuning: Tuning,
        models: ModelRuns,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is called when an undo has changed the chat."""
        self._view = view
        self._status = status
        self._tuning = tuning
        self._models = models
        self._changed = changed
        self.tokens = TokenLog()
        self._page = ChatPage(view, make_text_renderer, self.tokens)
        self._formats_told: set[tuple[str, str]] = set()
        """Files and the chat formats that were used in place of the one asked for."""
        self.answering = Answering(view=view, page=self._page, jobs=jobs, tuning=tuning)
        self.conversation = Conversation()
        self._edited: Message | None = None
        """The question that is in the input box to be changed."""
        self._page.begin(self.conversation)

    # ---- what the user does -----------------------------------------------------------------

    def send(self, text: str) -> bool:
        """Start an answer to this text. False if nothing was taken."""
        if not text.strip() or not self._can_begin():
            return False
        model = self._models.choice.name
        self._view.show_empty(None)
        self._view.show_choices(None)
        self._view.add_user_message(self.conversation.add_user(text).text)
        self._view.show_title(self.conversation.title)
        self._view.begin_answer(self.conversation.begin_answer(model).author)
        self._begin(Kind.SENT)
        return True

    def send_edited(self, text: str) -> bool:
        """Ask this in place of the last question. False if nothing was taken."""
        if not text.strip() or not self._can_begin():
            return False
        if self._edited in self.conversation.messages:
            self._go_back_to(self.conversation.messages.index(self._edited))
        before = self.conversation.last
        if before is None:
            return False
        if text == before.question.text:
            self.conversation.answer_again(self._models.choice.name)
        else:
            self.conversation.ask_again(text, self._models.choice.name)
        self._page.show_version(self.conversation, before)
        self._begin(Kind.EDITED)
        return True

    def regenerate(self) -> None:
        """Answer the last question anew; the answer there is stays as a version."""
        before = self.conversation.last
        if before is not None and self._can_begin():
            self.conversation.answer_again(self._models.choice.name)
            self._page.show_version(self.conversation, before)
            self._begin(Kind.AGAIN)

    def resume_answer(self) -> None:
        """Go on with the last answer, if it was cut."""
        last = self.conversation.last
        if last is not None and last.answer.resumable and self._can_begin():
            self._begin(Kind.RESUMED)

    def edit_question(self) -> None:
        """Put the last question into the input box, to be changed."""
        last = self.conversation.last
        if last is not None and self.answering.run is None:
            self._edit(last.question)

    def edit_message(self, index: int) -> None:
        """Put the question of this message into the input box, to be changed."""
        if self.answering.run is None:
            self._edit(self.conversation.messages[self.conversation.exchange_at(index)])

    def answer_again(self, index: int) -> None:
        """Answer the question of this message anew; what came later is taken out."""
        if self._can_begin():
            self._go_back_to(index)
            self.regenerate()

    def delete_message(self, index: int) -> None:
        """Take out this message with the question or answer that belongs to it."""
        if self.answering.run is None:
            at = self.conversation.exchange_at(index)
            self._change_to(self.conversation.without(index), "Deleted.", at=at)

    def message_text(self, index: int) -> str:
        """A message as it was written, without its reasoning."""
        return self.conversation.messages[index].text

    def step_version(self, step: int) -> None:
        """Show the next (1) or the previous (-1) version of the last answer."""
        before = self.conversation.last
        if self.answering.run is not None or before is None:
            return
        if self.conversation.step_version(step):
            self._page.show_version(self.conversation, before)

    def answer_text(self) -> str:
        """The last answer as the model wrote it, without its reasoning."""
        last = self.conversation.last
        return last.answer.text if last is not None else ""

    def answer_tokens(self) -> Sequence[TokenChoice]:
        """What else the model could have written in the last answer."""
        last = self.conversation.last
        return self.tokens.of(last.answer) if last is not None else ()

    def stop(self, reason: StopReason) -> None:
        """Stop the answer, if one is being made."""
        if self.answering.run is not None:
            self.answering.stop(reason)
            self.tokens.end()
            self._page.offer(self.conversation)

    def begin_anew(self) -> None:
        """Show an empty chat in place of this one; an answer that runs is stopped."""
        if self.conversation.messages:
            self._change_to(Conversation(), "A new chat was begun.")

    # ---- what comes back --------------------------------------------------------------------

    def prompt_ready(self, ready: PromptReady) -> None:
        """The prompt of an answer is written: say what of it is not as the user expects."""
        run = self.answering.run
        if run is None or run.turn != ready.turn:
            return
        self._tuning.prompt_ready(ready)
        self.answering.prompt_ready(ready, self._models.choice.context_size)
        self._status.left_out(ready.left_out)
        told = (run.model, ready.format)
        if ready.fell_back and told not in self._formats_told:
            self._formats_told.add(told)
            next_step = "Another can be chosen or written in the settings panel."
            what = words.format_used(ready.format)
            self._view.show_notice(Notice(what=what, next_step=next_step, tone=Tone.WARNING))

    def token_choice(self, choice: TokenChoice) -> None:
        """The model could have written something else; news can be later than the answer's end."""
        self.tokens.add(choice)
        last = self.conversation.last
        if (
            self.answering.run is None
            and last is not None
            and len(self.tokens.of(last.answer)) == 1
        ):
            self._page.offer(self.conversation)

    def answer_ended(self, run: AnswerRun, end: TurnEnd) -> None:
        """The answer that is being made has ended by itself."""
        if isinstance(end, Finished):
            self.answering.finished(end)
            self._status.finished(end.figures)
        else:
            self._failed(run, end)
        self._page.offer(self.conversation)

    def cant_draw(self, error: Exception) -> None:
        """Say that a part of the answer is kept, but not to be seen."""
        self._view.show_notice(error_notice("A part of the answer can't be drawn.", error))

    # ---- inside -----------------------------------------------------------------------------

    def _can_begin(self) -> bool:
        """Whether an answer can be begun; says so if only a model is missing."""
        if self.answering.run is not None:
            return False
        if self._models.choice.name:
            return True
        next_step = "Open a GGUF file with Ctrl+O, or take one from the model menu."
        notice = Notice(what="No model is open yet.", next_step=next_step, tone=Tone.WARNING)
        self._view.show_notice(notice)
        return False

    def _begin(self, kind: Kind) -> None:
        self._status.clear_figures()
        run = self.answering.begin(self.conversation, self._models.choice.path, kind)
        self.tokens.begin(run.turn, run.message)
        self._models.answer_begins(run.turn)

    def _failed(self, run: AnswerRun, end: Failed) -> None:
        refused = isinstance(end.error, PromptError)  # before anything of it was done
        self.answering.failed(end, unchanged=refused)
        if refused:
            self._refused(run, end.error)
        elif not isinstance(end.error, TkinferError):
            what = "The answer failed inside the program."
            self._view.show_notice(error_notice(what, end.error))
        elif end.error.detail:
            self._view.show_notice(error_notice("", end.error))

    def _refused(self, run: AnswerRun, error: Exception) -> None:
        """Give back what was asked: sent again as it is, it would be refused again."""
        if run.kind is Kind.SENT:
            self._view.set_draft(self.conversation.refuse_last_question())
            return
        refused = self.conversation.last
        if run.kind is Kind.RESUMED or refused is None:
            return
        if self.conversation.drop_version():
            self._page.show_version(self.conversation, refused)
            self._view.show_notice(error_notice("", error))
        else:
            self.conversation.refuse_last_question()
        if run.kind is Kind.EDITED:
            self._edit(refused.question)

    def _edit(self, question: Message) -> None:
        self._edited = question
        self._view.edit_question(question.text)

    def _go_back_to(self, index: int) -> None:
        """Make this message's exchange the last one; what came later can be brought back."""
        earlier = self.conversation
        if self.conversation.exchange_at(index) + 2 < len(earlier.messages):
            self.conversation = earlier.up_to(index)
            self._page.show(self.conversation)
            count = len(earlier.messages) - len(self.conversation.messages)
            self._offer_back(earlier, f"{count} later messages were taken out.")

    def _change_to(self, other: Conversation, what: str, at: int | None = None) -> None:
        """Show another conversation, and offer the way back."""
        self.stop(StopReason.REPLACED)
        earlier, self.conversation = self.conversation, other
        self._status.clear_figures()
        self._view.leave_edit()
        self._page.show(other, at)
        self._changed()
        if earlier.messages:
            self._offer_back(earlier, what)

    def _offer_back(self, earlier: Conversation, what: str) -> None:
        back = partial(self._change_to, earlier, "The earlier chat is back.")
        undo = NoticeAction(label="Undo", run=back, brief=True)
        self._view.show_notice(Notice(what=what, tone=Tone.PLAIN, action=undo))
