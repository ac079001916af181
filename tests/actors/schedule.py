"""The real actors without their threads: a test decides who handles a message next.

Each step hands one message to one actor, lets the engine or the screen do one thing, or is
something the user does. So every order in which threads could run can be tried, and tried again.
"""

from collections import deque
from dataclasses import dataclass, field

from actors.chain import Windows
from actors.drawing import DrawOp, InsertText, Run, Tail
from actors.engine import (
    Aborted,
    Counted,
    EngineEvent,
    EngineFinished,
    EngineKilled,
    EventSink,
    GenerateRequest,
    Loaded,
    ModelInfo,
    Piece,
    Planned,
    Unloaded,
)
from actors.job import ModelParts
from actors.loading import LoadSpec, MemoryPlan
from actors.mailbox import LatestQueue
from actors.messages import Credit, Failed, Finished, Generate, LoadModel, RenderOps, Stop, Stopped
from actors.model import ModelActor
from actors.output import OutputQueue
from actors.relay import RelayActor
from actors.renderer import RendererActor
from actors.sampling import Sampling
from actors.stage import Neighbours, Stage
from actors.telemetry import Telemetry
from actors.turn import EndReason, Figures, Phase, StopReason, TurnId
from tests.fake_clock import FakeClock
from tkinfer.chats.drawn import DrawnText


class StepEngine:
    """An Engine that does one thing for each `step`: it has no thread, so it is always somewhere
    between two events, as a process behind a pipe is.
    """

    def __init__(self) -> None:
        self.lengths: dict[TurnId, int] = {}
        self.turn: TurnId | None = None
        self.sent = 0
        self.credit = 0
        self.most_credit = 0
        self.aborting: TurnId | None = None
        self.replies: deque[EngineEvent] = deque()
        self.sink: EventSink = lambda _event: None

    def connect(self, sink: EventSink) -> None:
        self.sink = sink

    def load(self, turn: TurnId, spec: LoadSpec) -> None:
        self.replies.append(Loaded(turn=turn, info=ModelInfo(path=spec.path, name=spec.path)))

    def unload(self) -> None:
        self.replies.append(Unloaded())

    def start(self, request: GenerateRequest) -> None:
        assert self.turn is None, "two answers at once"
        self.turn, self.sent, self.credit = request.turn, 0, request.credit

    def grant(self, turn: TurnId, pieces: int) -> None:
        if turn == self.turn:
            self.credit += pieces
            self.most_credit = max(self.most_credit, self.credit)

    def abort(self, turn: TurnId) -> None:
        if turn == self.turn:
            self.aborting = turn
        else:
            self.replies.append(Aborted(turn=turn, phase=Phase.IDLE))

    def count(self, query: int, text: str) -> None:
        self.replies.append(Counted(query=query, tokens=len(text)))

    def plan(self, query: int, spec: LoadSpec) -> None:
        del spec
        self.replies.append(Planned(query=query, plan=MemoryPlan(context_size=1)))

    def kill(self) -> None:
        self.turn = self.aborting = None
        self.replies.clear()
        self.replies.append(EngineKilled())

    def close(self) -> None:
        self.turn = None

    def step(self, *, late: bool = False) -> bool:
        """Send one event, if there is one. `late`: a piece may still leave behind an abort."""
        if self.replies:
            self.sink(self.replies.popleft())
        elif self.aborting is not None and not (late and self._can_send()):
            turn, self.turn, self.aborting = self.aborting, None, None
            self.sink(Aborted(turn=turn, phase=Phase.DECODE))
        elif self._can_send() and self.turn is not None:
            self.credit -= 1
            text = piece_text(self.turn, self.sent)
            self.sent += 1
            self.sink(Piece(turn=self.turn, seq=self.sent - 1, text=text))
        elif self.turn is not None and self.sent == self.lengths[self.turn]:
            turn, self.turn = self.turn, None
            self.sink(EngineFinished(turn=turn, reason=EndReason.END_OF_TEXT, figures=Figures()))
        else:
            return False
        return True

    def _can_send(self) -> bool:
        turn = self.turn
        return turn is not None and self.credit > 0 and self.sent < self.lengths[turn]


def piece_text(turn: TurnId, seq: int) -> str:
    """The text of a piece: different for each, so that loss, repeats and disorder all show."""
    return f"{turn}.{seq} "


class PlainText:
    """A TextRenderer that shows the last piece in a tail, until it knows more."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str, *, tail: bool = True) -> list[DrawOp]:
        text, self._held = self._held + text, ""
        if text.endswith("3 "):
            text, self._held = text[:-2], text[-2:]
        ops: list[DrawOp] = [InsertText(text=text, source=text)] if text else []
        if self._held and tail:
            ops.append(Tail(runs=(Run(self._held),), source=self._held))
        return ops

    def finish(self) -> list[DrawOp]:
        return self.feed("\n")


@dataclass(slots=True)
class Screen:
    """What the window knows: the text of each turn, how each ended, and what is being drawn."""

    shown: dict[TurnId, str] = field(default_factory=dict)
    drawn: dict[TurnId, DrawnText] = field(default_factory=dict)
    ends: dict[TurnId, list[str]] = field(default_factory=dict)
    clicked: set[TurnId] = field(default_factory=set)
    drawing: deque[RenderOps] = field(default_factory=deque)


class Bench:
    """A whole chain on one thread."""

    def __init__(self, windows: Windows, screen_window: int) -> None:
        self.windows = windows
        self.engine = StepEngine()
        self.output = OutputQueue(screen_window)
        self.parts = ModelParts(
            engine=self.engine,
            output=self.output,
            telemetry=LatestQueue[Telemetry](4),
            clock=FakeClock(),
        )
        self.screen = Screen()
        self.last = TurnId(0)
        self.open: set[TurnId] = set()
        self.start_generation()
        self.user_loads()

    # ---- the actors -------------------------------------------------------------------------

    def start_generation(self) -> None:
        """What Chain does, without threads."""
        neighbours = Neighbours()
        self.renderer = RendererActor(
            neighbours=neighbours,
            window=self.windows.renderer,
            output=self.output,
            make_text_renderer=PlainText,
            report_failure=_unexpected_failure,
        )
        self.relay = RelayActor(
            neighbours=neighbours,
            window=self.windows.relay,
            renderer_window=self.windows.renderer,
            report_failure=_unexpected_failure,
        )
        self.model = ModelActor(
            parts=self.parts,
            neighbours=neighbours,
            engine_window=self.windows.engine,
            relay_window=self.windows.relay,
            report_failure=_unexpected_failure,
        )
        neighbours.renderer = self.renderer.actor_ref
        neighbours.relay = self.relay.actor_ref
        neighbours.model = self.model.actor_ref
        self.model.on_start()

    @property
    def stages(self) -> tuple[Stage, Stage, Stage]:
        return self.model, self.relay, self.renderer

    def fail(self) -> None:
        """An actor died: all are replaced, and every turn that was under way has failed."""
        for actor in self.stages:
            actor.actor_stopped.set()
        for turn in sorted(self.open):
            self.output.put(Failed(turn=turn, error=RuntimeError("an actor died")))
        self.open.clear()
        self.start_generation()

    @staticmethod
    def handle(actor: Stage) -> bool:
        """Let an actor handle one message, if it has one."""
        if actor.mailbox.empty():
            return False
        actor.on_receive(actor.mailbox.get().message)
        return True

    # ---- the screen -------------------------------------------------------------------------

    def screen_takes(self) -> bool:
        """The pump takes one thing and, if it is text, begins to draw it."""
        while (news := self.output.take_news()) is not None:
            if isinstance(news, Stopped):
                self._turn_ended(news.turn, "stopped")
        item = self.output.take()
        if item is None:
            return False
        if isinstance(item, RenderOps):
            self.screen.drawing.append(item)
        elif isinstance(item, Failed):
            self._turn_ended(item.turn, "failed")
        elif item.turn not in self.screen.clicked:
            self._turn_ended(item.turn, "finished")
        return True

    def screen_draws(self) -> bool:
        """The pump has drawn what it took first, or has dropped it, and gives the credit back."""
        if not self.screen.drawing:
            return False
        item = self.screen.drawing.popleft()
        if item.turn not in self.screen.clicked and item.turn not in self.screen.ends:
            text = self.screen.drawn.setdefault(item.turn, DrawnText()).new_text(item.ops)
            self.screen.shown[item.turn] = self.screen.shown.get(item.turn, "") + text
        self.output.acknowledge()
        return True

    def _turn_ended(self, turn: TurnId, how: str) -> None:
        while self.screen.drawing:  # an end is delivered behind the text before it
            self.screen_draws()
        self.screen.ends.setdefault(turn, []).append(how)
        self.open.discard(turn)

    # ---- the user ---------------------------------------------------------------------------

    def user_loads(self) -> None:
        """Open a model; nothing else can be asked before."""
        self.last = TurnId(self.last + 1)
        self.tell(LoadModel(turn=self.last, spec=LoadSpec(path="m")))
        self.settle()

    def user_sends(self, pieces: int) -> None:
        """Ask for an answer, unless one is still on its way to the screen."""
        busy = self.last in self.open and self.last not in self.screen.clicked
        if busy and self.last not in self.screen.ends:
            return
        self.last = TurnId(self.last + 1)
        self.engine.lengths[self.last] = pieces
        self.open.add(self.last)
        self.tell(Generate(turn=self.last, messages=(), sampling=Sampling(), sent_at=0.0))

    def user_stops(self) -> None:
        """Click Stop, if there is something to stop."""
        turn = self.last
        if turn not in self.open or turn in self.screen.clicked or turn in self.screen.ends:
            return
        self.screen.clicked.add(turn)
        keep = deque(item for item in self.screen.drawing if item.turn != turn)
        self.output.acknowledge(len(self.screen.drawing) - len(keep))
        self.screen.drawing = keep
        self.output.discard_turn(turn)
        self.tell(Stop(turn=turn, reason=StopReason.USER, clicked_at=0.0))

    def tell(self, message: LoadModel | Generate | Stop) -> None:
        self.model.actor_ref.tell(message)

    def settle(self) -> None:
        """Let everyone work until nothing is left to do."""
        busy = True
        while busy:
            did = [self.handle(actor) for actor in self.stages]
            did += [self.engine.step(), self.screen_takes(), self.screen_draws()]
            busy = any(did)

    # ---- what must hold ---------------------------------------------------------------------

    def check_credit(self) -> None:
        """The sum of each hop is its window."""
        model, relay, renderer = self.model, self.relay, self.renderer
        assert (
            model._outlet._relay.available
            + _travelling(model)
            + relay.mailbox.data_queued
            + sum(not isinstance(item, Finished | Failed) for item in relay._held)
            + relay._gate.owed
            == self.windows.relay
        )
        assert (
            relay._renderer_window.available
            + _travelling(relay)
            + renderer.mailbox.data_queued
            + sum(not isinstance(item, Finished | Failed) for item in renderer._waiting)
            + renderer._gate.owed
            == self.windows.renderer
        )
        assert (
            renderer._screen.available + _travelling(renderer) + self.output.outstanding
            == self.output.window
        )
        assert self.engine.credit + model.mailbox.data_queued <= self.windows.engine
        if self.engine.turn is not None and self.engine.aborting is None:
            assert self._engine_hop() == self.windows.engine

    def _engine_hop(self) -> int:
        model = self.model
        turn = self.engine.turn
        queued = sum(isinstance(e.message, Piece) for e in model.mailbox._ordered)
        held = sum(item.turn == turn for item in model._outlet._held)
        return self.engine.credit + queued + held + model._outlet._gate.owed

    def check_text(self) -> None:
        """What is shown of each turn is the beginning of what the engine sent, without a gap."""
        for turn, shown in self.screen.shown.items():
            whole = "".join(piece_text(turn, n) for n in range(self.engine.lengths[turn])) + "\n"
            assert whole.startswith(shown)
            if self.screen.ends.get(turn, [""])[0] == "finished":
                assert shown == whole


def _travelling(sender: Stage) -> int:
    control = sender.mailbox._control
    return sum(e.message.messages for e in control if isinstance(e.message, Credit))


def _unexpected_failure(name: str, error: BaseException) -> None:
    raise AssertionError(name) from error
