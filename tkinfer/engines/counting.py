"""Counts tokens beside the work: on a thread of its own, so that neither an answer nor an abort
waits for a long text.
"""

import threading
from collections.abc import Callable
from typing import Any

from actors.engine import Counted
from tkinfer.engines import wire

CountTokens = Callable[[str], int]


class Counter(threading.Thread):
    """Answers the newest query; one that waits when the next comes is not worth its time."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        super().__init__(name="engine-counter", daemon=True)
        self._send = send
        self._changed = threading.Condition()
        self._query: wire.Count | None = None
        self._counting = threading.Lock()
        self._count: CountTokens | None = None

    def ask(self, query: wire.Count) -> None:
        """Queue a query in place of the one that waits. Called on the listener thread."""
        with self._changed:
            self._query = query
            self._changed.notify()

    def use(self, count: CountTokens | None) -> None:
        """Count with this from now on; returns when what was used before is not needed any more."""
        with self._counting:
            self._count = count

    def run(self) -> None:
        while True:
            with self._changed:
                while self._query is None:
                    self._changed.wait()
                query, self._query = self._query, None
            with self._counting:
                tokens = self._count(query.text) if self._count is not None else None
            self._send(Counted(query=query.query, tokens=tokens))
