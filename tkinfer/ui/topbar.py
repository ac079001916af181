"""The bar on top: the chat's title, New chat, the model button, and the menu of the rest."""

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_end
from tkinfer.ui.modelmenu import ModelActions, ModelButton
from tkinfer.ui.palette import Palette
from tkinfer.ui.popover import Popover, Row
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

_NARROW = 760
_MODEL_SHARE = 0.42
_MODEL_MOST = 380


@dataclass(frozen=True, slots=True, kw_only=True)
class TopBarActions:
    """What the bar reports; `menu` makes the rows of the ⋯ menu, and `near_settings` says that the
    pointer has come to the button of the settings.
    """

    new_chat: Callable[[], None]
    settings: Callable[[], None]
    near_settings: Callable[[], None]
    menu: Callable[[], Sequence[Row]]
    model: ModelActions


class TopBar:
    """One row. The title takes what the buttons leave, and is elided."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, popover: Popover, actions: TopBarActions
    ) -> None:
        px = theme.px
        self._theme = theme
        self._title = "New chat"
        self._narrow = False
        self.frame = ttk.Frame(parent, padding=(px(24), px(10), px(14), px(10)))
        self._label = ttk.Label(self.frame, style="Title.TLabel", width=1)
        self._new = ttk.Button(
            self.frame,
            text=" New chat",
            style="Ghost.TButton",
            compound="left",
            command=actions.new_chat,
        )
        self.model = ModelButton(self.frame, theme, popover, actions.model)
        self.settings = ttk.Button(self.frame, style="Ghost.TButton", command=actions.settings)
        self.settings.bind("<Enter>", lambda _: actions.near_settings(), add=True)
        self._more = ttk.Button(
            self.frame,
            style="Ghost.TButton",
            command=lambda: popover.open_under(self._more, actions.menu()),
        )
        self.frame.columnconfigure(0, weight=1)
        self._label.grid(row=0, column=0, sticky="ew", padx=(0, px(8)))
        self._new.grid(row=0, column=1, padx=(0, px(6)))
        self.model.frame.grid(row=0, column=2, padx=(0, px(4)))
        self.settings.grid(row=0, column=3)
        self._more.grid(row=0, column=4)
        self.frame.bind("<Configure>", self._resized)
        self._label.bind("<Configure>", lambda _: self._fit_title())
        theme.on_paint(self._paint)
        theme.on_zoom(self._fit_title)

    def show_title(self, title: str) -> None:
        self._title = clean_line(title) or "New chat"
        self._fit_title()

    def _fit_title(self) -> None:
        def measure(text: str) -> int:
            return self._theme.fonts.measure(fonts.TITLE, text)

        width = self._label.winfo_width() - self._theme.px(4)
        self._label.configure(text=elide_end(self._title, width, measure))

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        px = self._theme.px
        narrow = event.width < px(_NARROW)
        if narrow != self._narrow:
            self._narrow = narrow
            self._new.configure(text="" if narrow else " New chat")
        self.model.limit(min(round(event.width * _MODEL_SHARE), px(_MODEL_MOST)))

    def _paint(self, palette: Palette) -> None:
        self._new.configure(image=self._theme.icon("plus", palette.text["normal"]))
        self.settings.configure(image=self._theme.icon("sliders", palette.text["normal"]))
        self._more.configure(image=self._theme.icon("more", palette.text["normal"]))
