"""ProcessEngine: llama.cpp in a child process, behind the Engine protocol."""

import logging
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from actors.engine import (
    Aborted,
    Counted,
    EngineEvent,
    EngineFailed,
    EngineFinished,
    EngineKilled,
    EventSink,
    GenerateRequest,
    Loaded,
    LoadFailed,
    Piece,
    Planned,
    Unloaded,
)
from actors.loading import LoadSpec
from actors.turn import Phase, TurnId
from tkinfer.engines import wire
from tkinfer.engines.child import Child, Ending, worker_command
from tkinfer.errors import EngineError, SetupError, TkinferError

_log = logging.getLogger("tkinfer.engine")

_SEND_AGAIN: Final = "Send again: a fresh engine loads the model by itself."
_OTHER_MODEL: Final = " If it ends the same way, choose another model."
_LOAD_AGAIN: Final = "Load it again; if memory is short, choose a smaller model."
_OTHER_FILE: Final = "Download it again, update llama-cpp-python, or choose another model."
_ENDED_FROM_OUTSIDE: Final = frozenset({"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"})
"""From the system when memory runs out, or from people: no file is to blame."""
_BUILT_WRONG: Final = (
    "llama-cpp-python may be built for another processor. "
    "Install it again: pip install --force-reinstall --no-cache-dir llama-cpp-python"
)
_WINDOWS_ILLEGAL: Final = 0xC000001D
_LARGEST_EXIT_CODE: Final = 255
"""Of a program that ends itself. Windows' status codes of crashes are above."""


@dataclass(frozen=True, slots=True)
class _Query:
    """A question for a plan, among the jobs: its number must not be taken for a turn's."""

    number: int


class ProcessEngine:
    """The engine that runs llama.cpp in a process of its own. See the protocol for the methods.

    Light until it is used: the child starts with the first load, and its death or `kill` starts
    the next, so that a load finds llama.cpp imported (0.3 s).

    All state is under one lock, and events are sent under it too; so none can come behind the
    EngineKilled or EngineFailed that ends its child. Sinks may call the engine.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = list(command or worker_command())
        self._lock = threading.RLock()
        self._sink: EventSink | None = None
        self._child: Child | None = None
        self._ready = False
        self._ending: dict[Child, list[EngineEvent]] = {}  # not reaped yet, and what to say then
        # What the child was asked to do, in words; it does the oldest first.
        self._jobs: dict[TurnId | _Query, str] = {}
        self._aborts: list[TurnId] = []  # not answered yet
        self._model = ""
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        child = self._child
        return child.pid if child else None

    def connect(self, sink: EventSink) -> None:
        """Send events to `sink` from now on."""
        with self._lock:
            self._sink = sink

    def load(self, turn: TurnId, spec: LoadSpec) -> None:
        """Load a model, in a fresh child if there is none."""
        words = f"loading {Path(spec.path).name}"
        self._give_turn(turn, words, wire.Load(turn=turn, spec=_absolute(spec)))

    def unload(self) -> None:
        """Give all memory back: the child ends, which leaves nothing behind. A load starts the
        next.
        """
        self._end_child(Unloaded())

    def start(self, request: GenerateRequest) -> None:
        """Make an answer."""
        words = f"reading the prompt with {self._model}"
        self._give_turn(request.turn, words, wire.Start(request=request))

    def grant(self, turn: TurnId, pieces: int) -> None:
        """Let the child send so many pieces more."""
        with self._lock:
            if self._child:
                self._child.send(wire.Grant(turn=turn, pieces=pieces))

    def abort(self, turn: TurnId) -> None:
        """Stop a turn. An aborted load leaves no model in memory."""
        with self._lock:
            if self._child:
                self._aborts.append(turn)
                self._child.send(wire.Abort(turn=turn))
            else:
                self._deliver(Aborted(turn=turn, phase=Phase.IDLE))

    def count(self, query: int, text: str) -> None:
        """Count the tokens of a text; the child does so beside its work."""
        with self._lock:
            if self._child:
                self._child.send(wire.Count(query=query, text=text))
            else:
                self._deliver(Counted(query=query, tokens=None))

    def plan(self, query: int, spec: LoadSpec) -> None:
        """Compute what a load would take, in a fresh child if there is none."""
        with self._lock:
            if self._closed:
                return
            self._jobs[_Query(query)] = f"planning to load {Path(spec.path).name}"
            self._give(wire.Plan(query=query, spec=_absolute(spec)))

    def kill(self) -> None:
        """End the child. EngineKilled follows when it is gone, and answers its aborts too."""
        self._end_child(EngineKilled())

    def _end_child(self, answer: EngineKilled | Unloaded) -> None:
        """`answer` follows when the child is gone."""
        with self._lock:
            child = self._child
            if child:
                self._ending[child] = [answer]
                self._forget()
                child.kill()
            elif self._ending:
                self._ending[next(reversed(self._ending))].append(answer)
            else:
                self._deliver(answer)

    def close(self) -> None:
        """End the child for good, and wait for it and its threads. May be called again."""
        with self._lock:
            self._closed = True
            self._sink = None
            children = [*self._ending, *([self._child] if self._child else [])]
            self._forget()
        for child in children:
            child.close()

    def _give_turn(self, turn: TurnId, words: str, command: wire.Command) -> None:
        with self._lock:
            if not self._closed:
                self._jobs[turn] = words
                self._give(command)

    def _give(self, command: wire.Command) -> None:
        if not self._child:
            self._child = Child(self._command, self._take, self._bury)
        self._child.send(command)

    def _forget(self) -> None:
        self._child = None
        for job in self._jobs:
            if isinstance(job, _Query):  # nobody works on it any more
                self._deliver(Planned(query=job.number, plan=None))
        self._ready = False
        self._jobs.clear()
        self._aborts.clear()
        self._model = ""

    def _deliver(self, event: EngineEvent) -> None:
        if self._sink:
            self._sink(event)

    def _take(self, child: Child, message: wire.Report) -> None:
        """On the child's reader thread."""
        with self._lock:
            if child is not self._child:
                return
            if isinstance(message, wire.Ready):
                self._ready = True
                return
            self._follow(message)
            if isinstance(message, EngineFailed | LoadFailed):
                _attach(message.error, child.log)
            self._deliver(message)

    def _follow(self, event: EngineEvent) -> None:
        match event:
            case Piece(seq=0):
                self._jobs[event.turn] = f"answering with {self._model}"
            case Loaded():
                self._model = Path(event.info.path).name
                self._jobs.pop(event.turn, None)
            case LoadFailed():
                kept = event.still_loaded
                self._model = Path(kept.path).name if kept else ""
                self._jobs.pop(event.turn, None)
            case Aborted():
                if event.phase is Phase.LOADING:
                    self._model = ""
                if event.turn in self._aborts:
                    self._aborts.remove(event.turn)
                self._jobs.pop(event.turn, None)
            case EngineFinished() | EngineFailed():
                if event.turn is not None:
                    self._jobs.pop(event.turn, None)
            case Planned():
                self._jobs.pop(_Query(event.query), None)
            case _:
                pass

    def _bury(self, child: Child, ending: Ending) -> None:
        """On the child's reader thread, as the last thing: the child is reaped."""
        with self._lock:
            answers = self._ending.pop(child, [])
            if self._closed:
                return
            fresh = any(isinstance(answer, EngineKilled) for answer in answers)
            for answer in answers:
                self._deliver(answer)
            if child is self._child:
                fresh = self._ready  # one that can't even start would be started for ever
                self._mourn(ending)
            if fresh and not self._child:
                self._child = Child(self._command, self._take, self._bury)

    def _mourn(self, ending: Ending) -> None:
        jobs, aborts = dict(self._jobs), list(self._aborts)
        ready, model = self._ready, self._model
        self._jobs.clear()
        self._forget()
        doing = next(iter(jobs.values()), f"holding {model}, with nothing to do")
        error = _explain(ending, doing if ready else "starting", ready=ready)
        turns = [job for job in jobs if not isinstance(job, _Query)]
        for job in jobs:
            if isinstance(job, _Query):
                self._deliver(Planned(query=job.number, plan=None, error=error))
            else:
                self._deliver(EngineFailed(turn=job, error=error, model_lost=True))
        if model and not turns:
            self._deliver(EngineFailed(turn=None, error=error, model_lost=True))
        elif not jobs:
            _log.warning("the idle engine process ended: %s", ending)
        for turn in aborts:
            if turn not in turns:  # else its EngineFailed is the answer, and must not be overtaken
                self._deliver(Aborted(turn=turn, phase=Phase.IDLE))


def _absolute(spec: LoadSpec) -> LoadSpec:
    """The child's current folder may be another one."""
    loras = tuple(replace(lora, path=str(Path(lora.path).absolute())) for lora in spec.loras)
    return replace(spec, path=str(Path(spec.path).absolute()), loras=loras)


def _attach(error: Exception, log: str) -> None:
    if isinstance(error, TkinferError) and not isinstance(error, SetupError) and log:
        error.detail = f"{error.detail}\n\nThe engine's log:\n{log}".strip()


def _explain(ending: Ending, doing: str, *, ready: bool) -> EngineError:
    """What the child's end means for what it was doing, in words."""
    if ending.code is None:
        what = f"The engine process could not be started: {ending.error}."
        return EngineError(what, "Check the installation of Python.", ending.log)
    if isinstance(ending.error, wire.WireError):
        how = f"sent what can't be understood ({ending.error})"
    else:
        how = _how(ending.code)
    what = f"The engine process {how} while {doing}"
    crashed = _crashed(ending.code)
    if not ready or _illegal_instruction(ending.code):
        next_step = _BUILT_WRONG
    elif not doing.startswith(("loading", "planning")):
        next_step = _SEND_AGAIN + (_OTHER_MODEL if crashed else "")
    elif crashed:
        what += ": the file may be damaged, or not supported by this llama.cpp"
        next_step = _OTHER_FILE
    else:
        next_step = _LOAD_AGAIN
    return EngineError(f"{what}.", next_step, ending.log)


def _crashed(code: int) -> bool:
    """Whether it ended by a fault of its own, such as a failed assertion of llama.cpp's."""
    if code >= 0:
        return code > _LARGEST_EXIT_CODE
    return _signal_name(code) not in _ENDED_FROM_OUTSIDE


def _illegal_instruction(code: int) -> bool:
    """Whether the processor didn't know an instruction: no model is to blame for that."""
    return code == _WINDOWS_ILLEGAL or _signal_name(code) == "SIGILL"


def _how(code: int) -> str:
    if code >= 0:
        # Windows reports a crash as a status code, and those are known in hexadecimal.
        shown = f"{code:#x}" if sys.platform == "win32" else str(code)
        return f"ended with exit code {shown}"
    name = _signal_name(code)
    return f"was ended by signal {-code}{f' ({name})' if name else ''}"


def _signal_name(code: int) -> str:
    """Such as SIGSEGV; empty for one without a name."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return ""
