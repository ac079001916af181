"""Words in a Text that can be clicked: a hand over them, and what a click does."""

import tkinter as tk
from collections.abc import Callable
from typing import Final

CLICKABLE_CURSOR: Final = "hand2"

ClickHandler = Callable[["tk.Event[tk.Text]"], None]


def make_clickable(text: tk.Text, tag: str, clicked: ClickHandler) -> None:
    """Call `clicked` for a click on a stretch with this tag that selects nothing."""
    cursor = str(text.cget("cursor"))

    def released(event: "tk.Event[tk.Text]") -> None:
        if not text.tag_ranges("sel"):  # else the click ends the drawing of a selection
            clicked(event)

    text.tag_bind(tag, "<Enter>", lambda _: text.configure(cursor=CLICKABLE_CURSOR))
    text.tag_bind(tag, "<Leave>", lambda _: text.configure(cursor=cursor))
    text.tag_bind(tag, "<ButtonRelease-1>", released)


def place_of(event: "tk.Event[tk.Text]") -> str:
    """Where in the Text the pointer is."""
    return f"@{event.x},{event.y}"
