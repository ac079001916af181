"""The engine process: takes commands from stdin, runs llama.cpp, writes events to stdout.

Two threads. The main thread does the work. The listener waits for commands: it lets aborts and
grants take effect at once, queues the rest, and ends the process when the pipe closes, since the
program that wanted the answers is gone then. Waiting in `read`, it costs the decode loop nothing
and makes shared memory unnecessary, and with it the question whose abort a flag there would be.
"""

import faulthandler
import os
import queue
import signal
import sys
import threading
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final, assert_never

from actors.engine import (
    EngineFailed,
    GenerateRequest,
    Loaded,
    LoadFailed,
    LoadProgress,
    ModelInfo,
    Planned,
)
from actors.loading import LoadSpec, MemoryPlan
from actors.turn import Phase, TurnId
from tkinfer.engines import wire
from tkinfer.engines.counting import Counter
from tkinfer.engines.turns import TurnAbortedError, TurnGate
from tkinfer.errors import EngineError, SetupError, TkinferError
from tkinfer.models.gguf import GgufHeader

if TYPE_CHECKING:
    from tkinfer.engines.cache import Cache
    from tkinfer.engines.llama.model import Model
    from tkinfer.engines.loading import Freed
    from tkinfer.engines.prompt import PromptBuilder

Job = wire.Load | wire.Plan | wire.Start
INSTALL: Final = "pip install llama-cpp-python"
MOST_SHELF_BYTES: Final = 2 << 30
"""For the caches of other chats, where there is memory for them."""


class Outbox:
    """Writes events for the parent. Both threads may send."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: object) -> None:
        """Write one message; blocks while the pipe is full. Without a reader, the process ends."""
        frame = wire.encode(message)
        try:
            with self._lock:
                self._stream.write(frame)
                self._stream.flush()
        except OSError:
            os._exit(0)


class Listener(threading.Thread):
    """Reads commands; see the module."""

    def __init__(self, stream: BinaryIO, gate: TurnGate, counter: Counter) -> None:
        super().__init__(name="engine-listener", daemon=True)
        self._stream = stream
        self._gate = gate
        self._counter = counter
        self.jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()

    def run(self) -> None:
        # Not an orderly end: whatever the main thread is in, it is in the middle of it.
        code = 1
        try:
            while command := wire.read(self._stream):
                self._handle(command)
            code = 0
        except Exception:  # noqa: BLE001  the thread's last words
            traceback.print_exc()
        finally:
            os._exit(code)

    def _handle(self, command: wire.Command) -> None:
        match command:
            case wire.Abort():
                self._gate.abort(command.turn)
            case wire.Grant():
                self._gate.grant(command.turn, command.pieces)
            case wire.Load():
                if self._gate.queue(command.turn):
                    self.jobs.put(command)
            case wire.Start():
                if self._gate.queue(command.request.turn):
                    self.jobs.put(command)
            case wire.Count():
                self._counter.ask(command)
            case wire.Plan():
                self.jobs.put(command)
            case _:
                assert_never(command)


class Worker:
    """Does the jobs, one after another, on the main thread."""

    def __init__(self, gate: TurnGate, outbox: Outbox, counter: Counter) -> None:
        self._gate = gate
        self._counter = counter
        self._send = outbox.send
        self._model: Model | None = None
        self._info: ModelInfo | None = None
        self._cache: Cache | None = None
        self._builder: PromptBuilder
        self._missing = _import_llama()

    def do(self, job: Job) -> None:
        """Do a job; what goes wrong is reported, not raised."""
        match job:
            case wire.Load():
                self._load(job.turn, job.spec)
            case wire.Plan():
                self._plan(job)
            case wire.Start():
                self._answer(job.request)
            case _:
                assert_never(job)

    def _drop_model(self) -> None:
        self._counter.use(None)
        if self._model is not None:
            self._model.close()
        self._model = self._info = self._cache = None

    def _load(self, turn: TurnId, spec: LoadSpec) -> None:
        if not self._gate.begin(turn, Phase.LOADING):
            return
        try:
            event: Loaded | LoadFailed = Loaded(turn=turn, info=self._load_model(turn, spec))
        except Exception as error:  # noqa: BLE001  reported instead of raised
            event = LoadFailed(turn=turn, error=_as_ours(error), still_loaded=self._info)
        if not self._gate.end(event):
            self._drop_model()  # as the protocol says of an aborted load

    def _load_model(self, turn: TurnId, spec: LoadSpec) -> ModelInfo:
        if self._missing is not None:
            raise self._missing
        from tkinfer.engines import loading, ram
        from tkinfer.engines.cache import Cache
        from tkinfer.engines.prompt import PromptBuilder
        from tkinfer.engines.shelf import Shelf

        bar = loading.ProgressBar(
            lambda fraction: self._send(LoadProgress(turn=turn, fraction=fraction))
        )
        bar.show(0.0)
        header, plan = loading.check(spec, freed=self._freed())
        loading.read_ahead(header, self._gate, bar)
        self._drop_model()
        self._model = model = loading.load(spec, plan, self._gate, bar)
        try:
            vocabulary = model.vocabulary
            self._builder = PromptBuilder(vocabulary, vocabulary.templates)
            self._cache = Cache(
                model, model.batch, Shelf(min(MOST_SHELF_BYTES, ram.available_bytes() // 4))
            )
            self._info = _info_of(header, plan, model, self._builder)
            self._counter.use(lambda text: len(vocabulary.tokenize(text, special=False)))
        except Exception:
            self._drop_model()
            raise
        bar.show(1.0)
        return self._info

    def _plan(self, job: wire.Plan) -> None:
        try:
            event = Planned(query=job.query, plan=self._make_plan(job.spec))
        except Exception as error:  # noqa: BLE001  reported instead of raised
            event = Planned(query=job.query, plan=None, error=_as_ours(error))
        self._send(event)

    def _make_plan(self, spec: LoadSpec) -> MemoryPlan:
        if self._missing is not None:
            raise self._missing
        from tkinfer.engines import loading

        return loading.plan(spec, freed=self._freed())

    def _freed(self) -> "Freed":
        """What the model in use will give back when another is loaded."""
        from tkinfer.engines import loading

        if self._model is None or self._info is None:
            return loading.Freed()
        freed = loading.freed_by(self._info.plan, self._model.spec)
        shelf = self._cache.shelf.size if self._cache else 0
        return replace(freed, ram=freed.ram + shelf)

    def _answer(self, request: GenerateRequest) -> None:
        if not self._gate.begin(request.turn, Phase.PREFILL, request.credit):
            return
        if self._model is None or self._cache is None:
            error = EngineError("No model is loaded.", "Load a model first.")
            self._gate.end(EngineFailed(turn=request.turn, error=error, model_lost=True))
            return
        from tkinfer.engines.answer import Answer

        answer = Answer(request, self._model, self._cache, self._gate, self._send)
        event: Any = None
        try:
            event = answer.run(self._builder)
        except TurnAbortedError:
            self._model.finish_compute()
        except Exception as error:  # noqa: BLE001  reported instead of raised
            event = EngineFailed(turn=request.turn, error=_as_ours(error), model_lost=False)
        kept = len(self._cache.tokens)
        self._gate.end(event, evaluated=answer.evaluated, kept=kept, tokens=answer.tokens)


def _import_llama() -> SetupError | None:
    try:
        from tkinfer.engines.llama import api
    except ImportError as error:
        what = f"The package llama-cpp-python is not installed ({error})."
        return SetupError(what, f"Install it: {INSTALL}")
    except Exception as error:  # noqa: BLE001  the binding raises what ctypes raised
        what = f"The package llama-cpp-python does not work here: {error}."
        return SetupError(what, f"Install it again: {INSTALL} --force-reinstall")
    api.set_up()
    return None


def _as_ours(error: Exception) -> TkinferError:
    if isinstance(error, TkinferError):
        return error
    detail = "".join(traceback.format_exception(error))
    what = f"The engine failed: {type(error).__name__}: {error}."
    return EngineError(what, "Send again.", detail)


def _info_of(
    header: GgufHeader, plan: MemoryPlan, model: "Model", builder: "PromptBuilder"
) -> ModelInfo:
    return ModelInfo(
        path=header.path,
        name=header.name,
        description=model.description,
        size_bytes=header.size_bytes,
        context_size=model.context_size,
        context_train=model.context_train,
        threads=model.threads,
        templates=model.vocabulary.templates,
        format=builder.format,
        can_think=builder.can_think,
        rewinds=model.rewinds,
        layers=model.layers,
        plan=plan,
    )


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout, for us alone.

    In their place come an empty input, and the log: a library that prints must not garble the
    stream of events.
    """
    commands, events = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(commands, "rb"), os.fdopen(events, "wb")


def main() -> None:
    """Run the engine process until its stdin closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the parent
    faulthandler.enable()  # a crash then says in the log where it was
    commands, events = _take_over_pipes()
    outbox = Outbox(events)
    gate = TurnGate(outbox.send)
    counter = Counter(outbox.send)
    counter.start()
    listener = Listener(commands, gate, counter)
    listener.start()
    worker = Worker(gate, outbox, counter)
    outbox.send(wire.Ready())
    while True:
        worker.do(listener.jobs.get())


if __name__ == "__main__":
    sys.exit(main())
