"""Rows made from the tables of fields, and kept in step with what they are of."""

import tkinter as tk
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from tkinfer.tuning.escapes import from_lines, to_lines
from tkinfer.tuning.fields import NumberField
from tkinfer.tuning.sampling_checks import check_texts
from tkinfer.tuning.sampling_fields import SwitchField, TextsField
from tkinfer.ui.panel.fieldrow import FieldRow, SwitchRow
from tkinfer.ui.panel.numberrow import NumberRow
from tkinfer.ui.panel.textrow import TextRow
from tkinfer.ui.theme import Theme

Field = NumberField | SwitchField | TextsField


class Source(Protocol):
    """What the rows show and change: values by the names of their fields."""

    def value(self, name: str) -> Any: ...

    def change(self, **values: Any) -> None: ...

    def reset(self, *names: str) -> None: ...

    def is_changed(self, name: str) -> bool: ...


class FieldRows:
    """Makes rows for the fields of a source."""

    def __init__(self, theme: Theme, source: Source) -> None:
        self._theme = theme
        self._source = source
        self.rows: dict[str, FieldRow] = {}
        self._shows: dict[str, Callable[[], None]] = {}

    def add(self, parent: tk.Misc, field: Field) -> FieldRow:
        """A row for this field, below those that are there."""
        match field:
            case NumberField():
                row, show = self._number(parent, field)
            case SwitchField():
                row, show = self._switch(parent, field)
            case TextsField():
                row, show = self._texts(parent, field)
        self.keep(field.name, row, show)
        return row

    def keep(self, name: str, row: FieldRow, show: Callable[[], None]) -> None:
        """Have a row below those that are there, and shown with them."""
        self.rows[name] = row
        self._shows[name] = show
        row.pack()
        self._refresh(name)

    def refresh(self) -> None:
        """Show the values in use."""
        for name in self.rows:
            self._refresh(name)

    def _refresh(self, name: str) -> None:
        self._shows[name]()
        self.rows[name].show_changed(changed=self._source.is_changed(name))

    def _number(self, parent: tk.Misc, field: NumberField) -> tuple[FieldRow, Callable[[], None]]:
        source, name = self._source, field.name
        reset = partial(source.reset, name)
        row = NumberRow(parent, self._theme, field, lambda new: source.change(**{name: new}), reset)
        return row, lambda: row.show(source.value(name))

    def _switch(self, parent: tk.Misc, field: SwitchField) -> tuple[FieldRow, Callable[[], None]]:
        source, name = self._source, field.name

        def apply(on: bool) -> None:  # noqa: FBT001 - the switch's one answer
            source.change(**{name: on})

        row = SwitchRow(
            parent, self._theme, field.label, field.help, apply, partial(source.reset, name)
        )
        return row, lambda: row.show(on=source.value(name))

    def _texts(self, parent: tk.Misc, field: TextsField) -> tuple[FieldRow, Callable[[], None]]:
        source, name = self._source, field.name

        def apply(text: str) -> None:
            source.change(**{name: check_texts(from_lines(text))})

        reset = partial(source.reset, name)
        row = TextRow(parent, self._theme, field.label, field.help, apply, reset)
        return row, lambda: row.show(to_lines(source.value(name)))
