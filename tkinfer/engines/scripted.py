"""ScriptedEngine: replays given pieces with given delays. For tests, benches and demonstrations."""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from actors.engine import (
    Aborted,
    AnswerTokens,
    Counted,
    EngineEvent,
    EngineFailed,
    EngineFinished,
    EngineKilled,
    EventSink,
    GenerateRequest,
    Loaded,
    LoadFailed,
    LoadProgress,
    ModelInfo,
    Piece,
    Planned,
    PrefillProgress,
    PromptReady,
    Unloaded,
)
from actors.loading import LoadSpec, MemoryPlan
from actors.turn import Channel, EndReason, Figures, Phase, TurnId
from tkinfer.engines.text import TextDecoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What the engine does for one answer. Delays are seconds before each step."""

    pieces: Iterable[str | bytes] = ()
    reasoning: Iterable[str] = ()
    """Comes before the pieces."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Come with each piece."""
    left_out: int = 0
    format: str = ""
    fell_back: bool = False
    """What is told of the prompt, as in PromptReady."""
    refusal: Exception | None = None
    """The request is refused with this before anything is done."""
    piece_delay_s: float = 0.0
    prefill_batches: int = 0
    prefill_delay_s: float = 0.0
    reason: EndReason = EndReason.END_OF_TEXT
    error: Exception | None = None
    """The engine dies with this after the last piece, its model with it."""
    deaf: bool = False
    """Does not answer an abort; only `kill` ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadScript:
    """What the engine does when it loads a model."""

    steps: int = 0
    step_delay_s: float = 0.0
    error: Exception | None = None
    dies: bool = False
    """The error is the end of the engine, and not only of the load."""


@dataclass(slots=True)
class Counts:
    """What the engine saw, for assertions."""

    inside: int = 0
    most_inside: int = 0
    prefill_batches: int = 0
    pieces: int = 0
    most_unacknowledged: int = 0
    loads: int = 0
    kills: int = 0


class _Interrupted(Exception):  # noqa: N818 - control flow, not an error
    """The step that runs was aborted or killed."""


class ScriptedEngine:
    """An Engine of one worker thread per life; `kill` abandons the thread like a process."""

    def __init__(
        self,
        script: Script | Callable[[GenerateRequest], Script],
        load_script: LoadScript | Callable[[LoadSpec], LoadScript] = LoadScript(),
        context_size: int = 4096,
    ) -> None:
        self._script = script
        self._load_script = load_script
        self._context_size = context_size
        self._sink: EventSink = lambda _event: None
        self._changed = threading.Condition()
        self._commands: deque[Callable[[], None]] = deque()
        self._life = 0
        self._worker: threading.Thread | None = None
        self._turn: TurnId | None = None
        self._phase = Phase.IDLE
        self._credit = 0
        self._unacknowledged = 0
        self._aborted: set[TurnId] = set()
        self._info: ModelInfo | None = None
        self._ends: list[int] = []
        """Of the answer's tokens: one is one piece, and its number its id."""
        self._closed = False
        self.counts = Counts()
        self.requests: list[GenerateRequest] = []

    # ---- the Engine protocol ----------------------------------------------------------------

    def connect(self, sink: EventSink) -> None:
        self._sink = sink

    def load(self, turn: TurnId, spec: LoadSpec) -> None:
        self._submit(lambda: self._load(turn, spec))

    def unload(self) -> None:
        self._submit(self._unload)

    def start(self, request: GenerateRequest) -> None:
        self.requests.append(request)
        self._submit(lambda: self._answer(request))

    def grant(self, turn: TurnId, pieces: int) -> None:
        with self._changed:
            if turn == self._turn:
                self._credit += pieces
                self._unacknowledged -= pieces
                self._changed.notify_all()

    def abort(self, turn: TurnId) -> None:
        with self._changed:
            self._aborted.add(turn)
            self._changed.notify_all()
        self._submit(lambda: self._acknowledge_abort(turn))

    def count(self, query: int, text: str) -> None:
        self._sink(Counted(query=query, tokens=len(text.split())))

    def plan(self, query: int, spec: LoadSpec) -> None:
        del spec
        self._sink(Planned(query=query, plan=MemoryPlan(context_size=self._context_size)))

    def kill(self) -> None:
        with self._changed:
            self._life += 1
            self._commands.clear()
            self._worker = None
            self._info = None
            self._turn = None
            self.counts.kills += 1
            self._changed.notify_all()
        self._sink(EngineKilled())

    def close(self) -> None:
        with self._changed:
            worker, self._closed = self._worker, True
            self._life += 1
            self._changed.notify_all()
        if worker is not None:
            worker.join(timeout=1.0)

    # ---- the worker ---------------------------------------------------------------------------

    def _submit(self, command: Callable[[], None]) -> None:
        with self._changed:
            self._commands.append(command)
            if self._worker is None and not self._closed:
                self._worker = threading.Thread(
                    target=self._work, args=(self._life,), name="scripted-engine", daemon=True
                )
                self._worker.start()
            self._changed.notify_all()

    def _work(self, life: int) -> None:
        while True:
            with self._changed:
                while not self._commands and life == self._life:
                    self._changed.wait()
                if life != self._life:
                    return
                command = self._commands.popleft()
                self.counts.inside += 1
                self.counts.most_inside = max(self.counts.most_inside, self.counts.inside)
            try:
                command()
            except _Interrupted:
                pass  # the abort's own answer follows as the next command
            finally:
                with self._changed:
                    self.counts.inside -= 1

    def _emit(self, life: int, event: EngineEvent) -> None:
        if life == self._life:
            self._sink(event)

    def _pause(self, life: int, turn: TurnId, delay_s: float, *, deaf: bool = False) -> None:
        """Wait, unless the turn is aborted or the engine killed."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended(life, turn, deaf=deaf), delay_s)
            if self._ended(life, turn, deaf=deaf):
                raise _Interrupted

    def _ended(self, life: int, turn: TurnId, *, deaf: bool) -> bool:
        return life != self._life or (turn in self._aborted and not deaf)

    def _load(self, turn: TurnId, spec: LoadSpec) -> None:
        life = self._life
        self.counts.loads += 1
        script = self._load_script(spec) if callable(self._load_script) else self._load_script
        for step in range(script.steps):
            self._pause(life, turn, script.step_delay_s)
            self._emit(life, LoadProgress(turn=turn, fraction=(step + 1) / script.steps))
        if script.error is not None and script.dies:
            self._info = None
            self._emit(life, EngineFailed(turn=turn, error=script.error, model_lost=True))
            return
        if script.error is not None:
            self._emit(life, LoadFailed(turn=turn, error=script.error, still_loaded=self._info))
            return
        self._info = ModelInfo(
            path=spec.path, name=spec.path, context_size=self._context_size, threads=1
        )
        self._emit(life, Loaded(turn=turn, info=self._info))

    def _unload(self) -> None:
        self._info = None
        self._emit(self._life, Unloaded())

    def _acknowledge_abort(self, turn: TurnId) -> None:
        phase, self._phase = self._phase, Phase.IDLE
        tokens = self._tokens() if turn == self._turn else AnswerTokens()
        self._emit(self._life, Aborted(turn=turn, phase=phase, tokens=tokens))

    def _tokens(self) -> AnswerTokens:
        return AnswerTokens(ids=tuple(range(len(self._ends))), ends=tuple(self._ends))

    def _answer(self, request: GenerateRequest) -> None:
        life, turn = self._life, request.turn
        script = self._script(request) if callable(self._script) else self._script
        with self._changed:
            self._turn, self._credit, self._unacknowledged = turn, request.credit, 0
        if script.refusal is not None:
            self._emit(life, EngineFailed(turn=turn, error=script.refusal, model_lost=False))
            return
        last = request.messages[-1] if request.resume else None
        known = len(last.reasoning + last.content) if last is not None else 0
        self._ends = [known] * len(last.tokens) if last is not None else []
        self._tell_prompt(life, request, script)
        self._phase = Phase.PREFILL
        for batch in range(script.prefill_batches):
            self._pause(life, turn, 0, deaf=script.deaf)
            self.counts.prefill_batches += 1
            self._pause(life, turn, script.prefill_delay_s, deaf=script.deaf)
            progress = PrefillProgress(turn=turn, done=batch + 1, total=script.prefill_batches)
            self._emit(life, progress)
        self._phase = Phase.DECODE
        sent = self._send_pieces(life, turn, script)
        self._phase = Phase.IDLE
        if script.error is not None:
            self._info = None
            self._emit(life, EngineFailed(turn=turn, error=script.error, model_lost=True))
            return
        figures = Figures(answer_tokens=sent, context_used=sent, context_size=self._context_size)
        self._emit(
            life,
            EngineFinished(turn=turn, reason=script.reason, figures=figures, tokens=self._tokens()),
        )

    def _tell_prompt(self, life: int, request: GenerateRequest, script: Script) -> None:
        words = sum(len(message.content.split()) for message in request.messages)
        self._emit(
            life,
            PromptReady(
                turn=request.turn,
                tokens=words,
                left_out=script.left_out,
                format=script.format,
                fell_back=script.fell_back,
            ),
        )

    def _send_pieces(self, life: int, turn: TurnId, script: Script) -> int:
        decoder, numbers, tokens = TextDecoder(), itertools.count(), 0

        def send(text: str, channel: Channel = Channel.ANSWER) -> None:
            if len(self._ends) < self._context_size:  # as in life; a flood is to take no memory
                self._ends.append((self._ends[-1] if self._ends else 0) + len(text))
            if text:
                piece = Piece(
                    turn=turn,
                    seq=next(numbers),
                    text=text,
                    channel=channel,
                    alternatives=script.alternatives,
                )
                self._send(life, piece, deaf=script.deaf)

        for thought in script.reasoning:
            tokens += 1
            self._pause(life, turn, script.piece_delay_s, deaf=script.deaf)
            send(thought, Channel.REASONING)
        for piece in script.pieces:
            tokens += 1
            self._pause(life, turn, script.piece_delay_s, deaf=script.deaf)
            send(piece if isinstance(piece, str) else decoder.feed(piece))
        if rest := decoder.flush():
            send(rest)
        return tokens

    def _send(self, life: int, piece: Piece, *, deaf: bool) -> None:
        turn = piece.turn
        with self._changed:
            self._changed.wait_for(lambda: self._credit > 0 or self._ended(life, turn, deaf=deaf))
            if self._ended(life, turn, deaf=deaf):
                raise _Interrupted
            self._credit -= 1
            self._unacknowledged += 1
            counts = self.counts
            counts.pieces += 1
            counts.most_unacknowledged = max(counts.most_unacknowledged, self._unacknowledged)
        self._emit(life, piece)
