"""ResumedText: the drawing of an answer that is gone on with, in the state in which it was cut."""

from collections.abc import Sequence

from actors.drawing import DrawOp, TextRenderer


class ResumedText:
    """Renders what follows a text, knowing the text: inside its open code block, for example.

    The operations that come from the chain were made without that knowledge. Their sources, joined,
    are the model's text all the same, and that is rendered here once more. Main thread.
    """

    def __init__(self, renderer: TextRenderer, text: str) -> None:
        self._renderer = renderer
        self.ops = renderer.feed(text)
        """What stands fast of the text; the rest of it is drawn with what follows."""
        self._known = len(text) - sum(len(op.source) for op in self.ops)

    def feed(self, ops: Sequence[DrawOp]) -> list[DrawOp]:
        """What to draw in place of these."""
        return self._renderer.feed("".join(op.source for op in ops))

    def finish(self) -> list[DrawOp]:
        """Draw what was held: nothing follows."""
        return self._renderer.finish()

    def new_text(self, source: str) -> str:
        """What of a drawn source the text did not hold before. Call it once each, in order."""
        known = min(self._known, len(source))
        self._known -= known
        return source[known:]
