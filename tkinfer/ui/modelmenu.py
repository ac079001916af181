"""The model button: which model answers, how far its loading is, and the menu to choose another."""

import tkinter as tk
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_middle
from tkinfer.ui.palette import Palette
from tkinfer.ui.popover import SEPARATOR, Heading, Item, Popover, Row
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import ModelBadge, RecentModel

_MOST_RECENT = 8
_MENU_NAME_WIDTH = 400
_BAR_HEIGHT = 3
_BAR_INSET = 9
_CHROME = 52
"""Pixels of the button that aren't its text: paddings and chevron."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelActions:
    """What the button and its menu report."""

    open_file: Callable[[], None]
    load: Callable[[str], None]
    load_starter: Callable[[], None]
    options: Callable[[], None]
    unload: Callable[[], None]
    cancel: Callable[[], None]


class ModelButton:
    """Button, progress inside it, and Cancel beside it while a model loads."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, popover: Popover, actions: ModelActions
    ) -> None:
        self._theme = theme
        self._popover = popover
        self._actions = actions
        self._badge = ModelBadge(label="")
        self._width = theme.px(320)
        self.frame = ttk.Frame(parent)
        self._button = ttk.Button(
            self.frame, style="Outline.TButton", compound="right", command=self.open_menu
        )
        self._cancel = ttk.Button(
            self.frame, text="Cancel", style="Ghost.TButton", command=actions.cancel
        )
        self._bar = ttk.Frame(self._button, style="Progress.TFrame")
        self._button.pack(side="right")
        self._button.bind("<Down>", lambda _: self.open_menu())
        theme.on_paint(self._paint)
        theme.on_zoom(self._fit)

    def show(self, badge: ModelBadge) -> None:
        if badge == self._badge:
            return
        self._badge = badge
        self._fit()
        self._show_progress(badge.loading)

    def limit(self, width: int) -> None:
        """Take at most so many pixels."""
        if width != self._width:
            self._width = width
            self._fit()

    def open_menu(self) -> None:
        self._popover.open_under(self._button, self._rows())

    def _fit(self) -> None:
        badge = self._badge
        label = clean_line(badge.label)
        room = self._width - self._theme.px(_CHROME)
        if badge.loading is not None:
            percent = f"  {round(badge.loading * 100)} %"
            text = self._elided(f"Loading {label}", room - self._measure(percent)) + percent
        else:
            text = self._elided(label or "Choose a model", room)
        self._button.configure(text=f"{text}  ")

    def _show_progress(self, loading: float | None) -> None:
        if loading is None:
            self._bar.place_forget()
            self._cancel.pack_forget()
            return
        px = self._theme.px
        share = min(max(loading, 0.0), 1.0)
        self._bar.place(
            x=px(_BAR_INSET),
            rely=1.0,
            y=-px(_BAR_HEIGHT + 1),
            anchor="sw",
            relwidth=share,
            width=-round(2 * px(_BAR_INSET) * share),
            height=px(_BAR_HEIGHT),
        )
        self._cancel.pack(side="right", padx=(0, px(4)))

    def _rows(self) -> list[Row]:
        rows: list[Row] = [
            Item(label="Open GGUF…", action=self._actions.open_file, shortcut="Ctrl+O")
        ]
        if self._badge.starter_installed:
            rows.append(Item(label="Starter model", action=self._actions.load_starter))
        rows.append(Item(label="Loading options…", action=self._actions.options))
        if self._badge.loaded:
            rows.append(Item(label="Unload", action=self._actions.unload))
        if recent := self._badge.recent[:_MOST_RECENT]:
            rows += [SEPARATOR, Heading(label="Recent")]
            rows += [
                Item(label=label, action=lambda path=model.path: self._actions.load(path))
                for model, label in zip(recent, self._recent_labels(recent), strict=True)
            ]
        return rows

    def _recent_labels(self, recent: Sequence[RecentModel]) -> list[str]:
        """Names, with the folder where two are the same; long ones lose their middle."""
        width = self._theme.px(_MENU_NAME_WIDTH)
        names = [clean_line(model.label) for model in recent]
        seen = Counter(names)
        labels: list[str] = []
        for model, name in zip(recent, names, strict=True):
            if seen[name] > 1:
                folder = clean_line(PurePath(model.path).parent.name)
                name = self._elided(name, width * 2 // 3) + f"  ·  {folder}"  # noqa: PLW2901
            labels.append(self._elided(name, width))
        return labels

    def _elided(self, text: str, width: int) -> str:
        return elide_middle(text, width, self._measure)

    def _measure(self, text: str) -> int:
        return self._theme.fonts.measure(fonts.UI, text)

    def _paint(self, palette: Palette) -> None:
        self._button.configure(image=self._theme.icon("chevron", palette.text["dim"]))
        self._fit()
