"""After how long without use the model gives its memory back."""

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial

from tkinfer.tuning import load_fields
from tkinfer.tuning.fields import plain
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.panel.choicerow import ChoiceRow
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.panel.numberrow import NumberRow
from tkinfer.ui.popover import Popover
from tkinfer.ui.theme import Theme

_NEVER = "Never"
_OWN = "Own time…"
_OWN_AT_FIRST = 30.0


class IdleRows:
    """A choice of common times, and a number for any other."""

    def __init__(self, parent: tk.Misc, theme: Theme, popover: Popover, tuning: Tuning) -> None:
        self._tuning = tuning
        self._own = False
        self.choice = ChoiceRow(
            parent,
            theme,
            popover,
            "Unload when idle",
            "For all models. The next message loads it again by itself.",
            self._choices,
            partial(self._set, 0),
        )
        self.choice.pack()
        self.minutes = NumberRow(self.choice.frame, theme, load_fields.IDLE, self._typed)
        self.minutes.frame.grid(row=2, column=0, columnspan=3, sticky="ew", pady=(theme.px(6), 0))
        self.refresh()

    @property
    def rows(self) -> Sequence[FieldRow]:
        return (self.choice, self.minutes)

    def refresh(self) -> None:
        minutes = self._tuning.idle_minutes
        self._own = bool(minutes) and (self._own or minutes not in load_fields.IDLE_MINUTES)
        self.choice.show(_OWN if self._own else _words(minutes))
        self.choice.show_changed(changed=bool(minutes))
        if self._own:
            self.minutes.show(minutes)
            self.minutes.frame.grid()
        else:
            self.minutes.show_error("")
            self.minutes.frame.grid_remove()

    def _choices(self) -> Sequence[tuple[str, Callable[[], None]]]:
        times = (0, *load_fields.IDLE_MINUTES)
        return [
            *((_words(minutes), partial(self._set, minutes)) for minutes in times),
            (_OWN, self._choose_own),
        ]

    def _set(self, minutes: float) -> None:
        self._own = False
        self._tuning.set_idle_minutes(minutes)

    def _typed(self, minutes: float | None) -> None:
        if minutes is not None:
            self._tuning.set_idle_minutes(minutes)

    def _choose_own(self) -> None:
        self._own = True
        self._tuning.set_idle_minutes(self._tuning.idle_minutes or _OWN_AT_FIRST)
        self.minutes.entry.focus_set()


def _words(minutes: float) -> str:
    if not minutes:
        return _NEVER
    return f"After {plain(minutes)} minutes" if minutes != 1 else "After 1 minute"
