"""The session: what the user does, turned into runs, and what comes back, turned into the window.

Lives on the main thread and knows no tkinter: it talks to a View, so it runs headless in tests.
"""

import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from actors.chain import Chain
from actors.drawing import DrawOp, TextRenderer
from actors.loading import LoadSpec
from actors.messages import (
    Failed,
    Finished,
    Generate,
    LoadModel,
    ModelLost,
    ModelReady,
    News,
    Stop,
    Stopped,
    TurnEnd,
)
from actors.sampling import Sampling
from actors.telemetry import Telemetry
from actors.turn import EndReason, Phase, StopReason, TurnId
from tkinfer import words
from tkinfer.chats.conversation import Conversation, Message, MessageState, Role
from tkinfer.errors import PromptError, TkinferError
from tkinfer.model_choice import ModelChoice
from tkinfer.settings import SettingsKeeper
from tkinfer.status_line import StatusLine
from tkinfer.ui.pump import OutputPump
from tkinfer.ui.view import (
    Appearance,
    ModelBadge,
    Notice,
    Tone,
    View,
)

log = logging.getLogger(__name__)

_STATES = {
    EndReason.LENGTH: MessageState.LENGTH,
    EndReason.CONTEXT_FULL: MessageState.CONTEXT_FULL,
}
_TONES = {
    MessageState.LENGTH: Tone.WARNING,
    MessageState.CONTEXT_FULL: Tone.WARNING,
    MessageState.FAILED: Tone.ERROR,
}


def no_model_error() -> PromptError:
    """What an answer without any model ends in."""
    return PromptError("No model is open.", "Open a GGUF file with Ctrl+O.")


@dataclass(slots=True)
class _Answer:
    """The answer that is being made."""

    turn: TurnId
    message: Message


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
        now: Callable[[], float],
        starter_path: str | None = None,
        on_close: Callable[[], None] = lambda: None,
        sampling: Sampling | None = None,
    ) -> None:
        self._view = view
        self._chain = chain
        self._make_text_renderer = make_text_renderer
        self._keeper = settings
        self._settings = settings.settings
        self._now = now
        self._starter_path = starter_path
        self.model = ModelChoice(self._settings, starter_path)
        self._on_close = on_close
        self._sampling = sampling or Sampling()
        self._pump: OutputPump | None = None
        self._turns = itertools.count(1)
        self._answer: _Answer | None = None
        self._badge: ModelBadge | None = None
        self.status = StatusLine(view)
        self.conversation = Conversation()

    def attach_pump(self, pump: OutputPump) -> None:
        """Give the pump that delivers to this session; before anything is sent."""
        self._pump = pump
        self._show_model()
        self._show_status()

    # ---- Actions ----------------------------------------------------------------------------

    def send(self, text: str) -> bool:
        """Start an answer to this text. False if nothing was taken."""
        if not text.strip() or self._answer is not None:
            return False
        if not self.model.name:
            self._view.show_notice(
                Notice(
                    what="No model is open yet.",
                    next_step="Open a GGUF file with Ctrl+O, or take one from the model menu.",
                    tone=Tone.WARNING,
                )
            )
            return False
        self.conversation.add_user(text)
        self._view.show_empty(None)
        self._view.show_title(self.conversation.title)
        self._view.add_user_message(text)
        author = self.model.name
        message = self.conversation.begin_answer(author)
        turn = self._next_turn()
        self._answer = _Answer(turn, message)
        self._view.begin_answer(author)
        self._view.show_running(running=True)
        self.status.clear_figures()
        self._begin_job(turn)
        self._chain.tell(
            Generate(
                turn=turn,
                messages=self.conversation.prompt(),
                sampling=self._sampling,
                sent_at=self._now(),
            )
        )
        return True

    def stop(self) -> None:
        """Stop the answer, or the loading if no answer runs."""
        if self._answer is not None:
            self._stop_answer(StopReason.USER)
        else:
            self.cancel_load()

    def new_chat(self) -> None:
        """Begin an empty chat; an answer that runs is stopped. Can be undone."""
        if self.conversation.messages:
            self._change_chat(Conversation(), "A new chat was begun.")

    def load_model(self, path: str) -> None:
        """Load this file in place of the model there is; a running answer is stopped."""
        if self._answer is not None:
            self._stop_answer(StopReason.REPLACED)
        turn = self._next_turn()
        self.model.begin(turn, path)
        self._begin_job(turn)
        self._chain.tell(LoadModel(turn=turn, spec=LoadSpec(path=path)))
        self._show_model()

    def load_starter(self) -> None:
        """Load the starter model, if it is installed."""
        if self._starter_path is not None:
            self.load_model(self._starter_path)

    def cancel_load(self) -> None:
        """Stop the loading of a model, and with it the answer that waits for it."""
        load = self.model.load
        if self._answer is not None and (load is not None or self._loading_for_answer()):
            self._stop_answer(StopReason.USER)
        if load is not None:
            self.model.over(load.turn)  # shown at once; ending the engine takes some 50 ms
            self._send_stop(load.turn, StopReason.USER)
            self._show_model()

    def choose_appearance(self, appearance: Appearance) -> None:
        """Remember the palette, which the window shows already."""
        self._settings.appearance = appearance
        self._keeper.save_soon()

    def close(self) -> None:
        """End everything."""
        if self._pump is not None:
            self._pump.close()
        self._on_close()

    # ---- Screen: what the pump delivers -----------------------------------------------------

    def draw(self, turn: TurnId, ops: Sequence[DrawOp]) -> None:
        """Draw, then keep: the text of an answer is what was drawn."""
        answer = self._answer
        if answer is not None and answer.turn == turn:
            self._view.draw(ops)
            for op in ops:
                answer.message.append(op.source)

    def draw_failed(self, turn: TurnId, op: DrawOp, error: Exception) -> None:
        """Keep the text all the same, and say so."""
        answer = self._answer
        if answer is not None and answer.turn == turn:
            answer.message.append(op.source)
        self.report_error("A part of the answer can't be drawn.", error)

    def failed(self, error: Exception) -> None:
        """Something else went wrong on the way to the window."""
        self.report_error("Something in the window failed.", error)

    def turn_ended(self, end: TurnEnd) -> None:
        """A run ended by itself: close its place in the window."""
        self._end_job(end.turn)
        load, answer = self.model.load, self._answer
        self.model.over(end.turn)
        if answer is not None and answer.turn == end.turn:
            self._answer = None
            self._view.show_running(running=False)
            if isinstance(end, Finished):
                self._finish(answer, end)
            else:
                self._fail(answer, end)
        elif isinstance(end, Failed) and load is not None and load.turn == end.turn:
            self._load_failed(end.error)
        self._show_model()
        self._show_status()

    def news(self, news: News) -> None:
        """Something about the model or a Stop, outside the order of the text."""
        match news:
            case Stopped():
                self._stopped(news)
            case ModelReady():
                self._model_ready(news)
            case ModelLost():
                self._model_lost(news)
        self._show_model()
        self._show_status()

    def measured(self, sample: Telemetry) -> None:
        """The newest figures of the chain; those of a run that is over come too late."""
        if sample.turn not in self._live_turns():
            return
        self.status.measured(sample, self.model.context_size)
        load = self.model.load
        if load is not None and sample.turn == load.turn:
            load.fraction = sample.load_fraction
        self._show_model()
        self._show_status()

    # ---- errors -----------------------------------------------------------------------------

    def report_error(self, what: str, error: BaseException) -> None:
        """Show a notice for an error of the program's own; the trace is in the log."""
        if isinstance(error, TkinferError):
            self._view.show_notice(
                Notice(what=error.what, next_step=error.next_step, detail=error.detail)
            )
            return
        detail = f"{type(error).__name__}: {error}"
        next_step = "The program goes on; the log file has the details."
        self._view.show_notice(Notice(what=what, next_step=next_step, detail=detail))

    # ---- chats ------------------------------------------------------------------------------

    def _change_chat(self, other: Conversation, what: str) -> None:
        """Show another conversation, and offer the way back."""
        if self._answer is not None:
            self._stop_answer(StopReason.REPLACED)
        earlier, self.conversation = self.conversation, other
        self.status.clear_figures()
        self._view.clear_chat()
        self._view.show_title(other.title)
        self._show_messages()
        self._show_model()
        self._show_status()
        if earlier.messages:
            undo = partial(self._change_chat, earlier, "The earlier chat is back.")
            self._view.show_notice(Notice(what=what, tone=Tone.PLAIN, undo=undo))

    def _show_messages(self) -> None:
        view = self._view
        view.show_empty(None)
        for message in self.conversation.messages:
            if message.role is Role.USER:
                view.add_user_message(message.text)
                continue
            view.begin_answer(message.author)
            renderer = self._make_text_renderer()
            view.draw([*renderer.feed(message.text), *renderer.finish()])
            self._close_answer(message)

    # ---- runs -------------------------------------------------------------------------------

    def _next_turn(self) -> TurnId:
        return TurnId(next(self._turns))

    def _live_turns(self) -> set[TurnId]:
        live = set(self.status.stopping)
        if self._answer is not None:
            live.add(self._answer.turn)
        if self.model.load is not None:
            live.add(self.model.load.turn)
        return live

    def _begin_job(self, turn: TurnId) -> None:
        if self._pump is not None:
            self._pump.job_begins(turn)

    def _end_job(self, turn: TurnId) -> None:
        self.status.over(turn)
        self._chain.turn_over(turn)
        if self._pump is not None:
            self._pump.job_over(turn)

    def _send_stop(self, turn: TurnId, reason: StopReason) -> None:
        self.status.stop(turn)
        if self._pump is not None:
            self._pump.stop(turn)
        self._chain.tell(Stop(turn=turn, reason=reason, clicked_at=self._now()))
        self._show_status()

    def _stop_answer(self, reason: StopReason) -> None:
        answer, self._answer = self._answer, None
        if answer is None:
            return
        self._send_stop(answer.turn, reason)
        answer.message.state, answer.message.note = MessageState.STOPPED, words.STOPPED
        self._view.show_running(running=False)
        self._close_answer(answer.message)

    def _stopped(self, stopped: Stopped) -> None:
        self._end_job(stopped.turn)
        self.model.over(stopped.turn)
        if stopped.reason is StopReason.USER:
            self.status.stopped(stopped)

    def _finish(self, answer: _Answer, end: Finished) -> None:
        answer.message.state = _STATES.get(end.reason, MessageState.COMPLETE)
        answer.message.figures = end.figures
        answer.message.note = words.END_NOTES[end.reason]
        self._close_answer(answer.message)
        self.status.finished(end.figures)

    def _fail(self, answer: _Answer, end: Failed) -> None:
        log.warning("turn %d failed", end.turn, exc_info=end.error)
        answer.message.state, answer.message.note = MessageState.FAILED, str(end.error)
        self._close_answer(answer.message)
        if isinstance(end.error, PromptError):  # asked again with more, it would never fit
            self._view.set_draft(self.conversation.leave_out_last_question())
        if isinstance(end.error, TkinferError):
            if end.error.detail:
                self.report_error("", end.error)
        else:
            self.report_error("The answer failed inside the program.", end.error)

    def _close_answer(self, message: Message) -> None:
        figures = words.message_figures(message.figures) if message.figures else ""
        tone = _TONES.get(message.state, Tone.PLAIN)
        self._view.end_answer(figures=figures, note=message.note, tone=tone)

    # ---- the model --------------------------------------------------------------------------

    def _model_ready(self, ready: ModelReady) -> None:
        self.model.ready(ready.info)
        self.model.over(ready.turn)
        if self._answer is None or self._answer.turn != ready.turn:
            self._end_job(ready.turn)
        self._keeper.save_soon()

    def _model_lost(self, lost: ModelLost) -> None:
        self.model.lost(lost.next_path)
        if lost.error is not None and self._answer is None:
            self.report_error("The engine failed.", lost.error)

    def _load_failed(self, error: Exception) -> None:
        log.warning("a model was not loaded", exc_info=error)
        self.model.failed()
        if self._answer is not None:
            self._stop_answer(StopReason.REPLACED)  # it was for the model that isn't there
        self.report_error("The model can't be loaded.", error)

    def _loading_for_answer(self) -> bool:
        """Whether the answer's own run loads the model again."""
        answer, sample = self._answer, self.status.sample
        return answer is not None and sample.turn == answer.turn and sample.phase is Phase.LOADING

    def _show_model(self) -> None:
        reload = self.status.sample.load_fraction if self._loading_for_answer() else None
        badge = self.model.badge(reload)
        if badge != self._badge:
            self._badge = badge
            self._view.show_model(badge)
        if not self.conversation.messages:
            self._view.show_empty(self.model.empty_state())

    def _show_status(self) -> None:
        self.status.show(model_loaded=self.model.info is not None)
