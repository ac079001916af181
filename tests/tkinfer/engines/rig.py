"""A ProcessEngine with its events in the test's hand."""

import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from actors.engine import (
    Aborted,
    ChatMessage,
    EngineEvent,
    EngineFailed,
    EngineFinished,
    EngineKilled,
    GenerateRequest,
    Loaded,
    LoadFailed,
    Piece,
    PrefillProgress,
)
from actors.loading import LoadSpec
from actors.sampling import Sampling
from actors.turn import TurnId
from tkinfer.engines.process import ProcessEngine

Event = TypeVar("Event")

GREEDY = Sampling(temperature=0)
PLENTY = 1_000_000
LIMIT_S = 30.0
"""Only bounds a test that fails."""


def user(*texts: str) -> tuple[ChatMessage, ...]:
    return tuple(ChatMessage(role="user", content=text) for text in texts)


class Rig:
    """Collects events in order; every wait is for one of them."""

    def __init__(self, command: list[str] | None = None) -> None:
        self.engine = ProcessEngine(command)
        self.events: list[EngineEvent] = []
        self._arrived = threading.Condition()
        self._turns = count(1)
        self.engine.connect(self._collect)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.engine.close()

    def _collect(self, event: EngineEvent) -> None:
        with self._arrived:
            self.events.append(event)
            self._arrived.notify_all()

    def wait(self, kind: type[Event], where: Callable[[Event], bool] = lambda _: True) -> Event:
        """Wait for an event of this kind, and return the first."""

        def found() -> Event | None:
            matches = (e for e in self.events if isinstance(e, kind) and where(e))
            return next(matches, None)

        with self._arrived:
            event = self._arrived.wait_for(found, LIMIT_S)
        assert event is not None, f"no {kind} in {self.events[-5:]}"
        return event

    def of(self, kind: type[Event], turn: TurnId | None = None) -> list[Event]:
        """The events of a kind so far, of one turn."""
        with self._arrived:
            return [
                event
                for event in self.events
                if isinstance(event, kind)
                and (turn is None or getattr(event, "turn", None) == turn)
            ]

    def turn(self) -> TurnId:
        return TurnId(next(self._turns))

    def ask_load(self, path: Path | str, context_size: int | None = None) -> TurnId:
        turn = self.turn()
        self.engine.load(turn, LoadSpec(path=str(path), context_size=context_size))
        return turn

    def load(self, path: Path | str, context_size: int | None = None) -> Loaded:
        return self.load_spec(LoadSpec(path=str(path), context_size=context_size))

    def load_spec(self, spec: LoadSpec) -> Loaded:
        turn = self.turn()
        self.engine.load(turn, spec)
        end = self.wait(Loaded | LoadFailed | EngineFailed, lambda event: event.turn == turn)
        assert isinstance(end, Loaded), end
        return end

    def load_error(self, path: Path | str, context_size: int | None = None) -> LoadFailed:
        turn = self.ask_load(path, context_size)
        end = self.wait(Loaded | LoadFailed | EngineFailed, lambda event: event.turn == turn)
        assert isinstance(end, LoadFailed), end
        return end

    def start(
        self,
        messages: tuple[ChatMessage, ...] | str,
        sampling: Sampling = GREEDY,
        credit: int = PLENTY,
        *,
        resume: bool = False,
    ) -> TurnId:
        turn = self.turn()
        request = GenerateRequest(
            turn=turn,
            messages=user(messages) if isinstance(messages, str) else messages,
            sampling=sampling,
            credit=credit,
            resume=resume,
        )
        self.engine.start(request)
        return turn

    def finished(self, turn: TurnId) -> EngineFinished:
        end = self.wait(EngineFinished | EngineFailed | Aborted, lambda event: event.turn == turn)
        assert isinstance(end, EngineFinished), end
        return end

    def failed(self, turn: TurnId | None) -> EngineFailed:
        return self.wait(EngineFailed, lambda event: event.turn == turn)

    def text(self, turn: TurnId) -> str:
        pieces = self.of(Piece, turn)
        assert [piece.seq for piece in pieces] == list(range(len(pieces)))
        return "".join(piece.text for piece in pieces)

    def answer(self, messages: tuple[ChatMessage, ...] | str, sampling: Sampling = GREEDY) -> str:
        """Ask, and wait for the whole answer."""
        turn = self.start(messages, sampling)
        self.finished(turn)
        return self.text(turn)

    def pieces(self, turn: TurnId, number: int) -> None:
        """Wait until so many pieces of the turn are there."""
        self.wait(Piece, lambda piece: piece.turn == turn and piece.seq == number - 1)

    def prefilling(self, turn: TurnId) -> PrefillProgress:
        """Wait until the prompt is being read."""
        return self.wait(PrefillProgress, lambda event: event.turn == turn)

    def abort(self, turn: TurnId) -> Aborted:
        """Abort, and wait for the answer to this very abort."""
        before = len(self.of(Aborted, turn))
        self.engine.abort(turn)
        self.until(lambda: len(self.of(Aborted, turn)) > before)
        return self.of(Aborted, turn)[before]

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the events so far meet a condition."""
        with self._arrived:
            assert self._arrived.wait_for(condition, LIMIT_S), self.events[-5:]

    def kill(self) -> None:
        before = len(self.of(EngineKilled))
        self.engine.kill()
        self.until(lambda: len(self.of(EngineKilled)) > before)
