"""Shortening a line to a width, with an ellipsis."""

from collections.abc import Callable

ELLIPSIS = "…"

Measure = Callable[[str], int]
"""Pixels that a text takes."""


def elide_end(text: str, width: int, measure: Measure) -> str:
    """The longest beginning of `text` that fits into `width` pixels, with an ellipsis if cut."""
    return _fit(text, width, measure, lambda kept: text[:kept].rstrip() + ELLIPSIS)


def elide_middle(text: str, width: int, measure: Measure) -> str:
    """Keep both ends: model names differ in the beginning (family) and the end (quantisation)."""

    def shortened(kept: int) -> str:
        tail = kept // 2
        return text[: kept - tail].rstrip() + ELLIPSIS + text[len(text) - tail :].lstrip()

    return _fit(text, width, measure, shortened)


def _fit(text: str, width: int, measure: Measure, shortened: Callable[[int], str]) -> str:
    if measure(text) <= width:
        return text
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if measure(shortened(middle)) <= width:
            low = middle
        else:
            high = middle - 1
    return shortened(low) if low else ELLIPSIS
