"""The session: what the user does, turned into runs, and what comes back, turned into the window.

Lives on the main thread and knows no tkinter: it talks to a View, so it runs headless in tests.
"""

from collections.abc import Callable, Sequence
from functools import partial

from actors.chain import Chain
from actors.drawing import DrawOp, TextRenderer
from actors.engine import Counted, Planned, PromptReady
from actors.messages import (
    CountTokens,
    Failed,
    Finished,
    ModelLost,
    ModelReady,
    News,
    Stopped,
    TurnEnd,
)
from actors.telemetry import Telemetry
from actors.turn import Channel, Phase, StopReason, TurnId
from tkinfer import words
from tkinfer.answering import Answering, AnswerRun, Kind
from tkinfer.chats.conversation import Conversation
from tkinfer.chats.page import ChatPage
from tkinfer.error_notice import error_notice
from tkinfer.errors import PromptError, TkinferError
from tkinfer.jobs import Jobs
from tkinfer.model_runs import ModelRuns, distrust_notice
from tkinfer.settings import SettingsKeeper
from tkinfer.status_line import StatusLine
from tkinfer.tuning import Tuning
from tkinfer.ui.pump import OutputPump
from tkinfer.ui.view import Appearance, Notice, NoticeAction, Tone, View


def no_model_error() -> PromptError:
    """What an answer without any model ends in."""
    return PromptError("No model is open.", "Open a GGUF file with Ctrl+O.")


class Session:
    """Holds the conversation and the state of the model; implements the window's Actions and the
    pump's Screen. Every method belongs to the main thread and returns at once.
    """

    def __init__(
        self,
        *,
        view: View,
        chain: Chain,
        make_text_renderer: Callable[[], TextRenderer],
        settings: SettingsKeeper,
        tuning: Tuning,
        now: Callable[[], float],
        starter_path: str | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._view = view
        self._keeper = settings
        self._tuning = tuning
        self._starter_path = starter_path
        self._on_close = on_close
        self._counts = 0
        self._formats_told: set[tuple[str, str]] = set()
        """Files and the chat formats that were used in place of the one asked for."""
        self.status = StatusLine(view)
        self.jobs = Jobs(chain, self.status, now)
        self._page = ChatPage(view, make_text_renderer)
        self._models = ModelRuns(
            view=view,
            jobs=self.jobs,
            status=self.status,
            tuning=tuning,
            keeper=settings,
            starter_path=starter_path,
        )
        self.model = self._models.choice
        self._answering = Answering(
            view=view,
            page=self._page,
            jobs=self.jobs,
            tuning=tuning,
            draw_failed=self._cant_draw,
        )
        self.conversation = Conversation()

    def attach_pump(self, pump: OutputPump) -> None:
        """Give the pump that delivers to this session; before anything is sent."""
        self.jobs.attach_pump(pump)
        self._show_state()

    # ---- Actions: the answer ----------------------------------------------------------------

    def send(self, text: str) -> bool:
        """Start an answer to this text. False if nothing was taken."""
        if not text.strip() or not self._can_begin():
            return False
        self._view.show_empty(None)
        self._view.show_choices(None)
        self._view.add_user_message(self.conversation.add_user(text).text)
        self._view.show_title(self.conversation.title)
        self._view.begin_answer(self.conversation.begin_answer(self.model.name).author)
        self._begin(Kind.SENT)
        return True

    def send_edited(self, text: str) -> bool:
        """Ask this in place of the last question. False if nothing was taken."""
        before = self.conversation.last
        if before is None or not text.strip() or not self._can_begin():
            return False
        if text == before.question.text:
            self.conversation.answer_again(self.model.name)
        else:
            self.conversation.ask_again(text, self.model.name)
        self._page.show_version(self.conversation, before)
        self._begin(Kind.EDITED)
        return True

    def regenerate(self) -> None:
        """Answer the last question anew; the answer there is stays as a version."""
        before = self.conversation.last
        if before is not None and self._can_begin():
            self.conversation.answer_again(self.model.name)
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
        if last is not None and self._answering.run is None:
            self._view.edit_question(last.question.text)

    def step_version(self, step: int) -> None:
        """Show the next (1) or the previous (-1) version of the last answer."""
        before = self.conversation.last
        if self._answering.run is not None or before is None:
            return
        if self.conversation.step_version(step):
            self._page.show_version(self.conversation, before)

    def answer_text(self) -> str:
        """The last answer as the model wrote it, without its reasoning."""
        last = self.conversation.last
        return last.answer.text if last is not None else ""

    def count_draft(self, text: str) -> None:
        """Count the draft's tokens, if a model is there."""
        self._counts += 1
        if text and self.model.info is not None:
            self.jobs.tell(CountTokens(query=self._counts, text=text))
        else:
            self._view.show_draft_tokens("")

    def stop(self) -> None:
        """Stop the answer, or the loading if no answer runs."""
        if self._answering.run is not None:
            self._stop_answer(StopReason.USER)
        else:
            self.cancel_load()

    # ---- Actions: chats, models, the program ------------------------------------------------

    def new_chat(self) -> None:
        """Begin an empty chat; an answer that runs is stopped. Can be undone."""
        if self.conversation.messages:
            self._change_chat(Conversation(), "A new chat was begun.")

    def load_model(self, path: str) -> None:
        """Load this file in place of the model there is; a running answer is stopped."""
        self._stop_answer(StopReason.REPLACED)
        self._models.load(path)
        self._show_state()

    def load_starter(self) -> None:
        """Load the starter model, if it is installed."""
        if self._starter_path is not None:
            self.load_model(self._starter_path)

    def load_first_model(self) -> None:
        """Load the model of the last time, or the starter; not one that ended the program."""
        path, distrusted = self._models.at_start()
        if path:
            self.load_model(path)
        if distrusted:
            load = partial(self.load_model, distrusted)
            action = NoticeAction(label="Load it all the same", run=load)
            self._view.show_notice(distrust_notice(distrusted, action))

    def cancel_load(self) -> None:
        """Stop the loading of a model, and with it the answer that waits for it."""
        load = self.model.load
        if load is not None or self._loading_for_answer():
            self._stop_answer(StopReason.USER)
        if load is not None:
            self._models.cancel(load)
            self._show_state()

    def unload(self) -> None:
        """Give the model's memory back; the next message loads it again."""
        self._stop_answer(StopReason.REPLACED)
        self._models.unload()

    def choose_appearance(self, appearance: Appearance) -> None:
        """Remember the palette, which the window shows already."""
        self._keeper.settings.appearance = appearance
        self._keeper.save_soon()

    def close(self) -> None:
        """End everything."""
        self._models.close()
        self.jobs.close()
        self._on_close()

    # ---- Screen: what the pump delivers -----------------------------------------------------

    def draw(self, turn: TurnId, ops: Sequence[DrawOp], channel: Channel) -> None:
        """Draw, then keep: the text of an answer is what was drawn."""
        if self._answering.is_of(turn):
            self._answering.draw(ops, channel)

    def draw_failed(self, turn: TurnId, op: DrawOp, channel: Channel, error: Exception) -> None:
        """Keep the text all the same, and say so."""
        if self._answering.is_of(turn):
            self._answering.keep(op, channel)
        self._cant_draw(error)

    def failed(self, error: Exception) -> None:
        """Something else went wrong on the way to the window."""
        self.report_error("Something in the window failed.", error)

    def turn_ended(self, end: TurnEnd) -> None:
        """A run ended by itself: close its place in the window."""
        self.jobs.over(end.turn)
        load, run = self.model.load, self._answering.run
        self._models.over(end.turn)
        if run is not None and run.turn == end.turn:
            if isinstance(end, Finished):
                self._answering.finished(end)
                self.status.finished(end.figures)
            else:
                self._answer_failed(run, end)
            self._page.offer(self.conversation)
        elif isinstance(end, Failed) and load is not None and load.turn == end.turn:
            self._load_failed(end.error)
        self._show_state()

    def news(self, news: News) -> None:
        """Something about the model, a prompt or a Stop, outside the order of the text."""
        match news:
            case Stopped():
                self._stopped(news)
            case ModelReady():
                self._model_ready(news)
            case ModelLost():
                self._model_lost(news)
            case PromptReady():
                self._prompt_ready(news)
            case Planned():
                self._tuning.planned(news)
            case Counted():
                self._counted(news)
        self._show_state()

    def measured(self, sample: Telemetry) -> None:
        """The newest figures of the chain; those of a run that is over come too late."""
        load, run = self.model.load, self._answering.run
        live = {job.turn for job in (load, run) if job is not None} | self.status.stopping
        if sample.turn not in live:
            return
        self.status.measured(sample, self.model.context_size)
        if load is not None and load.turn == sample.turn:
            load.fraction = sample.load_fraction
        self._show_state()

    # ---- errors -----------------------------------------------------------------------------

    def report_error(self, what: str, error: BaseException) -> None:
        """Show a notice for an error of the program's own; the trace is in the log."""
        self._view.show_notice(error_notice(what, error))

    def _cant_draw(self, error: Exception) -> None:
        self.report_error("A part of the answer can't be drawn.", error)

    # ---- chats ------------------------------------------------------------------------------

    def _change_chat(self, other: Conversation, what: str) -> None:
        """Show another conversation, and offer the way back."""
        self._stop_answer(StopReason.REPLACED)
        earlier, self.conversation = self.conversation, other
        self.status.clear_figures()
        self._view.leave_edit()
        self._page.show(other)
        self._show_state()
        if earlier.messages:
            back = partial(self._change_chat, earlier, "The earlier chat is back.")
            undo = NoticeAction(label="Undo", run=back, brief=True)
            self._view.show_notice(Notice(what=what, tone=Tone.PLAIN, action=undo))

    # ---- the answer -------------------------------------------------------------------------

    def _can_begin(self) -> bool:
        """Whether an answer can be begun; says so if only a model is missing."""
        if self._answering.run is not None:
            return False
        if not self.model.name:
            next_step = "Open a GGUF file with Ctrl+O, or take one from the model menu."
            notice = Notice(what="No model is open yet.", next_step=next_step, tone=Tone.WARNING)
            self._view.show_notice(notice)
        return bool(self.model.name)

    def _begin(self, kind: Kind) -> None:
        self.status.clear_figures()
        run = self._answering.begin(self.conversation, self.model.path, kind)
        self._models.answer_begins(run.turn)
        self._show_state()

    def _stop_answer(self, reason: StopReason) -> None:
        if self._answering.run is not None:
            self._answering.stop(reason)
            self._page.offer(self.conversation)
            self._show_state()

    def _stopped(self, stopped: Stopped) -> None:
        self.jobs.over(stopped.turn)
        self._models.over(stopped.turn)
        self._answering.receipt(stopped)
        if stopped.reason is StopReason.USER:
            self.status.stopped(stopped)

    def _prompt_ready(self, ready: PromptReady) -> None:
        run = self._answering.run
        if run is None or run.turn != ready.turn:
            return
        self._tuning.prompt_ready(ready)
        self._answering.prompt_ready(ready, self.model.context_size)
        self.status.left_out(ready.left_out)
        told = (run.model, ready.format)
        if ready.fell_back and told not in self._formats_told:
            self._formats_told.add(told)
            self._view.show_notice(
                Notice(
                    what=words.format_used(ready.format),
                    next_step="Another can be chosen or written in the settings panel.",
                    tone=Tone.WARNING,
                )
            )

    def _answer_failed(self, run: AnswerRun, end: Failed) -> None:
        refused = isinstance(end.error, PromptError)  # before anything of it was done
        self._answering.failed(end, unchanged=refused)
        if refused:
            self._refused(run, end.error)
        elif not isinstance(end.error, TkinferError):
            self.report_error("The answer failed inside the program.", end.error)
        elif end.error.detail:
            self.report_error("", end.error)

    def _refused(self, run: AnswerRun, error: Exception) -> None:
        """Give back what was asked: sent again as it is, it would be refused again."""
        if run.kind is Kind.SENT:
            self._view.set_draft(self.conversation.refuse_last_question())
            return
        refused = self.conversation.last
        if run.kind is Kind.RESUMED or refused is None or not self.conversation.drop_version():
            return
        self._page.show_version(self.conversation, refused)
        self.report_error("", error)
        if run.kind is Kind.EDITED:
            self._view.edit_question(refused.question.text)

    def _counted(self, counted: Counted) -> None:
        if counted.query == self._counts and counted.tokens is not None:
            count = words.draft_tokens(counted.tokens, self.model.context_size)
            self._view.show_draft_tokens(count)

    # ---- the model --------------------------------------------------------------------------

    def _model_ready(self, ready: ModelReady) -> None:
        self._models.ready(ready)
        if not self._answering.is_of(ready.turn):
            self.jobs.over(ready.turn)

    def _model_lost(self, lost: ModelLost) -> None:
        self._models.lost(lost)
        if lost.error is not None and self._answering.run is None and self.model.load is None:
            self.report_error("The engine failed.", lost.error)

    def _load_failed(self, error: Exception) -> None:
        self._models.failed(error)
        self._stop_answer(StopReason.REPLACED)  # it was for the model that isn't there
        self.report_error("The model can't be loaded.", error)

    def _loading_for_answer(self) -> bool:
        """Whether the answer's own run loads the model again."""
        run, sample = self._answering.run, self.status.sample
        return run is not None and sample.turn == run.turn and sample.phase is Phase.LOADING

    def _show_state(self) -> None:
        """Bring model button, status bar and empty chat up to date. Costs nothing unchanged."""
        self._models.show(reloading=self._loading_for_answer())
        if not self.conversation.messages:
            self._view.show_empty(self.model.empty_state())
        self.status.show(
            model_loaded=self.model.info is not None, model_chosen=bool(self.model.path)
        )
