"""ModelActor: owns the engine's time. One job at a time: load, answer, unload, or wind down."""

from typing import assert_never

from actors.engine import (
    Aborted,
    Counted,
    Engine,
    EngineEvent,
    EngineFailed,
    EngineFinished,
    EngineKilled,
    GenerateRequest,
    Loaded,
    LoadFailed,
    LoadProgress,
    Piece,
    Planned,
    PrefillProgress,
    PromptReady,
    Unloaded,
)
from actors.idle import IdleUnload
from actors.job import NO_TURN, Job, ModelParts
from actors.mailbox import CreditViolationError
from actors.messages import (
    CountTokens,
    Credit,
    Failed,
    Finished,
    Generate,
    GoesOn,
    IdleTooLong,
    LoadModel,
    ModelInbox,
    ModelLost,
    ModelReady,
    Ping,
    PlanLoad,
    Stop,
    StopOverdue,
    TokenChoice,
    UnloadModel,
    UnloadWhenIdle,
)
from actors.outlet import Outlet
from actors.stage import FailureReport, Neighbours, Ref, Stage, post
from actors.stops import Stops
from actors.telemetry import RunMeter, Telemetry
from actors.turn import Phase, StopReason, TurnId
from actors.waiting import WaitingJobs


def _deliver(model: Ref, engine: Engine, event: EngineEvent) -> None:
    """Put an engine's event into ModelActor's mailbox; called on the engine's own threads."""
    try:
        post(model, event)
    except CreditViolationError as error:
        # An engine that overruns its credit can't be trusted to stop either.
        engine.kill()
        post(model, EngineFailed(turn=None, error=error, model_lost=True))


class ModelActor(Stage):
    """Runs jobs one after another, passes text on as credit allows, and answers each Stop once."""

    def __init__(
        self,
        *,
        parts: ModelParts,
        neighbours: Neighbours,
        engine_window: int,
        relay_window: int,
        report_failure: FailureReport,
    ) -> None:
        super().__init__(capacity=engine_window, report_failure=report_failure)
        me, engine = self.actor_ref, parts.engine
        engine.connect(lambda event: _deliver(me, engine, event))
        self._engine = engine
        self._output = parts.output
        self._telemetry = parts.telemetry
        self._clock = parts.clock
        self._state = parts.state
        self._parts = parts
        self._engine_window = engine_window
        self._neighbours = neighbours
        self._outlet = Outlet(
            engine=engine,
            state=self._state,
            neighbours=neighbours,
            engine_window=engine_window,
            relay_window=relay_window,
        )
        self._stops = Stops(
            me=me, mailbox=self.mailbox, parts=parts, outlet=self._outlet, end_job=self._end_job
        )
        self._idle = IdleUnload(me=me, clock=parts.clock, state=parts.state)
        self._waiting = WaitingJobs()
        self._job: Job | None = None

    def on_start(self) -> None:
        """Wind down what a predecessor that failed has left running."""
        state = self._state
        if state.job_phase is Phase.IDLE:
            self._idle.restart(busy=False)
            return
        stop = Stop(turn=state.job_turn, reason=StopReason.REPLACED, clicked_at=self._clock.now())
        self._job = Job(turn=state.job_turn, phase=state.job_phase, silent=True)
        self._stops.begin(self._job, stop)

    # ---- messages -------------------------------------------------------------------------

    def on_receive(self, message: ModelInbox | EngineEvent) -> bool | None:
        """Handle one message, on this actor's thread."""
        match message:
            case LoadModel():
                self._queue_load(message)
            case Generate() | UnloadModel():
                self._waiting.add(message)
            case Stop():
                self._stop_turn(message)
            case StopOverdue():
                self._stops.overdue(self._job, message.turn)
            case Credit():
                self._outlet.refill(message.messages)
            case CountTokens():
                self._count(message)
            case PlanLoad():
                self._engine.plan(message.query, message.spec)
            case UnloadWhenIdle():
                self._state.idle_unload_s = message.seconds
                self._idle.restart(busy=self._job is not None)
            case IdleTooLong():
                if self._job is None and self._idle.is_due(message.jobs):
                    self._waiting.add(UnloadModel())
            case Ping():
                return True
            case _:
                self._on_event(message)
        self._outlet.flush()
        self._next_job()
        return None

    def _on_event(self, event: EngineEvent) -> None:
        match event:
            case Piece():
                self._on_piece(event)
            case PrefillProgress():
                self._on_prefill(event)
            case LoadProgress():
                self._on_load_progress(event)
            case Loaded():
                self._on_loaded(event)
            case LoadFailed():
                self._on_load_failed(event)
            case EngineFinished():
                self._on_finished(event)
            case Aborted():
                self._stops.aborted(self._job, event)
            case Unloaded():
                self._on_unloaded()
            case EngineFailed():
                self._on_engine_failed(event)
            case EngineKilled():
                self._on_killed()
            case PromptReady() | Counted() | Planned():
                self._on_answered(event)
            case _:
                assert_never(event)

    def _on_answered(self, event: PromptReady | Counted | Planned) -> None:
        if not isinstance(event, PromptReady) or self._running(event.turn) is not None:
            self._output.tell(event)

    # ---- jobs -----------------------------------------------------------------------------

    def _queue_load(self, message: LoadModel) -> None:
        """A newer model replaces loads that wait, and whatever runs."""
        for replaced in self._waiting.replace_loads(message):
            self._stops.receipt_at_once(replaced.turn, Phase.QUEUED, StopReason.REPLACED)
        job = self._job
        if job is not None and job.stop is None and job.phase is not Phase.STOPPING:
            now = self._clock.now()
            self._stops.begin(job, Stop(turn=job.turn, reason=StopReason.REPLACED, clicked_at=now))

    def _next_job(self) -> None:
        while self._job is None and (message := self._waiting.next()):
            match message:
                case LoadModel():
                    self._load(Job(message.turn, Phase.LOADING, load=message.spec))
                case UnloadModel():
                    self._begin(Job(NO_TURN, Phase.STOPPING))
                    self._engine.unload()
                case Generate():
                    self._answer_or_load(message)
                case _:
                    assert_never(message)

    def _answer_or_load(self, message: Generate) -> None:
        state = self._state
        if state.info is not None:
            self._answer(message)
        elif state.spec is not None:
            self._load(Job(message.turn, Phase.LOADING, answer=message, load=state.spec))
        else:
            self._outlet.end(Failed(turn=message.turn, error=self._parts.no_model_error()))

    def _load(self, job: Job) -> None:
        assert job.load is not None, "a load job has a spec"
        self._begin(job)
        self._telemetry.put(Telemetry(turn=job.turn, phase=Phase.LOADING))
        self._engine.load(job.turn, job.load)

    def _answer(self, message: Generate) -> None:
        job = Job(message.turn, Phase.PREFILL, answer=message)
        job.meter = RunMeter(message.turn, message.sent_at)
        self._begin(job)
        self._telemetry.put(job.meter.sample(job.phase))
        self._outlet.begin()
        if message.resume:
            text = message.messages[-1].content
            post(self._neighbours.renderer, GoesOn(turn=message.turn, text=text))
        self._engine.start(
            GenerateRequest(
                turn=message.turn,
                messages=message.messages,
                resume=message.resume,
                format=message.format,
                sampling=message.sampling,
                credit=self._engine_window,
            )
        )

    def _begin(self, job: Job) -> None:
        self._job = job
        self._state.job_turn = job.turn
        self._state.job_phase = job.phase
        self._state.jobs += 1

    def _end_job(self) -> None:
        self._job = None
        self._state.job_phase = Phase.IDLE
        self._telemetry.put(Telemetry())
        self._idle.restart(busy=False)

    def _count(self, message: CountTokens) -> None:
        if self._state.info is None:
            self._output.tell(Counted(query=message.query, tokens=None))
        else:
            self._engine.count(message.query, message.text)

    def _running(self, turn: TurnId | None) -> Job | None:
        """The current job, if it is this turn's and nobody has stopped it."""
        job = self._job
        return job if job is not None and job.turn == turn and job.stop is None else None

    # ---- text -----------------------------------------------------------------------------

    def _on_piece(self, piece: Piece) -> None:
        job = self._running(piece.turn)
        if job is None or job.meter is None:
            return  # of a stopped turn; the engine's credit ends with the turn
        job.phase = self._state.job_phase = Phase.DECODE
        now = self._clock.now()
        job.meter.piece(piece.tokens, now)
        if job.meter.due(now):
            self._telemetry.put(job.meter.sample(Phase.DECODE))
        if piece.alternatives:
            self._output.tell(
                TokenChoice(turn=piece.turn, text=piece.text, alternatives=piece.alternatives)
            )
        self._outlet.put(piece)

    def _on_prefill(self, event: PrefillProgress) -> None:
        job = self._running(event.turn)
        if job is None or job.meter is None:
            return
        job.meter.prefill_done, job.meter.prefill_total = event.done, event.total
        self._telemetry.put(job.meter.sample(job.phase))

    def _on_finished(self, event: EngineFinished) -> None:
        if self._running(event.turn) is None:
            return  # an abort is under way and will be answered
        self._end_job()
        self._outlet.end(
            Finished(
                turn=event.turn, reason=event.reason, figures=event.figures, tokens=event.tokens
            )
        )

    # ---- models ---------------------------------------------------------------------------

    def _on_load_progress(self, event: LoadProgress) -> None:
        if self._running(event.turn) is not None:
            self._telemetry.put(
                Telemetry(turn=event.turn, phase=Phase.LOADING, load_fraction=event.fraction)
            )

    def _on_loaded(self, event: Loaded) -> None:
        job = self._running(event.turn)
        if job is None:
            return  # being killed
        self._state.spec, self._state.info = job.load, event.info
        self._output.tell(ModelReady(turn=event.turn, info=event.info))
        self._end_job()
        if job.answer is not None:
            self._answer(job.answer)

    def _on_load_failed(self, event: LoadFailed) -> None:
        if self._running(event.turn) is None:
            return
        self._state.info = event.still_loaded
        self._end_job()
        if event.still_loaded is None:
            self._state.spec = None  # it would fail again at each Send
            self._tell_lost(None)
        self._outlet.end(Failed(turn=event.turn, error=event.error))

    def _tell_lost(self, error: Exception | None) -> None:
        spec = self._state.spec
        self._output.tell(ModelLost(error=error, next_path=spec.path if spec else None))

    def _on_unloaded(self) -> None:
        self._state.info = None
        self._tell_lost(None)
        if self._job is not None and self._job.turn == NO_TURN:
            self._end_job()

    def _on_engine_failed(self, event: EngineFailed) -> None:
        if event.model_lost:
            self._state.info = None
            self._tell_lost(event.error)
        job = self._job
        if job is None:
            return
        if job.stop is not None:
            being_killed = job.overdue or job.stop_phase is Phase.LOADING
            if event.model_lost and not being_killed:  # it died of itself: idle all the same
                self._stops.finish(job, job.stop_phase, killed=True)
        elif event.turn in (job.turn, None):
            self._end_job()
            if job.turn != NO_TURN:
                self._outlet.end(Failed(turn=job.turn, error=event.error))

    # ---- stop -----------------------------------------------------------------------------

    def _stop_turn(self, stop: Stop) -> None:
        winding = self._job
        if winding is not None and winding.turn == stop.turn and winding.stop is not None:
            if winding.silent:  # the window has not heard yet that the turn is over
                winding.stop, winding.silent = stop, False
            return  # its receipt is on the way
        job = self._running(stop.turn)
        if job is not None:
            self._stops.begin(job, stop)
            return
        if self._waiting.drop(stop.turn):
            self._stops.receipt_at_once(stop.turn, Phase.QUEUED, stop.reason, stop.clicked_at)
            return
        # It has ended: what is left of it is on its way to the screen, if anything is.
        phase = Phase.DRAWING if stop.turn == self._outlet.drawing else Phase.IDLE
        self._stops.drop_text(stop)
        self._stops.receipt_at_once(stop.turn, phase, stop.reason, stop.clicked_at)

    def _on_killed(self) -> None:
        self._state.info = None
        job = self._job
        if job is not None and job.stop is not None:
            self._stops.finish(job, job.stop_phase, killed=True)
        self._tell_lost(None)
