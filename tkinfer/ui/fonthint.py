"""A hint for those whose Tk draws with bitmap fonts, as some builds for Linux do."""

import tkinter as tk

from tkinfer.ui.view import Notice, Tone


def font_hint(root: tk.Misc) -> Notice | None:
    """What to say about this Tk's fonts; None: they are fine, or not X11's business."""
    if root.tk.call("tk", "windowingsystem") != "x11":
        return None
    try:
        system = str(root.tk.call("tk::pkgconfig", "get", "fontsystem"))
    except tk.TclError:
        return None  # it does not tell
    if system == "xft":
        return None
    return Notice(
        what="This Python's Tk was built without Xft: letters are coarse, and emoji are missing.",
        next_step="Use a Python whose Tk has it, such as the system's own with python3-tk.",
        tone=Tone.PLAIN,
    )
