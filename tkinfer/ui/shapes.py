"""Antialiased shapes as PNG bytes, in pure Python: rounded boxes to be stretched, and small icons.

Boxes are opaque: Tk blends a translucent image by reading the screen back for every redraw, and
each box lies on a ground of one known colour anyway. Icons are small, and lie on many.
"""

import math
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

Rgb = tuple[int, int, int]
Coverage = Callable[[float, float], float]
"""How much of the pixel at this centre a shape covers, 0 to 1."""


@cache
def rgb(colour: str) -> Rgb:
    """`#rrggbb` as three bytes."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(under: Rgb, over: Rgb, share: float) -> Rgb:
    """`over` laid upon `under`, covering `share` of it."""
    if share <= 0.0:
        return under
    if share >= 1.0:
        return over
    (r1, g1, b1), (r2, g2, b2) = under, over
    return (
        round(r1 + (r2 - r1) * share),
        round(g1 + (g2 - g1) * share),
        round(b1 + (b2 - b1) * share),
    )


def mixed(under: str, over: str, share: float) -> str:
    """The same for colours as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*mix(rgb(under), rgb(over), share))


def png(rows: Sequence[bytes], width: int, *, alpha: bool = False) -> bytes:
    """A PNG of RGB rows, or of RGBA rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 6 if alpha else 2, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rounded box: colours outside, inside and of its edge, and lengths in screen pixels."""

    outside: str
    inside: str
    radius: int
    edge: str = ""
    edge_width: float = 0.0
    middle: tuple[int, int] = (32, 8)
    """What lies between the corners. Tk fills a larger area by tiling it, so a pixel won't do."""


def box(shape: Box) -> bytes:
    """Draw a box. One quarter is computed, the others are its mirror images."""
    edge, inside = bytes(rgb(shape.edge or shape.inside)), bytes(rgb(shape.inside))
    rim = math.ceil(shape.edge_width)
    wide, high = shape.middle
    top: list[bytes] = []
    for y, row in enumerate(_corner(shape.radius, shape.edge_width)):
        left = [_box_colour(shape, inner, outer) for inner, outer in row]
        top.append(b"".join((*left, (edge if y < rim else inside) * wide, *reversed(left))))
    side = shape.radius - rim
    middle = edge * rim + inside * (2 * side + wide) + edge * rim
    return png([*top, *[middle] * high, *reversed(top)], wide + 2 * shape.radius)


@cache
def _corner(radius: int, edge_width: float) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Per pixel of the upper left corner: the share of the inner and of the outer shape."""

    def share(x: int, y: int, reach: float) -> float:
        distance = math.hypot(radius - x - 0.5, radius - y - 0.5)
        return min(max(reach - distance + 0.5, 0.0), 1.0)

    return tuple(
        tuple((share(x, y, radius - edge_width), share(x, y, radius)) for x in range(radius))
        for y in range(radius)
    )


def _box_colour(shape: Box, inner: float, outer: float) -> bytes:
    if inner >= 1.0:
        return bytes(rgb(shape.inside))
    ground = mix(rgb(shape.outside), rgb(shape.edge or shape.inside), outer)
    return bytes(mix(ground, rgb(shape.inside), inner) if shape.edge else ground)


def cap(*, outside: str, inside: str, radius: int, width: int, top: bool) -> bytes:
    """The upper or lower end of a rounded band across a text, `width` pixels wide."""
    fill = bytes(rgb(inside)) * max(width - 2 * radius, 0)
    rows: list[bytes] = []
    for row in _corner(radius, 0.0):
        left = [bytes(mix(rgb(outside), rgb(inside), outer)) for _, outer in row]
        rows.append(b"".join((*left, fill, *reversed(left))))
    return png(rows if top else rows[::-1], max(width, 2 * radius))


def icon(size: int, colour: str, coverage: Coverage) -> bytes:
    """A square icon; `coverage` is asked at pixel centres, in a square of 16 by 16 units."""
    unit = 16 / size
    red, green, blue = rgb(colour)
    rows = [
        b"".join(
            bytes((red, green, blue, round(255 * coverage((x + 0.5) * unit, (y + 0.5) * unit))))
            for x in range(size)
        )
        for y in range(size)
    ]
    return png(rows, size, alpha=True)
