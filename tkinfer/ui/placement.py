"""Puts the window back where it was, if that is still on a screen."""

import re
import tkinter as tk

_GEOMETRY = re.compile(r"(\d+)x(\d+)(?:([+-]-?\d+)([+-]-?\d+))?")
_LEAST_VISIBLE = 80


def place_window(root: tk.Tk, geometry: str) -> None:
    """Apply a remembered geometry: its size at most the screen's, its place only if visible.

    Anything else than Tk's own notation is ignored.
    """
    match = _GEOMETRY.fullmatch(geometry)
    if match is None:
        return
    width = min(int(match[1]), root.winfo_screenwidth())
    height = min(int(match[2]), root.winfo_screenheight())
    root.geometry(f"{width}x{height}")
    if match[3] is None or not (match[3].startswith("+") and match[4].startswith("+")):
        return
    x, y = int(match[3][1:]), int(match[4][1:])
    left, top = root.winfo_vrootx(), root.winfo_vrooty()
    right = left + max(root.winfo_vrootwidth(), root.winfo_screenwidth())
    bottom = top + max(root.winfo_vrootheight(), root.winfo_screenheight())
    seen_across = min(x + width, right) - max(x, left)
    if seen_across >= _LEAST_VISIBLE and top <= y < bottom - _LEAST_VISIBLE:
        root.geometry(f"+{x}+{y}")
