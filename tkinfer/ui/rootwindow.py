"""The root window itself: its title, size, icon and closing."""

import re
import tkinter as tk
from collections.abc import Callable

from tkinfer.paths import asset

PROGRAM = "tkinfer"
_SIZE = (1000, 740)
_LEAST_SIZE = (480, 400)


def set_up_root(
    root: tk.Tk, px: Callable[[int], int], *, size: str, close: Callable[[], None]
) -> None:
    """Prepare a bare root. `size` is as in `1000x740`, or empty; `close` runs when it is closed.

    Where it goes is the window manager's business.
    """
    root.title(PROGRAM)
    remembered = re.fullmatch(r"(\d{3,5})x(\d{3,5})", size)
    across, down = map(int, remembered.groups()) if remembered else map(px, _SIZE)
    width = min(across, root.winfo_screenwidth())
    root.geometry(f"{width}x{min(down, root.winfo_screenheight())}")
    root.minsize(*map(px, _LEAST_SIZE))
    root.protocol("WM_DELETE_WINDOW", close)
    icons = [asset(f"icons/tkinfer-{edge}.png") for edge in (128, 48)]
    if all(icon.exists() for icon in icons):
        names = [f"tkinfer.program.{icon.stem}" for icon in icons]
        for name, icon in zip(names, icons, strict=True):
            root.tk.call("image", "create", "photo", name, "-file", str(icon))
        root.tk.call("wm", "iconphoto", str(root), "-default", *names)
