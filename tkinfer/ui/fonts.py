"""Named fonts. Every widget uses these, so that zoom is a change of a few sizes."""

import tkinter as tk
from tkinter import font as tkfont

_TEXT_FAMILIES = ("Segoe UI", "SF Pro", "Cantarell", "Inter", "Noto Sans", "DejaVu Sans")
_CODE_FAMILIES = ("Cascadia Mono", "SF Mono", "JetBrains Mono", "DejaVu Sans Mono")

_BODY_POINTS = 11.0
_CODE_POINTS = 10.0
_SMALL_POINTS = 9.0
_UI_POINTS = 10.0
_TITLE_POINTS = 12.0
_HERO_POINTS = 18.0
_HEADING_POINTS = (17.0, 15.0, 13.0, 12.0, 11.0, 11.0)
_GAP_POINTS = 6.0

_ZOOM_STEPS = (0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5)
_UNZOOMED = _ZOOM_STEPS.index(1.0)

BODY = "tkinfer.body"
CODE = "tkinfer.code"
SMALL = "tkinfer.small"
SMALL_BOLD = "tkinfer.small-bold"
UI = "tkinfer.ui"
UI_BOLD = "tkinfer.ui-bold"
TITLE = "tkinfer.title"
HERO = "tkinfer.hero"
BODY_BOLD = "tkinfer.body-bold"
BODY_ITALIC = "tkinfer.body-italic"
BODY_BOLD_ITALIC = "tkinfer.body-bold-italic"
GAP = "tkinfer.gap"
"""For the empty line between two paragraphs."""
HEADINGS = tuple(f"tkinfer.h{level}" for level in range(1, 7))
HEADINGS_ITALIC = tuple(f"{heading}-italic" for heading in HEADINGS)

_POINTS = {
    BODY: _BODY_POINTS,
    CODE: _CODE_POINTS,
    SMALL: _SMALL_POINTS,
    SMALL_BOLD: _SMALL_POINTS,
    UI: _UI_POINTS,
    UI_BOLD: _UI_POINTS,
    TITLE: _TITLE_POINTS,
    HERO: _HERO_POINTS,
    BODY_BOLD: _BODY_POINTS,
    BODY_ITALIC: _BODY_POINTS,
    BODY_BOLD_ITALIC: _BODY_POINTS,
    GAP: _GAP_POINTS,
    **dict(zip(HEADINGS, _HEADING_POINTS, strict=True)),
    **dict(zip(HEADINGS_ITALIC, _HEADING_POINTS, strict=True)),
}
_BOLD = {SMALL_BOLD, UI_BOLD, TITLE, HERO, BODY_BOLD, BODY_BOLD_ITALIC, *HEADINGS, *HEADINGS_ITALIC}
_ITALIC = {BODY_ITALIC, BODY_BOLD_ITALIC, *HEADINGS_ITALIC}

HAIR = "tkinfer.hair"
"""As small as a font can be, for lines whose height an image sets."""


class Fonts:
    """Creates the named fonts on a root and changes their sizes together."""

    def __init__(self, root: tk.Misc) -> None:
        self._tk = root.tk
        # One listing for both choices: asking for single families loads each of them.
        installed = {family.casefold() for family in tkfont.families(root)}
        text = self._first_of(_TEXT_FAMILIES, installed, fallback="TkDefaultFont")
        code = self._first_of(_CODE_FAMILIES, installed, fallback="TkFixedFont")
        self._step = _UNZOOMED
        known = set(tkfont.names(root))
        for name, points in _POINTS.items():
            verb = "configure" if name in known else "create"
            self._tk.call(
                *("font", verb, name, "-family", code if name == CODE else text),
                *("-size", _rounded(points), "-weight", "bold" if name in _BOLD else "normal"),
                *("-slant", "italic" if name in _ITALIC else "roman"),
            )
        verb = "configure" if HAIR in known else "create"
        self._tk.call("font", verb, HAIR, "-family", text, "-size", -1)

    @property
    def zoom(self) -> float:
        """1.0 is the size the program starts with."""
        return _ZOOM_STEPS[self._step]

    @property
    def steps(self) -> int:
        """How many steps of zoom that is."""
        return self._step - _UNZOOMED

    def zoom_by(self, steps: int) -> None:
        """Larger (positive) or smaller text; 0 goes back to the size at start."""
        wanted = self._step + steps if steps else _UNZOOMED
        self._step = min(max(wanted, 0), len(_ZOOM_STEPS) - 1)
        for name, points in _POINTS.items():
            self._tk.call("font", "configure", name, "-size", _rounded(points * self.zoom))

    def measure(self, name: str, text: str) -> int:
        """Pixels that `text` takes in the named font."""
        return int(self._tk.call("font", "measure", name, text))

    def ascent(self, name: str) -> int:
        """Pixels from the top of a line to its base line."""
        return int(self._tk.call("font", "metrics", name, "-ascent"))

    def line(self, name: str) -> int:
        """Pixels from one line to the next."""
        return int(self._tk.call("font", "metrics", name, "-linespace"))

    def average(self, name: str) -> float:
        """Pixels of an average character of prose."""
        sample = "The quick brown fox jumps over the lazy dog, and then it rests for a while. "
        return self.measure(name, sample) / len(sample)

    def _first_of(self, wanted: tuple[str, ...], installed: set[str], *, fallback: str) -> str:
        for family in wanted:
            if family.casefold() in installed:
                return family
        return str(self._tk.call("font", "actual", fallback, "-family"))


def _rounded(points: float) -> int:
    return max(round(points), 5)
