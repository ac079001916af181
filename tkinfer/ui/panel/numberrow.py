"""A number to type, with a slider where one is natural."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk
from typing import Literal

from tkinfer.tuning.fields import FieldError, NumberField, on_slider, plain
from tkinfer.ui import fonts
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

_ENTRY_CHARACTERS = 9
_MARK_MS = 500
"""So long after the last key, what was typed is looked at as finished."""
_STEPS = 100


class NumberRow(FieldRow):
    """What is typed is applied at once where it can be, and marked with the reason where not.

    A text that can't be used stays where it is until it is changed, whatever `show` says.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        field: NumberField,
        apply: Callable[[float | None], None],
        reset: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(parent, theme, field.label, field.help, reset)
        self.field = field
        self._apply = apply
        self._value: float | None = None
        self.entry = make_entry(self.frame, _ENTRY_CHARACTERS, self._typed, align="right")
        self.entry.grid(row=0, column=2, sticky="e")
        self.entry.bind("<FocusOut>", lambda _: self._finished(), add=True)
        self.entry.bind("<Return>", lambda _: self._finished())
        self._placeholder = ttk.Label(
            self.frame, text=field.empty, style="Raised.Small.TLabel", cursor="xterm"
        )
        self._placeholder.bind("<Button-1>", lambda _: self.entry.focus_set())
        self.slider: ttk.Scale | None = None
        if field.slider is not None:
            self.slider = self._make_slider(*field.slider)
            self.entry.bind("<Up>", lambda _: self._step(1))
            self.entry.bind("<Down>", lambda _: self._step(-1))

    def show(self, value: float | None) -> None:
        """The value that is in use."""
        self._value = value
        if self.error:
            self._mark_if_wrong()  # the words name the value in use
            return
        if self.slider is not None and value is not None:
            self.slider.configure(value=value)
        if self._read() != (True, value):
            self._put(self.field.shown(value))
        else:
            self._show_placeholder()

    def beside(self) -> int:
        return self.entry.winfo_reqwidth()

    def mark(self, *, invalid: bool) -> None:
        self.entry.state(["invalid" if invalid else "!invalid"])

    def discard(self) -> None:
        super().discard()
        self._put("")

    def _put(self, text: str) -> None:
        self.entry.delete(0, "end")
        self.entry.insert(0, text)
        self.timers.cancel("look", "mark")
        self._show_placeholder()

    def _read(self) -> tuple[bool, float | None]:
        """Whether what is typed can be used, and its value."""
        try:
            return True, self.field.read(clean_line(self.entry.get()))
        except FieldError:
            return False, None

    def _typed(self) -> None:
        self.timers.soon("look", self._look)

    def _show_placeholder(self) -> None:
        """What an empty entry means, inside of it."""
        if self.field.empty and not self.entry.get():
            right = -self.theme.px(9)
            self._placeholder.place(in_=self.entry, relx=1.0, rely=0.5, x=right, anchor="e")
        else:
            self._placeholder.place_forget()

    def _look(self) -> None:
        self._show_placeholder()
        usable, value = self._read()
        if not usable:
            self.timers.start("mark", _MARK_MS, self._mark_if_wrong)
            return
        self.timers.cancel("mark")
        self.show_error("")
        if value != self._value:
            self._value = value
            self._apply(value)

    def _mark_if_wrong(self) -> None:
        try:
            self.field.read(clean_line(self.entry.get()))
        except FieldError as error:
            in_use = self.field.empty if self._value is None else plain(self._value)
            self.show_error(f"{error} Still in use: {in_use}.")
        else:
            self.show_error("")

    def _finished(self) -> None:
        if self.timers.running("look"):
            self.timers.cancel("look")
            self._look()
        if self.timers.running("mark"):
            self.timers.cancel("mark")
            self._mark_if_wrong()

    # ---- slider

    def _make_slider(self, low: float, high: float) -> ttk.Scale:
        slider = ttk.Scale(
            self.frame, style="Slim.Horizontal.TScale", from_=low, to=high, takefocus=False
        )
        slider.grid(row=1, column=0, columnspan=3, sticky="ew", pady=(self.theme.px(5), 0))
        slider.bind("<Button-1>", self._slid)
        slider.bind("<B1-Motion>", self._slid)
        slider.bind("<ButtonRelease-1>", lambda _: slider.state(["!pressed"]))
        return slider

    def _slid(self, event: "tk.Event[ttk.Scale]") -> Literal["break"]:
        """Tk's own slider goes by steps of 1 where the trough is clicked."""
        assert self.slider is not None
        self.slider.state(["pressed"])
        self._set(on_slider(float(self.slider.get(event.x, event.y)), self.field))
        return "break"

    def _step(self, direction: int) -> Literal["break"]:
        assert self.field.slider is not None
        low, high = self.field.slider
        step = max((high - low) / _STEPS, 1.0 if self.field.whole else 0.0)
        now = self._value if self._value is not None else low
        wanted = min(max(now + direction * step, self.field.low), self.field.high)
        self._set(round(wanted) if self.field.whole else round(wanted, 6))
        return "break"

    def _set(self, value: float) -> None:
        self.show_error("")
        if value != self._value:
            self._value = value
            self._apply(value)
        self.show(value)


def make_entry(
    parent: tk.Misc,
    characters: int,
    typed: Callable[[], None],
    *,
    align: Literal["left", "right"] = "left",
) -> ttk.Entry:
    """An entry of a panel; `typed` is called after every change of its text, whoever makes it."""
    entry = ttk.Entry(parent, style="Field.TEntry", width=characters, font=fonts.UI, justify=align)

    def changed() -> bool:
        typed()
        return True

    entry.configure(validate="key", validatecommand=(entry.register(changed),))

    def select_all(_event: "tk.Event[ttk.Entry]") -> Literal["break"]:
        entry.selection_range(0, "end")
        entry.icursor("end")
        return "break"

    for keys in ("<Control-a>", "<Control-A>", "<<SelectAll>>"):
        entry.bind(keys, select_all)
    return entry
