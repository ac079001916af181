"""X11's PRIMARY selection, with the same characters as Copy."""

import tkinter as tk
from collections.abc import Callable

from tkinfer.ui import tcl


def offer_as_primary(text: tk.Text, selected: Callable[[], str]) -> None:
    """Own PRIMARY while something is selected in a Text made with `exportselection=False`.

    Tk's own export would hand out soft breaks and headings too. Elsewhere than on X11 nobody asks.
    """
    if text.tk.call("tk", "windowingsystem") != "x11":
        return
    asked: list[str] = [""]

    def hand_out(offset: str, length: str) -> str:
        """Give the next part to the asking program; the first request takes the selection down."""
        start = int(offset)
        if start == 0:
            asked[0] = selected()
        return asked[0][start : start + int(length)]

    def own(_event: "tk.Event[tk.Text]") -> None:
        if text.tag_ranges("sel"):
            tcl.own_primary(text)

    tcl.hand_out_primary(text, hand_out)
    text.bind("<<Selection>>", own, add=True)
