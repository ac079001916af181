"""The shelf: states of the KV cache put aside in memory, to be taken up again.

What a chat evaluated need not be evaluated again when the user comes back to it; nor, in a model
whose cache can't be cut, the prompt of an answer that is tried again.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

State = Any
"""Bytes-like: what llama.cpp wrote. Any, since numpy's arrays are not typed as buffers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The cache as it was behind these tokens."""

    tokens: tuple[int, ...]
    state: State
    checksum: int

    @property
    def size(self) -> int:
        """Bytes."""
        return memoryview(self.state).nbytes

    def intact(self) -> bool:
        """Whether the state is what was put aside: a damaged one could end the process."""
        return zlib.crc32(self.state) == self.checksum


class Shelf:
    """Holds snapshots within a bound in bytes; the one not used for longest goes first."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._snapshots: list[Snapshot] = []

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(snapshot.size for snapshot in self._snapshots)

    def __len__(self) -> int:
        return len(self._snapshots)

    def put(self, tokens: Sequence[int], state: State) -> None:
        """Put a state aside, unless it alone exceeds the bound."""
        snapshot = Snapshot(tokens=tuple(tokens), state=state, checksum=zlib.crc32(state))
        self._snapshots = [old for old in self._snapshots if old.tokens != snapshot.tokens]
        if snapshot.size > self.limit_bytes:
            return
        self._snapshots.append(snapshot)
        while self.size > self.limit_bytes:
            del self._snapshots[0]

    def best(self, usable: Callable[[Sequence[int]], int]) -> tuple[Snapshot | None, int]:
        """The snapshot of whose tokens most can be used, and how many these are."""
        best: Snapshot | None = None
        most = 0
        for snapshot in self._snapshots:
            count = usable(snapshot.tokens)
            if count > most:
                best, most = snapshot, count
        return best, most

    def use(self, snapshot: Snapshot, *, keep: bool) -> State | None:
        """Take a state up again; None if it is damaged. `keep` leaves it on the shelf as well."""
        self._snapshots.remove(snapshot)
        if not snapshot.intact():
            return None
        if keep:
            self._snapshots.append(snapshot)
        return snapshot.state
