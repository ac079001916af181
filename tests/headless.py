"""The program without a window: scripted engine, real actors, fake Tk timers, recording view."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Self

from actors.chain import Chain, Windows
from actors.clock import Clock, SystemClock
from actors.drawing import CloseBlock, DrawOp, InsertText, OpenBlock, TextRenderer
from actors.engine import Engine
from actors.job import ModelParts
from actors.mailbox import LatestQueue
from actors.messages import PlanLoad
from actors.output import OutputQueue
from actors.sampling import Sampling
from actors.turn import Channel, Phase
from tests.fake_clock import FakeClock, FakeTkScheduler
from tests.plain_renderer import PlainRenderer
from tests.waiting import wait_until
from tkinfer.session import Session
from tkinfer.settings import Settings, SettingsKeeper
from tkinfer.tuning.hooks import TuningHooks
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.pump import OutputPump
from tkinfer.ui.view import (
    AnswerChoices,
    EmptyState,
    Entry,
    History,
    ModelBadge,
    Notice,
    Status,
    Tone,
)

if TYPE_CHECKING:
    from actors.telemetry import Telemetry


@dataclass(slots=True)
class Bubble:
    """One message as the window shows it."""

    author: str
    ops: list[DrawOp] = field(default_factory=list)
    figures: str = ""
    note: str = ""
    left_out: str = ""
    thoughts: str = ""
    thinking: tuple[float, bool] | None = None
    tone: Tone | None = None

    @property
    def text(self) -> str:
        return "".join(op.text for op in self.ops if isinstance(op, InsertText))

    @property
    def blocks(self) -> list[str]:
        return [type(op).__name__ for op in self.ops if isinstance(op, OpenBlock | CloseBlock)]


class RecordingView:
    """A View that keeps what it is asked to show. `on_draw` may raise, to break a drawing."""

    def __init__(self) -> None:
        self.bubbles: list[Bubble] = []
        self.status: list[Status] = []
        self.badge: ModelBadge | None = None
        self.notices: list[Notice] = []
        self.running = False
        self.title = ""
        self.empty: EmptyState | None = None
        self.draft = ""
        self.edited: str | None = None
        self.draft_tokens = ""
        self.choices: AnswerChoices | None = None
        self.snapshots: list[str] = []
        self.history: History
        self.shown_at: int | None = None
        self.on_draw: Callable[[Sequence[DrawOp]], None] = lambda _ops: None

    def show_status(self, status: Status) -> None:
        self.status.append(status)

    def show_model(self, badge: ModelBadge) -> None:
        self.badge = badge

    def show_running(self, *, running: bool) -> None:
        self.running = running

    def show_title(self, title: str) -> None:
        self.title = title

    def show_empty(self, state: EmptyState | None) -> None:
        self.empty = state

    def add_user_message(self, text: str) -> None:
        self.bubbles.append(Bubble("You", [InsertText(text=text, source=text)]))

    def begin_answer(self, author: str) -> None:
        self.bubbles.append(Bubble(author))

    def show_left_out(self, words: str) -> None:
        self.bubbles[-1].left_out = words

    def draw(self, ops: Sequence[DrawOp], channel: Channel = Channel.ANSWER) -> None:
        self.on_draw(ops)
        if channel is Channel.REASONING:
            self.bubbles[-1].thoughts += "".join(
                op.text for op in ops if isinstance(op, InsertText)
            )
            return
        self.bubbles[-1].ops.extend(ops)
        self.snapshots.append(self.bubbles[-1].text)

    def end_answer(self, *, figures: str, note: str, tone: Tone) -> None:
        bubble = self.bubbles[-1]
        bubble.figures, bubble.note, bubble.tone = figures, note, tone

    def show_choices(self, choices: AnswerChoices | None) -> None:
        self.choices = choices

    def show_history(self, history: History, at: int | None = None) -> None:
        self.history, self.shown_at = history, at
        self.redraw_from(0)

    def redraw_from(self, index: int) -> None:
        del self.bubbles[index:]
        for number in range(len(self.bubbles), len(self.history)):
            self._show(self.history.entry(number))

    def _show(self, entry: Entry) -> None:
        bubble = Bubble(entry.author, left_out=entry.left_out, thoughts=entry.reasoning)
        self.bubbles.append(bubble)
        if entry.is_user:
            bubble.ops.append(InsertText(text=entry.text, source=entry.text))
            return
        renderer = self.history.renderer()
        bubble.ops += renderer.feed(entry.text)
        if not entry.grows:
            bubble.ops += renderer.finish()
            self.end_answer(figures=entry.figures, note=entry.note, tone=entry.tone)

    def show_thinking(self, seconds: float, *, over: bool) -> None:
        self.bubbles[-1].thinking = (seconds, over)

    def show_notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    def set_draft(self, text: str) -> None:
        self.draft = text + self.draft

    def edit_question(self, text: str) -> None:
        self.edited = text

    def leave_edit(self) -> None:
        self.edited = None

    def show_draft_tokens(self, words: str) -> None:
        self.draft_tokens = words


class Desk:
    """A running program without a window. Use as a context manager."""

    def __init__(
        self,
        engine: Engine,
        folder: Path,
        *,
        windows: Windows | None = None,
        screen_window: int = 4,
        clock: Clock | None = None,
        stop_deadline_s: float = 1.0,
        settings: Settings | None = None,
        starter_path: str | None = None,
        make_text_renderer: Callable[[], TextRenderer] = PlainRenderer,
    ) -> None:
        self.view = RecordingView()
        self.engine = engine
        self.clock = clock or SystemClock()
        self.output = OutputQueue(screen_window, self._wake)
        telemetry: LatestQueue[Telemetry] = LatestQueue(64)
        parts = ModelParts(
            engine=engine,
            output=self.output,
            telemetry=telemetry,
            clock=self.clock,
            stop_deadline_s=stop_deadline_s,
        )
        self.chain = Chain(parts=parts, make_text_renderer=make_text_renderer, windows=windows)
        self.scheduler = FakeTkScheduler(FakeClock())
        self.keeper = SettingsKeeper(settings or Settings(), folder)
        hooks = TuningHooks(
            plan=lambda query, spec: self.chain.tell(PlanLoad(query=query, spec=spec))
        )
        self.tuning = Tuning(self.keeper.settings, lambda: None, hooks)
        self.session = Session(
            view=self.view,
            chain=self.chain,
            make_text_renderer=make_text_renderer,
            settings=self.keeper,
            tuning=self.tuning,
            now=self.clock.now,
            starter_path=starter_path,
        )
        self.pump = OutputPump(
            output=self.output,
            telemetry=telemetry,
            screen=self.session,
            scheduler=self.scheduler,
            now=time.perf_counter,
        )
        self.session.attach_pump(self.pump)
        self._woken = False

    def __enter__(self) -> Self:
        self.chain.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.session.close()
        self.chain.shutdown()
        self.keeper.finish(5.0)

    def _wake(self) -> None:
        self._woken = True  # any thread; looked at by `tick`

    def tick(self) -> None:
        """Let the window's event loop run for one frame."""
        if self._woken and self.pump.asleep:
            self._woken = False
            self.pump.wake()
        self.scheduler.run_for(16)

    def wait(self, condition: Callable[[], object], what: str = "") -> None:
        """Run frames until the condition is true."""
        wait_until(condition, what, between=self.tick, limit_s=60.0)

    def wait_idle(self) -> None:
        """Idle again, as cases.md means it: Send is there, nothing runs, all credit is back."""
        self.wait(lambda: not self.view.running and self.phase is Phase.IDLE, "idle again")
        self.wait(lambda: self.output.outstanding == 0, "the screen's credit is back")

    @property
    def phase(self) -> Phase:
        """What the status bar says."""
        return self.view.status[-1].phase

    def open_model(self, path: str = "model.gguf", sampling: Sampling | None = None) -> None:
        """Load a model and wait for it; use this sampling with it."""
        self.session.load_model(path)
        self.wait(lambda: self.view.badge is not None and self.view.badge.loaded, "loaded")
        self.wait_idle()
        if sampling is not None:
            self.tuning.change(**{f.name: getattr(sampling, f.name) for f in fields(sampling)})

    def ask(self, text: str = "Hello?") -> Bubble:
        """Send, wait for the end, return the answer's bubble."""
        assert self.session.send(text), "the text was taken"
        self.wait_idle()
        return self.view.bubbles[-1]
