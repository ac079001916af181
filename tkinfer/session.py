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
    ModelLost,
    ModelReady,
    News,
    Stopped,
    TokenChoice,
    TurnEnd,
)
from actors.telemetry import Telemetry
from actors.turn import Channel, Phase, StopReason, TurnId
from tkinfer import words
from tkinfer.chats.conversation import Conversation
from tkinfer.chats.open_chat import OpenChat
from tkinfer.error_notice import error_notice
from tkinfer.errors import PromptError
from tkinfer.jobs import Jobs
from tkinfer.models.runs import ModelRuns, distrust_notice
from tkinfer.settings import SettingsKeeper
from tkinfer.status_line import StatusLine
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.pump import OutputPump
from tkinfer.ui.view import Appearance, NoticeAction, View


def no_model_error() -> PromptError:
    """What an answer without any model ends in."""
    return PromptError("No model is open.", "Open a GGUF file with Ctrl+O.")


class Session:
    """Joins the open chat, the model and the status line; implements the window's Actions (see
    tkinfer/ui/view.py) and the pump's Screen. Every method belongs to the main thread and returns
    at once.
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
        self.status = StatusLine(view)
        self.jobs = Jobs(chain, self.status, now)
        self._models = ModelRuns(
            view=view,
            jobs=self.jobs,
            status=self.status,
            tuning=tuning,
            keeper=settings,
            starter_path=starter_path,
        )
        self.model = self._models.choice
        self._chat = OpenChat(
            view=view,
            make_text_renderer=make_text_renderer,
            jobs=self.jobs,
            status=self.status,
            tuning=tuning,
            models=self._models,
            changed=self._show_state,
        )
        self._answering = self._chat.answering

    @property
    def conversation(self) -> Conversation:
        """The chat that is open."""
        return self._chat.conversation

    def attach_pump(self, pump: OutputPump) -> None:
        """Give the pump that delivers to this session; before anything is sent."""
        self.jobs.attach_pump(pump)
        self._show_state()

    # ---- Actions: the answer ----------------------------------------------------------------

    def send(self, text: str) -> bool:
        taken = self._chat.send(text)
        self._show_state()
        return taken

    def send_edited(self, text: str) -> bool:
        taken = self._chat.send_edited(text)
        self._show_state()
        return taken

    def regenerate(self) -> None:
        self._chat.regenerate()
        self._show_state()

    def resume_answer(self) -> None:
        self._chat.resume_answer()
        self._show_state()

    def edit_question(self) -> None:
        self._chat.edit_question()

    def step_version(self, step: int) -> None:
        self._chat.step_version(step)

    def edit_message(self, index: int) -> None:
        self._chat.edit_message(index)

    def answer_again(self, index: int) -> None:
        self._chat.answer_again(index)
        self._show_state()

    def delete_message(self, index: int) -> None:
        self._chat.delete_message(index)
        self._show_state()

    def message_text(self, index: int) -> str:
        return self._chat.message_text(index)

    def answer_text(self) -> str:
        return self._chat.answer_text()

    def answer_tokens(self) -> Sequence[TokenChoice]:
        return self._chat.answer_tokens()

    def count_draft(self, text: str) -> None:
        self._counts += 1
        if text and self.model.info is not None:
            self.jobs.tell(CountTokens(query=self._counts, text=text))
        else:
            self._view.show_draft_tokens("")

    def stop(self) -> None:
        if self._answering.run is not None:
            self._stop_answer(StopReason.USER)
        else:
            self.cancel_load()

    # ---- Actions: chats, models, the program ------------------------------------------------

    def new_chat(self) -> None:
        self._chat.begin_anew()

    def load_model(self, path: str) -> None:
        self._stop_answer(StopReason.REPLACED)
        self._models.load(path)
        self._show_state()

    def load_starter(self) -> None:
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
        load = self.model.load
        if load is not None or self._loading_for_answer():
            self._stop_answer(StopReason.USER)
        if load is not None:
            self._models.cancel(load)
            self._show_state()

    def unload(self) -> None:
        self._stop_answer(StopReason.REPLACED)
        self._models.unload()

    def choose_appearance(self, appearance: Appearance) -> None:
        self._keeper.settings.appearance = appearance
        self._keeper.save_soon()

    def close(self) -> None:
        self._models.close()
        self.jobs.close()
        self._on_close()

    # ---- Screen: what the pump delivers -----------------------------------------------------

    def draw(self, turn: TurnId, ops: Sequence[DrawOp], channel: Channel) -> None:
        if self._answering.is_of(turn):
            self._answering.draw(ops, channel)

    def draw_failed(self, turn: TurnId, op: DrawOp, channel: Channel, error: Exception) -> None:
        if self._answering.is_of(turn):
            self._answering.keep(op, channel)
        self._chat.cant_draw(error)

    def failed(self, error: Exception) -> None:
        self.report_error("Something in the window failed.", error)

    def turn_ended(self, end: TurnEnd) -> None:
        self.jobs.over(end.turn)
        load, run = self.model.load, self._answering.run
        self._models.over(end.turn)
        if run is not None and run.turn == end.turn:
            self._chat.answer_ended(run, end)
        elif isinstance(end, Failed) and load is not None and load.turn == end.turn:
            self._load_failed(end.error)
        self._show_state()

    def news(self, news: News) -> None:
        match news:
            case TokenChoice():
                self._chat.token_choice(news)
                return  # one for each piece of text, and nothing to be seen has changed
            case Stopped():
                self._stopped(news)
            case ModelReady():
                self._model_ready(news)
            case ModelLost():
                self._model_lost(news)
            case PromptReady():
                self._chat.prompt_ready(news)
            case Planned():
                self._tuning.planned(news)
            case Counted():
                self._counted(news)
        self._show_state()

    def measured(self, sample: Telemetry) -> None:
        """Show the newest figures; those of a run that is over come too late."""
        load, run = self.model.load, self._answering.run
        live = {job.turn for job in (load, run) if job is not None} | self.status.stopping
        if sample.turn not in live:
            return
        self.status.measured(sample, self.model.context_size)
        if load is not None and load.turn == sample.turn:
            load.fraction = sample.load_fraction
        self._show_state()

    # ---- inside -----------------------------------------------------------------------------

    def report_error(self, what: str, error: BaseException) -> None:
        """Show a notice for an error of the program's own; the trace is in the log."""
        self._view.show_notice(error_notice(what, error))

    def _stop_answer(self, reason: StopReason) -> None:
        self._chat.stop(reason)
        self._show_state()

    def _stopped(self, stopped: Stopped) -> None:
        self.jobs.over(stopped.turn)
        self._models.over(stopped.turn)
        self._answering.receipt(stopped)
        if stopped.reason is StopReason.USER:
            self.status.stopped(stopped)

    def _counted(self, counted: Counted) -> None:
        if counted.query == self._counts and counted.tokens is not None:
            count = words.draft_tokens(counted.tokens, self.model.context_size)
            self._view.show_draft_tokens(count)

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
