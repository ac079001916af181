"""Chat format: how messages become the model's prompt, which template does it, and its editor."""

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from tkinter import ttk

from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.panel.choicerow import ChoiceRow
from tkinfer.ui.panel.fieldrow import FieldRow, section
from tkinfer.ui.popover import Popover
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.theme import Theme

_DEFAULT = "Default"
_OWN = "Your own"
_THINKING: dict[bool | None, str] = {None: "Model's default", True: "On", False: "Off"}


class ThinkingRow(ChoiceRow):
    """Whether the model thinks before it answers; shown only for models that can be asked."""

    def __init__(self, parent: tk.Misc, theme: Theme, popover: Popover, tuning: Tuning) -> None:
        super().__init__(
            parent,
            theme,
            popover,
            "Thinking",
            "Whether the model thinks before it answers.",
            self._thinking,
            partial(tuning.set_thinking, None),
        )
        self._tuning = tuning

    def refresh(self) -> None:
        info, thinking = self._tuning.info, self._tuning.format.thinking
        self.show(_THINKING[thinking])
        self.show_changed(changed=thinking is not None)
        if info is None or not info.can_think:
            self.frame.pack_forget()
        elif not self.frame.winfo_manager():
            self.pack()

    def _thinking(self) -> Sequence[tuple[str, Callable[[], None]]]:
        return [
            (words, partial(self._tuning.set_thinking, value)) for value, words in _THINKING.items()
        ]


class FormatSection:
    """What the engine says of the format, the choice of a template, and the button to edit it."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        popover: Popover,
        tuning: Tuning,
        edit: Callable[[], None],
    ) -> None:
        self._tuning = tuning
        self._width = 0
        section(parent, theme, "Chat format")
        self._said = ttk.Label(parent, style="Small.TLabel")
        self._said.pack(fill="x", pady=(0, theme.px(4)))
        self.template = ChoiceRow(
            parent,
            theme,
            popover,
            "Template",
            "",
            self._templates,
            partial(tuning.choose_template, ""),
        )
        self.template.pack()
        self._buttons = ttk.Frame(parent)
        self._buttons.pack(fill="x")
        self.edit = ttk.Button(
            self._buttons, text="Edit template…", style="Quiet.TButton", command=edit
        )
        self.edit.pack(side="left")
        self.edit.bind("<Return>", lambda _: self.edit.invoke())
        self._drop = ttk.Button(
            self._buttons,
            text="Use the model's own",
            style="Quiet.TButton",
            command=tuning.drop_override,
        )
        self._drop.bind("<Return>", lambda _: self._drop.invoke())

    @property
    def rows(self) -> Sequence[FieldRow]:
        return [self.template]

    def refresh(self) -> None:
        tuning = self._tuning
        chosen = tuning.format
        self._show_words()
        self.template.show(_OWN if chosen.override else _label(chosen.template))
        self.template.show_changed(changed=bool(chosen.template or chosen.override))
        if chosen.override:
            self._drop.pack(side="left")
        else:
            self._drop.pack_forget()

    def fit(self, width: int) -> None:
        self._said.configure(wraplength=width)

    def _show_words(self) -> None:
        """What the engine uses; another format than the one asked for is worth a colour."""
        tuning = self._tuning
        words, fell_back = tuning.format_in_use
        if words:
            words = f"{words[0].upper()}{words[1:].removesuffix('.')}."
        elif tuning.format.override:
            words = "Your own template, from the next message on."
        elif tuning.format.template:
            words = f"The model's template “{tuning.format.template}”, from the next message on."
        else:
            words = "Known once the model is loaded."
        style = "Caution.TLabel" if fell_back else "Small.TLabel"
        self._said.configure(text=clean(words), style=style)

    def _templates(self) -> Sequence[tuple[str, Callable[[], None]]]:
        tuning = self._tuning
        names = ("", *(template.name for template in tuning.templates if template.name))
        own: list[tuple[str, Callable[[], None]]] = [(_OWN, lambda: None)]
        return [
            *((_label(name), partial(tuning.choose_template, name)) for name in names),
            *(own if tuning.format.override else ()),
        ]


def _label(name: str) -> str:
    return clean_line(name) or _DEFAULT
