"""Chain: starts the actors in order, replaces them when one fails, and stops them in reverse."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pykka

from actors.drawing import TextRenderer
from actors.job import ModelParts
from actors.mailbox import BoundedMailbox
from actors.messages import (
    CountTokens,
    Failed,
    Generate,
    LoadModel,
    Ping,
    PlanLoad,
    Stop,
    UnloadModel,
    UnloadWhenIdle,
)
from actors.model import ModelActor
from actors.relay import RelayActor
from actors.renderer import RendererActor
from actors.stage import Neighbours, Ref
from actors.telemetry import HopSnapshot
from actors.turn import TurnId

log = logging.getLogger(__name__)

START_TIMEOUT_S = 5.0
STOP_TIMEOUT_S = 1.0


Order = LoadModel | UnloadModel | UnloadWhenIdle | Generate | CountTokens | PlanLoad | Stop
"""What the window may tell the chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """The windows of the hops, in messages. The screen's is OutputQueue's own."""

    engine: int = 128
    relay: int = 128
    renderer: int = 4


class Chain:
    """The three actors over one engine. `tell`, `start` and `shutdown` belong to the main thread.

    When one actor fails, all three are replaced: their windows and held messages depend on each
    other, and a fresh chain has all its credit by construction. The engine, the model in it and the
    output queue live on. Every turn that was under way ends as Failed, with its drawn text kept.
    """

    def __init__(
        self,
        *,
        parts: ModelParts,
        make_text_renderer: Callable[[], TextRenderer],
        windows: Windows | None = None,
    ) -> None:
        self._parts = parts
        self._make_text_renderer = make_text_renderer
        self._windows = windows or Windows()
        self._lock = threading.Lock()
        self._neighbours = Neighbours()
        self._open_turns: set[TurnId] = set()
        self._waiting: list[Order] = []
        self._replacing = False
        self._beyond_help: Exception | None = None
        """Why the chain could not be replaced: nothing can be answered any more."""
        self._closed = False

    def start(self) -> None:
        """Start the actors, the receiver of each hop before its sender.

        Raises:
            pykka.Timeout: an actor does not work.
        """
        self._neighbours = self._start_generation()

    def tell(self, message: Order) -> None:
        """Pass on to ModelActor. Returns at once, also while the chain is being replaced."""
        with self._lock:
            if isinstance(message, LoadModel | Generate):
                if self._beyond_help is not None:
                    self._fail_turns([message.turn], self._beyond_help)
                    return
                self._open_turns.add(message.turn)
            model = self._neighbours.model
            if not self._replacing and model is not None and model.is_alive():
                try:
                    model.tell(message)
                except pykka.ActorDeadError:
                    self._waiting.append(message)  # its successor is about to come
            else:
                self._waiting.append(message)

    def turn_over(self, turn: TurnId) -> None:
        """The window has seen this turn's end; a later failure is no longer its business."""
        with self._lock:
            self._open_turns.discard(turn)

    def shutdown(self) -> None:
        """Stop the actors in reverse order, then the engine. Waits at most about three seconds."""
        with self._lock:
            self._closed = True
            neighbours = self._neighbours
        self._stop_generation(neighbours)
        self._parts.engine.close()

    def hops(self) -> tuple[HopSnapshot, ...]:
        """Each hop's queue. Read without locks: a snapshot, not an invariant."""
        windows, output, now = self._windows, self._parts.output, self._neighbours
        return (
            _snapshot("engine-model", windows.engine, now.model),
            _snapshot("model-relay", windows.relay, now.relay),
            _snapshot("relay-renderer", windows.renderer, now.renderer),
            HopSnapshot(
                name="renderer-screen",
                window=output.window,
                queued=output.outstanding,
                high_water=output.high_water,
            ),
        )

    def _start_generation(self) -> Neighbours:
        neighbours = Neighbours()

        def report(name: str, error: BaseException) -> None:
            self._actor_failed(neighbours, name, error)

        neighbours.renderer = RendererActor.start(
            neighbours=neighbours,
            window=self._windows.renderer,
            output=self._parts.output,
            make_text_renderer=self._make_text_renderer,
            report_failure=report,
        )
        neighbours.relay = RelayActor.start(
            neighbours=neighbours,
            window=self._windows.relay,
            renderer_window=self._windows.renderer,
            report_failure=report,
        )
        neighbours.model = ModelActor.start(
            parts=self._parts,
            neighbours=neighbours,
            engine_window=self._windows.engine,
            relay_window=self._windows.relay,
            report_failure=report,
        )
        for actor in (neighbours.renderer, neighbours.relay, neighbours.model):
            actor.ask(Ping(), timeout=START_TIMEOUT_S)
        return neighbours

    def _stop_generation(self, neighbours: Neighbours) -> None:
        for actor in (neighbours.model, neighbours.relay, neighbours.renderer):
            if actor is None:
                continue
            try:
                actor.stop(timeout=STOP_TIMEOUT_S)
            except pykka.Timeout:
                log.error("%s does not stop; it is left behind", actor)  # noqa: TRY400 - no trace to tell

    def _fail_turns(self, turns: list[TurnId], error: BaseException) -> None:
        for turn in turns:
            self._parts.output.put(Failed(turn=turn, error=_as_exception(error)))

    def _actor_failed(self, neighbours: Neighbours, name: str, error: BaseException) -> None:
        """Replace the chain. Called on the dying actor's thread, which has nothing else to do."""
        with self._lock:
            if self._closed or self._replacing or neighbours is not self._neighbours:
                return
            self._replacing = True
            failed = sorted(self._open_turns)
            self._open_turns.clear()
        log.warning("%s failed; replacing the chain", name)
        self._stop_generation(neighbours)
        self._fail_turns(failed, error)
        try:
            successor = self._start_generation()
        except Exception as second:
            log.exception("the chain can't be replaced")
            with self._lock:
                self._replacing, self._beyond_help = False, second
                failed = sorted(self._open_turns)
                self._waiting.clear()
            self._fail_turns(failed, second)
            return
        with self._lock:
            self._neighbours, self._replacing = successor, False
            waiting, self._waiting = self._waiting, []
            for message in waiting:
                if successor.model is not None:
                    successor.model.tell(message)
            closed = self._closed
        if closed:
            self._stop_generation(successor)


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _snapshot(name: str, window: int, actor: Ref | None) -> HopSnapshot:
    mailbox = actor.actor_inbox if actor is not None else None
    if not isinstance(mailbox, BoundedMailbox):
        return HopSnapshot(name=name, window=window, queued=0, high_water=0)
    return HopSnapshot(
        name=name, window=window, queued=mailbox.data_queued, high_water=mailbox.high_water
    )
