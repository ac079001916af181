"""Pixel sizes that follow the screen's density. Fonts are in points and follow by themselves."""

import tkinter as tk
from dataclasses import dataclass

_POINTS_PER_INCH = 72
_REFERENCE_DPI = 96
_STEPS_PER_UNIT = 4
_LARGEST = 4.0  # some X servers report absurd densities


@dataclass(frozen=True, slots=True)
class Scale:
    """Multiplies design pixels (96 dpi) to screen pixels."""

    factor: float

    @classmethod
    def of(cls, root: tk.Misc) -> "Scale":
        """The factor in quarters, so that hairlines and corners stay crisp; never below 1."""
        dpi = float(root.tk.call("tk", "scaling")) * _POINTS_PER_INCH
        steps = round(dpi / _REFERENCE_DPI * _STEPS_PER_UNIT)
        return cls(min(max(steps / _STEPS_PER_UNIT, 1.0), _LARGEST))

    def px(self, design: float) -> int:
        """Screen pixels for a length in design pixels; something that is there stays visible."""
        return max(round(design * self.factor), 1 if design > 0 else 0)
