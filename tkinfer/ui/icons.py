"""The icons, as functions over a square of 16 by 16 units: strokes and discs, no font needed."""

import itertools
import math
from collections.abc import Mapping

from tkinfer.ui.shapes import Coverage

_STROKE = 1.5

Point = tuple[float, float]


def _strokes(*lines: tuple[Point, ...], width: float = _STROKE) -> Coverage:
    pairs = [pair for line in lines for pair in itertools.pairwise(line)]

    def coverage(x: float, y: float) -> float:
        nearest = min(_distance(x, y, start, end) for start, end in pairs)
        return min(max(width / 2 - nearest + 0.5, 0.0), 1.0)

    return coverage


def _distance(x: float, y: float, start: Point, end: Point) -> float:
    across, down = end[0] - start[0], end[1] - start[1]
    length = across * across + down * down
    along = ((x - start[0]) * across + (y - start[1]) * down) / length if length else 0.0
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - start[0] - along * across, y - start[1] - along * down)


def _discs(*centres: Point, radius: float) -> Coverage:
    def coverage(x: float, y: float) -> float:
        nearest = min(math.hypot(x - across, y - down) for across, down in centres)
        return min(max(radius - nearest + 0.5, 0.0), 1.0)

    return coverage


def _both(one: Coverage, other: Coverage) -> Coverage:
    def coverage(x: float, y: float) -> float:
        return max(one(x, y), other(x, y))

    return coverage


def _square(low: float, high: float, radius: float) -> Coverage:
    middle, half = (low + high) / 2, (high - low) / 2 - radius

    def coverage(x: float, y: float) -> float:
        across = max(abs(x - middle) - half, 0.0)
        down = max(abs(y - middle) - half, 0.0)
        return min(max(radius - math.hypot(across, down) + 0.5, 0.0), 1.0)

    return coverage


def _nothing(_x: float, _y: float) -> float:
    return 0.0


ICONS: Mapping[str, Coverage] = {
    "chevron": _strokes(((4.5, 6.5), (8, 10), (11.5, 6.5))),
    "close": _strokes(((4.5, 4.5), (11.5, 11.5)), ((11.5, 4.5), (4.5, 11.5))),
    "plus": _strokes(((8, 3), (8, 13)), ((3, 8), (13, 8))),
    "more": _discs((3, 8), (8, 8), (13, 8), radius=1.4),
    "right": _strokes(((6.5, 4.5), (10, 8), (6.5, 11.5))),
    "down": _strokes(((8, 3), (8, 13)), ((4, 9), (8, 13), (12, 9))),
    "up": _strokes(((8, 13), (8, 3)), ((4, 7), (8, 3), (12, 7))),
    "send": _strokes(((8, 13), (8, 3)), ((3.8, 7.2), (8, 3), (12.2, 7.2)), width=1.8),
    "stop": _square(3, 13, 2.2),
    "check": _strokes(((3.5, 8.5), (6.5, 11.5), (12.5, 4.5))),
    "dot": _discs((8, 8), radius=4.6),
    "sliders": _both(
        _strokes(((2, 3.5), (14, 3.5)), ((2, 8), (14, 8)), ((2, 12.5), (14, 12.5)), width=1.3),
        _discs((10.5, 3.5), (5, 8), (9, 12.5), radius=2.1),
    ),
    "none": _nothing,
}
