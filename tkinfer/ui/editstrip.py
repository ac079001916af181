"""The strip above the input box while a question that was sent is being changed."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui.theme import Theme

_WORDS = "Editing your last message"


class EditStrip:
    """Says what the box holds now, and offers the way back. Knows the draft that waits meanwhile.

    The draft comes back as it was, when the changed question is sent and when it is not.
    """

    def __init__(self, parent: tk.Misc, theme: Theme, cancel: Callable[[], None]) -> None:
        px = theme.px
        self.frame = ttk.Frame(parent, style="RaisedFlat.TFrame")
        label = ttk.Label(self.frame, text=_WORDS, style="Raised.SmallBold.TLabel")
        label.pack(side="left")
        button = ttk.Button(self.frame, text="Cancel", style="RaisedGhost.TButton", command=cancel)
        button.pack(side="right", padx=(0, px(2)))
        self.waiting: str | None = None
        """The draft; None while no question is being changed."""

    def open(self, draft: str) -> None:
        """Show the strip over the box, and keep the draft."""
        self.waiting = draft
        self.frame.grid(row=0, column=0, columnspan=3, sticky="ew", pady=(0, 4))

    def close(self) -> str:
        """Take the strip away; return the draft."""
        draft, self.waiting = self.waiting, None
        self.frame.grid_forget()
        return draft or ""
