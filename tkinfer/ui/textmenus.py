"""The menu that a right click opens on the input box."""

import tkinter as tk
from collections.abc import Callable

from tkinfer.ui.popover import SEPARATOR, Item, Row


def composer_rows(text: tk.Text) -> list[Row]:
    """What can be done with the draft, through the events that its keys cause too."""
    selected = bool(text.tag_ranges("sel"))

    def cause(event: str) -> Callable[[], None]:
        return lambda: text.event_generate(event)

    return [
        Item(label="Cut", action=cause("<<Cut>>"), shortcut="Ctrl+X", enabled=selected),
        Item(label="Copy", action=cause("<<Copy>>"), shortcut="Ctrl+C", enabled=selected),
        Item(label="Paste", action=cause("<<Paste>>"), shortcut="Ctrl+V"),
        SEPARATOR,
        Item(label="Select all", action=cause("<<SelectAll>>"), shortcut="Ctrl+A"),
    ]
