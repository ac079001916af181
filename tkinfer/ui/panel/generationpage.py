"""The first page of the settings panel: how answers are made."""

import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import ttk

from tkinfer.tables import MAX_TEXT
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.sampling_fields import MAX_TOKENS, SEED, TEMPERATURE, changed
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_end
from tkinfer.ui.palette import Palette
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.panel.fieldrows import FieldRows
from tkinfer.ui.panel.formatsection import FormatSection, ThinkingRow
from tkinfer.ui.panel.presetrow import PresetRow
from tkinfer.ui.panel.samplerspage import SamplersPage
from tkinfer.ui.panel.scrollpane import ScrollPane
from tkinfer.ui.panel.textrow import TextRow
from tkinfer.ui.popover import Popover
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

Step = Callable[[], None]

_FIRST = frozenset(field.name for field in (TEMPERATURE, MAX_TOKENS, SEED))


class GenerationPage:
    """Built in steps, the fold of all samplers only once it is opened. `later` takes more steps."""

    def __init__(
        self,
        pane: ScrollPane,
        theme: Theme,
        popover: Popover,
        tuning: Tuning,
        edit_template: Callable[[], None],
        later: Callable[[Sequence[Step]], None],
    ) -> None:
        self._pane = pane
        self._theme = theme
        self._popover = popover
        self._tuning = tuning
        self._edit_template = edit_template
        self._later = later
        self.frame = pane.inside
        self.fields = FieldRows(theme, tuning)
        self.preset: PresetRow | None = None
        self.system: TextRow | None = None
        self.thinking: ThinkingRow | None = None
        self.format: FormatSection | None = None
        self.fold: ttk.Button | None = None
        self.samplers: SamplersPage | None = None
        self._fold_frame = ttk.Frame(self.frame)
        pane.hold(self._fold_frame)
        self._folded = True
        theme.on_paint(self._paint)

    def steps(self) -> Sequence[Step]:
        """What builds the page, in order."""
        return [self._first, self._prompt, self._format, self._samplers]

    def footer(self, parent: ttk.Frame) -> None:
        """The line below the page: reset everything, or take that back."""
        self.undo = _quiet(parent, "Undo", self._tuning.undo)
        self.reset = _quiet(parent, "Reset all", self._reset)
        self._undo_words = ttk.Label(parent, style="Small.TLabel", width=1)
        parent.columnconfigure(0, weight=1)
        self._undo_words.grid(row=0, column=0, sticky="ew")
        self.undo.grid(row=0, column=1)
        self.reset.grid(row=0, column=2)
        self._undo_words.bind("<Configure>", lambda _: self._fit_words())

    def refresh(self) -> None:
        """Show what is in use."""
        self.fields.refresh()
        for part in (self.preset, self.thinking, self.format, self.samplers):
            if part is not None:
                part.refresh()
        if self.system is not None:
            self.system.show(self._tuning.system_prompt)
            self.system.show_changed(changed=bool(self._tuning.system_prompt))
        self._show_fold()
        self._show_undo()

    def fit(self, width: int) -> None:
        """Rows are so many pixels wide."""
        for row in self._rows():
            row.fit(width)
        if self.format is not None:
            self.format.fit(width)

    def escape(self) -> bool:
        """Close what is open inside of the page. False: nothing is."""
        return self.preset is not None and self.preset.close_line()

    def flush(self) -> None:
        """Apply what was typed just before."""
        for row in self._rows():
            row.flush()

    def open_fold(self) -> None:
        """Show all samplers, or hide them."""
        self._folded = not self._folded
        if self._folded:
            self._fold_frame.pack_forget()
        else:
            self._fold_frame.pack(fill="x")
        if self.samplers is None:
            self.samplers = SamplersPage(
                self._fold_frame, self._theme, self._popover, self._tuning, self._pane.adopt
            )
            self._later(self.samplers.steps())
        self._show_fold()

    def _rows(self) -> list[FieldRow]:
        rows = list(self.fields.rows.values())
        rows += [row for row in (self.preset, self.system, self.thinking) if row is not None]
        rows += self.format.rows if self.format is not None else []
        rows += self.samplers.rows if self.samplers is not None else []
        return rows

    # ---- steps

    def _first(self) -> None:
        self.preset = PresetRow(self.frame, self._theme, self._popover, self._tuning)
        self.preset.pack()
        for field in (TEMPERATURE, MAX_TOKENS, SEED):
            self.fields.add(self.frame, field)

    def _prompt(self) -> None:
        self.system = TextRow(
            self.frame,
            self._theme,
            "System prompt",
            "Stands in front of every chat, for all models.",
            self._set_system_prompt,
            lambda: self._tuning.set_system_prompt(""),
            lines=4,
        )
        self.system.pack()

    def _format(self) -> None:
        holder = ttk.Frame(self.frame)
        holder.pack(fill="x")
        ttk.Frame(holder, height=1).pack()
        self.thinking = ThinkingRow(holder, self._theme, self._popover, self._tuning)
        self.format = FormatSection(
            self.frame, self._theme, self._popover, self._tuning, self._edit_template
        )

    def _samplers(self) -> None:
        px = self._theme.px
        ttk.Frame(self.frame, style="Hair.TFrame", height=px(1)).pack(
            fill="x", pady=(px(14), px(6))
        )
        self.fold = ttk.Button(
            self.frame, style="Ghost.TButton", compound="left", command=self.open_fold
        )
        self.fold.bind("<Return>", lambda _: self.open_fold())
        self.fold.pack(anchor="w", padx=(0, 0))
        self._paint(self._theme.palette)
        self._show_fold()

    # ---- what the user does

    def _set_system_prompt(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            msg = f"At most {MAX_TEXT:,} characters can be used; these are {len(text):,}."
            raise FieldError(msg)
        self._tuning.set_system_prompt(text)

    def _reset(self) -> None:
        for row in self._rows():
            row.discard()
        self._tuning.reset_all()

    def _show_fold(self) -> None:
        if self.fold is None:
            return
        differing = len(changed(self._tuning.sampling) - _FIRST)
        words = " All samplers" + (f"  ·  {differing} changed" if differing else "")
        self.fold.configure(text=words, image=self._fold_icon())

    def _show_undo(self) -> None:
        self._fit_words()
        if self._tuning.undo_step is not None:
            self.undo.grid()
        else:
            self.undo.grid_remove()
        usable = not self._tuning.is_all_default() or any(row.error for row in self._rows())
        self.reset.state(["!disabled" if usable else "disabled"])

    def _fit_words(self) -> None:
        step = self._tuning.undo_step
        words = clean_line(step.words) if step is not None else ""
        room = self._undo_words.winfo_width() - self._theme.px(4)
        fitted = elide_end(words, room, lambda text: self._theme.fonts.measure(fonts.SMALL, text))
        self._undo_words.configure(text=fitted if words else "")

    def _fold_icon(self) -> str:
        colour = self._theme.palette.text["dim"]
        return self._theme.icon("right" if self._folded else "chevron", colour)

    def _paint(self, _palette: Palette) -> None:
        if self.fold is not None:
            self.fold.configure(image=self._fold_icon())


def _quiet(parent: tk.Misc, words: str, command: Callable[[], None]) -> ttk.Button:
    button = ttk.Button(parent, text=words, style="Quiet.TButton", command=command)
    button.bind("<Return>", lambda _: button.invoke())
    return button
