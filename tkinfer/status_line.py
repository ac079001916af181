"""StatusLine: what the status bar says, put together from samples, ends and receipts."""

from actors.messages import Stopped
from actors.telemetry import Telemetry
from actors.turn import Figures, Phase, TurnId
from tkinfer import words
from tkinfer.ui.view import Status, View


class StatusLine:
    """Keeps the newest figures and the last receipt. Main thread only.

    Figures stay on after the end of an answer, until the next one has its own.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._figures: tuple[str, ...] = ()
        self._left_out: tuple[str, ...] = ()
        self._shown: Status | None = None
        self.sample = Telemetry()
        self.stopping: set[TurnId] = set()
        """Turns that were stopped and whose receipt has not come yet."""
        self.receipt = ""
        """What the last Stop did, in words."""

    @property
    def phase(self) -> Phase:
        """What is going on."""
        if self.stopping and self.sample.phase is Phase.IDLE:
            return Phase.STOPPING
        return self.sample.phase

    def clear_figures(self) -> None:
        """Another answer begins, or another chat is shown."""
        self._figures = ()
        self._left_out = ()

    def left_out(self, messages: int) -> None:
        """So many messages of the chat have no room in the prompt of this answer."""
        self._left_out = (words.left_out_figure(messages),) if messages else ()

    def measured(self, sample: Telemetry, context_size: int) -> None:
        """Take the newest sample of a live run."""
        self.sample = sample
        if sample.phase is not Phase.STOPPING:
            self._figures = words.run_figures(sample, context_size) or self._figures

    def finished(self, figures: Figures) -> None:
        """An answer is complete: the engine's own figures are the exact ones."""
        self._figures = words.final_figures(figures)

    def stop(self, turn: TurnId) -> None:
        """A Stop is on its way."""
        self.stopping.add(turn)
        self.sample = Telemetry(turn=turn, phase=Phase.STOPPING)

    def over(self, turn: TurnId) -> None:
        """This run is over."""
        self.stopping.discard(turn)
        if self.sample.turn == turn:
            self.sample = Telemetry()

    def stopped(self, stopped: Stopped) -> None:
        """The receipt of a Stop that the user asked for."""
        self.receipt = words.receipt(stopped)

    def show(self, *, model_loaded: bool, model_chosen: bool) -> None:
        """Bring the status bar up to date. A model that is chosen but not loaded comes with the
        next message.
        """
        phase = self.phase
        text = words.phase_words(phase, self.sample)
        if phase is Phase.IDLE and not model_loaded:
            text = words.UNLOADED if model_chosen else words.NO_MODEL
        figures = (*self._figures, *self._left_out)
        status = Status(phase=phase, words=text, figures=figures, receipt=self.receipt)
        if status != self._shown:
            self._shown = status
            self._view.show_status(status)
