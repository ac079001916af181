"""The preset: chosen from a menu, saved under a name, deleted."""

import tkinter as tk
from tkinter import ttk
from typing import Literal

from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.presets import BUILT_IN
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.panel.choicerow import ChoiceButton
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.panel.numberrow import make_entry
from tkinfer.ui.popover import SEPARATOR, Item, Popover, Row
from tkinfer.ui.sanitise import clean
from tkinfer.ui.theme import Theme


class PresetRow(FieldRow):
    """The button takes the whole width, for long names; saving opens a line below it."""

    def __init__(self, parent: tk.Misc, theme: Theme, popover: Popover, tuning: Tuning) -> None:
        super().__init__(parent, theme, "Preset", "")
        px = theme.px
        self._tuning = tuning
        self.choice = ChoiceButton(self.frame, theme, popover, self._rows, fill=True)
        self.choice.button.grid(row=1, column=0, columnspan=3, sticky="ew", pady=(px(4), 0))
        self._line = ttk.Frame(self.frame)
        self._line.columnconfigure(0, weight=1)
        self.entry = make_entry(self._line, 10, self._typed)
        self.entry.grid(row=0, column=0, sticky="ew")
        self.save = ttk.Button(self._line, text="Save", style="Quiet.TButton", command=self._save)
        self.save.grid(row=0, column=1, padx=(px(6), 0))
        cancel = ttk.Button(
            self._line, text="Cancel", style="Quiet.TButton", command=self.close_line
        )
        cancel.grid(row=0, column=2)
        for button in (self.save, cancel):
            button.bind("<Return>", lambda event: event.widget.invoke())
        self.entry.bind("<Return>", lambda _: self._save())
        self._line.bind_class(f"line{self._line}", "<Escape>", self._escape)
        for widget in (self.entry, self.save, cancel):
            widget.bindtags((f"line{self._line}", *widget.bindtags()))

    def refresh(self) -> None:
        """Show the preset that is in use."""
        tuning = self._tuning
        self.choice.show(tuning.preset + " (changed)" * tuning.preset_is_changed)

    def fit(self, width: int) -> None:
        super().fit(width)
        self.choice.limit(width)

    def ask_name(self) -> None:
        """Open the line to save under a name."""
        self._line.grid(row=2, column=0, columnspan=3, sticky="ew", pady=(self.theme.px(6), 0))
        self.entry.delete(0, "end")
        name = self._tuning.preset
        if self._tuning.presets.is_own(name):
            self.entry.insert(0, clean(name))
            self.entry.selection_range(0, "end")
        self.entry.focus_set()

    def close_line(self) -> bool:
        """Take the line away. False: there is none."""
        if not self._line.winfo_manager():
            return False
        self._line.grid_remove()
        self.show_error("")
        self.choice.button.focus_set()
        return True

    def mark(self, *, invalid: bool) -> None:
        self.entry.state(["invalid" if invalid else "!invalid"])

    def _escape(self, _event: "tk.Event[tk.Misc]") -> Literal["break"]:
        self.close_line()
        return "break"

    def _typed(self) -> None:
        self.show_error("")

    def _save(self) -> None:
        try:
            self._tuning.save_preset(self.entry.get())
        except FieldError as error:
            self.show_error(str(error))
        else:
            self.close_line()

    def _rows(self) -> list[Row]:
        tuning = self._tuning
        now = "" if tuning.preset_is_changed else tuning.preset

        def item(name: str) -> Item:
            return Item(
                label=clean(name),
                action=lambda: tuning.choose_preset(name),
                checked=name == now,
            )

        rows: list[Row] = [item(name) for name in BUILT_IN]
        rows.append(SEPARATOR)
        rows += [item(name) for name in tuning.presets.own]
        if tuning.presets.own:
            rows.append(SEPARATOR)
        rows.append(Item(label="Save as…", action=self.ask_name))
        if tuning.presets.is_own(tuning.preset):
            name = tuning.preset
            rows.append(
                Item(
                    label=f"Delete “{clean(name)}”",
                    action=lambda: tuning.delete_preset(name),
                )
            )
        return rows
