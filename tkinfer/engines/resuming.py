"""The text of an answer that is gone on with, where its tokens are not known."""

from typing import Final

from tkinfer.engines.markers import BY_OPEN, HARMONY, marker_of

_HARMONY_THINK: Final = "<|channel|>analysis<|message|>"
_HARMONY_SAY: Final = "<|channel|>final<|message|>"
_HARMONY_NEXT: Final = "<|end|><|start|>assistant"


class ReasoningMarkers:
    """How a template's models mark their reasoning.

    Args:
        source: The template's.
        opened: The marker with which it opens the reasoning by itself, if it does.
    """

    def __init__(self, source: str, opened: str) -> None:
        self._opened = opened
        self._harmony = opened.startswith(HARMONY.open) or HARMONY.open in source
        marker = marker_of(opened) if opened else None
        if marker is None:
            known = (BY_OPEN[text] for text in BY_OPEN if text in source)
            marker = next(known, BY_OPEN["<think>"])
        self._marker = marker

    @property
    def opener(self) -> str:
        """What opens the reasoning behind the prompt."""
        if self._harmony:
            return _HARMONY_THINK
        return self._marker.open + self._marker.label

    @property
    def closer(self) -> str:
        """What stands between reasoning and answer."""
        if self._harmony:
            return _HARMONY_NEXT + _HARMONY_SAY
        return f"\n{self._marker.close}\n\n"

    @property
    def before_reasoning(self) -> str:
        """What goes between the prompt and reasoning."""
        return "" if self._opened else self.opener + ("" if self._harmony else "\n")

    @property
    def before_answer(self) -> str:
        """What goes between the prompt and an answer without reasoning."""
        if self._opened:
            return self.closer
        return _HARMONY_SAY if self._harmony else ""
