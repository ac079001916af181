"""Answering: the answer that is being made, from its prompt to its last token."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from actors.drawing import DrawOp
from actors.engine import PromptReady
from actors.messages import Failed, Finished, Generate, Stopped
from actors.turn import Channel, EndReason, Figures, StopReason, TurnId
from tkinfer import words
from tkinfer.chats.conversation import Conversation, Message, MessageState
from tkinfer.chats.drawn import DrawnText
from tkinfer.chats.page import ChatPage
from tkinfer.jobs import Jobs
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.view import View

log = logging.getLogger(__name__)

_STATES = {
    EndReason.LENGTH: MessageState.LENGTH,
    EndReason.CONTEXT_FULL: MessageState.CONTEXT_FULL,
}
_TELL_EVERY_S = 0.25


class Kind(StrEnum):
    """What an answer is to."""

    SENT = "sent"
    EDITED = "edited"
    AGAIN = "again"
    """The question is the same; the answer shall be another."""
    RESUMED = "resumed"
    """The answer itself was cut, and goes on."""


@dataclass(slots=True)
class AnswerRun:
    """One run, and the message it makes or goes on with."""

    turn: TurnId
    message: Message
    model: str
    """The file that answers."""
    kind: Kind
    sources: tuple[Message, ...] = ()
    """The messages of its prompt."""
    drawn: DrawnText = field(default_factory=DrawnText)
    thinks_since: float | None = None
    """On the chain's clock, in seconds."""
    told_at: float = 0.0
    state_before: MessageState = MessageState.STREAMING
    """Of a message that is gone on with."""
    drawn_at_stop: int = 0


class Answering:
    """Makes one answer at a time. Main thread; every method returns at once."""

    def __init__(
        self,
        *,
        view: View,
        page: ChatPage,
        jobs: Jobs,
        tuning: Tuning,
    ) -> None:
        self._view = view
        self._page = page
        self._jobs = jobs
        self._tuning = tuning
        self.run: AnswerRun | None = None
        self._stopped: dict[TurnId, AnswerRun] = {}
        """Runs whose receipt has not come yet."""

    def is_of(self, turn: TurnId) -> bool:
        """Whether the answer that is being made is this turn's."""
        return self.run is not None and self.run.turn == turn

    def begin(self, conversation: Conversation, model: str, kind: Kind) -> AnswerRun:
        """Make the conversation's last answer, which is shown already: empty, or to go on with."""
        answer = conversation.messages[-1]
        run = self.run = AnswerRun(self._jobs.begin(), answer, model, kind)
        self._view.show_choices(None)
        self._view.show_running(running=True)
        if kind is Kind.RESUMED:
            run.state_before = answer.state
            answer.state, answer.note, answer.left_out = MessageState.STREAMING, "", ""
            self._page.reopen(conversation)
        self._ask(run, conversation)
        return run

    def _ask(self, run: AnswerRun, conversation: Conversation) -> None:
        resume = run.kind is Kind.RESUMED
        prompt = conversation.prompt(
            system=self._tuning.system_prompt, model=run.model, resume=resume
        )
        run.sources = prompt.sources
        sampling = self._tuning.sampling
        if run.kind is Kind.AGAIN:
            sampling = replace(sampling, seed=None)  # the same seed would give the same answer
        self._jobs.tell(
            Generate(
                turn=run.turn,
                messages=prompt.messages,
                resume=resume,
                format=self._tuning.format,
                sampling=sampling,
                sent_at=self._jobs.now(),
            )
        )

    # ---- what comes -------------------------------------------------------------------------

    def prompt_ready(self, ready: PromptReady, context_size: int) -> None:
        """Say what the prompt has no room for; once, for the news comes once."""
        run = self.run
        if run is None or run.turn != ready.turn:
            return
        run.message.format = ready.format
        count = min(ready.left_out, len(run.sources))
        if count:
            last = run.sources[count - 1].first_words(words.MAX_QUOTE)
            run.message.left_out = words.left_out(count, last, context_size)
            self._view.show_left_out(run.message.left_out)

    def draw(self, ops: Sequence[DrawOp], channel: Channel) -> None:
        """Draw, then keep: the text of an answer is what was drawn."""
        run = self.run
        if run is None:
            return
        self._view.draw(ops, channel)
        self._kept(run, ops, channel)

    def keep(self, op: DrawOp, channel: Channel) -> None:
        """Keep the text of an operation that could not be drawn."""
        if self.run is not None:
            self._kept(self.run, (op,), channel)

    def _kept(self, run: AnswerRun, ops: Sequence[DrawOp], channel: Channel) -> None:
        if channel is Channel.REASONING:
            for op in ops:
                run.message.append(op.source, channel)
            self._thinks(run)
        else:
            self._has_thought(run)
            run.message.append(run.drawn.new_text(ops))

    def _thinks(self, run: AnswerRun) -> None:
        """Say for how long by now; not at each piece."""
        now = self._jobs.now()
        if run.thinks_since is None:
            run.thinks_since = now - run.message.thought_s
        if now - run.told_at > _TELL_EVERY_S:
            run.told_at = now
            run.message.thought_s = now - run.thinks_since
            self._view.show_thinking(run.message.thought_s, over=False)

    def _has_thought(self, run: AnswerRun) -> None:
        if run.thinks_since is not None:
            run.message.thought_s = self._jobs.now() - run.thinks_since
            run.thinks_since = None
            self._view.show_thinking(run.message.thought_s, over=True)

    # ---- how it ends ------------------------------------------------------------------------

    def stop(self, reason: StopReason) -> None:
        """Stop the answer, if one is being made; what was drawn of it stays."""
        if self.run is not None:
            self._jobs.stop(self.run.turn, reason)  # first of all: the engine computes
        run = self._close()
        if run is None:
            return
        run.drawn_at_stop = run.message.drawn
        self._stopped[run.turn] = run
        run.message.state, run.message.note = MessageState.STOPPED, words.STOPPED
        self._page.close(run.message)

    def receipt(self, stopped: Stopped) -> None:
        """The receipt of a Stop: the answer keeps its tokens, wherever it is by now."""
        run = self._stopped.pop(stopped.turn, None)
        if run is not None:
            run.message.keep_tokens(stopped.tokens, run.drawn_at_stop, run.model)

    def finished(self, end: Finished) -> None:
        """The answer is complete, or has met a limit."""
        run = self._close()
        if run is None:
            return
        message = run.message
        message.state = _STATES.get(end.reason, MessageState.COMPLETE)
        message.figures = (
            end.figures if run.kind is not Kind.RESUMED else _joined(message.figures, end.figures)
        )
        message.note = words.END_NOTES[end.reason]
        message.keep_tokens(end.tokens, message.drawn, run.model)
        self._page.close(message)

    def failed(self, end: Failed, *, unchanged: bool) -> None:
        """The run broke. An answer that was only to be gone on with can stay `unchanged`."""
        run = self._close()
        if run is None:
            return
        log.warning("turn %d failed", end.turn, exc_info=end.error)
        message = run.message
        keeps = unchanged and run.kind is Kind.RESUMED
        message.state = run.state_before if keeps else MessageState.FAILED
        message.note = str(end.error)
        self._page.close(message)

    def _close(self) -> AnswerRun | None:
        """No answer is being made any more. What the window still holds of it is drawn."""
        run, self.run = self.run, None
        if run is None:
            return None
        self._has_thought(run)
        self._view.show_running(running=False)
        return run


def _joined(one: Figures | None, two: Figures) -> Figures:
    """The figures of an answer that was made in two runs. No single seed gives it again.

    A run that was stopped has none.
    """
    one = one or Figures()
    return replace(
        two,
        answer_tokens=one.answer_tokens + two.answer_tokens,
        reasoning_tokens=one.reasoning_tokens + two.reasoning_tokens,
        drafted_tokens=one.drafted_tokens + two.drafted_tokens,
        accepted_tokens=one.accepted_tokens + two.accepted_tokens,
        prefill_s=one.prefill_s + two.prefill_s,
        decode_s=one.decode_s + two.decode_s,
        paused_s=one.paused_s + two.paused_s,
        first_token_s=one.first_token_s,
        seed=None,
    )
