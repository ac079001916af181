"""DrawnText: which text of an answer was drawn, from the operations that were."""

from collections.abc import Sequence

from actors.drawing import DrawOp, Tail


class DrawnText:
    """Tells new text from what a tail has shown before. Call it once for each drawing, in order."""

    def __init__(self) -> None:
        self._taken = 0
        self._settled = 0

    def new_text(self, ops: Sequence[DrawOp]) -> str:
        """What these operations show that was not shown before."""
        settled = "".join(op.source for op in ops if not isinstance(op, Tail))
        tail = ops[-1].source if ops and isinstance(ops[-1], Tail) else ""
        new = (settled + tail)[max(self._taken - self._settled, 0) :]
        self._settled += len(settled)
        self._taken += len(new)
        return new
