"""The running turn, as the child's two threads share it: its phase, its credit, its abort.

The listener thread calls `queue`, `grant` and `abort` as commands arrive; the main thread calls
the rest. All of it happens under one lock, events that end a turn are sent under it too, and so
an abort either meets its turn or finds it over: it can neither get lost nor hit the next one.
"""

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from actors.engine import Aborted, AnswerTokens
from actors.turn import Phase, TurnId

NO_TOKENS = AnswerTokens()


class TurnAbortedError(Exception):
    """Raised on the main thread where it meets an abort. Never leaves the worker."""


class TurnGate:
    """Lets one turn at a time through, for as long as nobody aborts it."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send = send
        self._changed = threading.Condition()
        self._queued: set[TurnId] = set()
        self._refused: set[TurnId] = set()
        self._newest = -1
        self._turn: TurnId | None = None
        self._phase = Phase.IDLE
        self._abort_phases: list[Phase] = []
        self._credit = 0
        self.flag = (ctypes.c_ubyte * 2)()
        """One byte that says abort, and a NUL: a C string of length 1 or 0. llama.cpp reads it
        natively between graph nodes, see `llama.Model`."""

    def queue(self, turn: TurnId) -> bool:
        """Take note of a turn that waits for the main thread; False if it was aborted before."""
        with self._changed:
            self._newest = max(self._newest, turn)
            known = turn in self._refused
            self._refused = {refused for refused in self._refused if refused > turn}
            if not known:
                self._queued.add(turn)
            return not known

    def begin(self, turn: TurnId, phase: Phase, credit: int = 0) -> bool:
        """Make this the running turn; False if it was aborted while it waited."""
        with self._changed:
            if turn not in self._queued:
                return False
            self._queued.remove(turn)
            self._turn, self._phase, self._credit = turn, phase, credit
            return True

    def end(
        self,
        event: object,
        *,
        evaluated: int = 0,
        kept: int = 0,
        tokens: AnswerTokens = NO_TOKENS,
    ) -> bool:
        """Close the running turn with `event`, or, where it was aborted, with Aborted.

        Returns whether `event` was sent. The rest is for Aborted.
        """
        with self._changed:
            turn, aborts = self._turn, self._abort_phases
            self._turn, self._phase, self._abort_phases = None, Phase.IDLE, []
            self.flag[0] = 0
            if turn is None or not aborts:
                self._send(event)
                return True
            for phase in aborts:
                self._send(
                    Aborted(
                        turn=turn,
                        phase=phase,
                        tokens_evaluated=evaluated,
                        tokens_kept=kept,
                        tokens=tokens,
                    )
                )
            return False

    def abort(self, turn: TurnId) -> None:
        """Stop the turn if it runs or waits. One Aborted follows, in any case."""
        with self._changed:
            if turn == self._turn:
                self._abort_phases.append(self._phase)
                self.flag[0] = 1
                self._changed.notify()
                return
            if turn > self._newest:  # should it still come, it is not to run
                self._refused.add(turn)
            phase = Phase.QUEUED if turn in self._queued else Phase.IDLE
            self._queued.discard(turn)
            self._send(Aborted(turn=turn, phase=phase))

    def grant(self, turn: TurnId, pieces: int) -> None:
        """Add credit; that of a stale turn is void."""
        with self._changed:
            if turn == self._turn:
                self._credit += pieces
                self._changed.notify()

    def enter(self, phase: Phase) -> None:
        """Say what the turn does from now on."""
        with self._changed:
            self._phase = phase

    def check(self) -> None:
        """Raise TurnAbortedError if the turn is to stop. Costs 0.1 µs: asked for every token."""
        if self.flag[0]:
            raise TurnAbortedError

    def spend(self) -> float:
        """Take one credit, waiting for it; return the seconds waited, mostly 0.

        Raises:
            TurnAbortedError: the turn is to stop.
        """
        with self._changed:
            self.check()
            if self._credit > 0:
                self._credit -= 1
                return 0.0
            since = time.perf_counter()
            while self._credit <= 0:
                self._changed.wait()
                self.check()
            self._credit -= 1
            return time.perf_counter() - since
