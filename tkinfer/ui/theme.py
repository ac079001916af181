"""The theme: palette, fonts, images and pixel scale in one hand, and the switch of palettes."""

import sys
import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui import palette as palettes
from tkinfer.ui import ttkstyles
from tkinfer.ui.fonts import Fonts
from tkinfer.ui.images import Images
from tkinfer.ui.palette import Palette
from tkinfer.ui.scale import Scale

Painter = Callable[[Palette], None]
"""Colours the classic Tk widgets of one part; ttk widgets follow the ttk theme."""


class Theme:
    """What every part of the window is drawn with. Parts register a painter; a switch calls all."""

    def __init__(self, root: tk.Tk, *, palette: str) -> None:
        self.root = root
        self.scale = Scale.of(root)
        self.fonts = Fonts(root)
        self.images = Images(root, self.scale)
        self._style = ttk.Style(root)
        self._painters: list[Painter] = []
        self._zoomers: list[Callable[[], None]] = []
        self.palette = palettes.load(palette)
        self._use()

    def px(self, design: float) -> int:
        """Screen pixels for design pixels."""
        return self.scale.px(design)

    def icon(self, name: str, colour: str, size: int = 16) -> str:
        """An icon's image name."""
        return self.images.icon(name, colour, size)

    def on_paint(self, painter: Painter) -> None:
        """Call `painter` now and after every switch."""
        self._painters.append(painter)
        painter(self.palette)

    def on_zoom(self, zoomer: Callable[[], None]) -> None:
        """Call `zoomer` after every change of the font sizes."""
        self._zoomers.append(zoomer)

    def switch(self, palette: str) -> None:
        """Repaint the whole window, if this is another palette."""
        wanted = palettes.load(palette)
        if wanted == self.palette:
            return
        self.palette = wanted
        self._use()
        for painter in self._painters:
            painter(wanted)

    def zoom(self, steps: int) -> None:
        """Larger or smaller text everywhere; 0 resets."""
        self.fonts.zoom_by(steps)
        for zoomer in self._zoomers:
            zoomer()

    def close(self) -> None:
        """Let go of the parts."""
        self._painters.clear()
        self._zoomers.clear()

    def _use(self) -> None:
        ttkstyles.use(self._style, self.palette, self.images, self.scale)
        self.root.configure(background=self.palette.ground["window"])
        if sys.platform == "win32":
            darken_title_bar(self.root, dark=self.palette.dark)


def darken_title_bar(root: tk.Tk, *, dark: bool) -> None:
    """Windows draws the title bar: ask for a dark one. Older builds know another number."""
    import ctypes

    windll = getattr(ctypes, "windll", None)
    if windll is None:
        return
    value = ctypes.c_int(int(dark))
    try:
        window = windll.user32.GetParent(root.winfo_id())
        for attribute in (20, 19):
            failed = windll.dwmapi.DwmSetWindowAttribute(
                window, attribute, ctypes.byref(value), ctypes.sizeof(value)
            )
            if not failed:
                return
    except (OSError, AttributeError):
        return
