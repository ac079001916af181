"""The second page of the settings panel: how the model is loaded, and what that takes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from tkinter import ttk
from typing import Any

from actors.loading import CacheType, Lora, Switch
from tkinfer.models.names import model_name
from tkinfer.tuning import load_fields
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.sampling_fields import SwitchField
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui import fonts
from tkinfer.ui.elide import elide_middle
from tkinfer.ui.panel.choicerow import ChoiceRow
from tkinfer.ui.panel.fieldrow import FieldRow, section
from tkinfer.ui.panel.fieldrows import FieldRows
from tkinfer.ui.panel.gpurows import GpuRows
from tkinfer.ui.panel.idlerow import IdleRows
from tkinfer.ui.panel.pairlist import Pair, PairList
from tkinfer.ui.panel.planview import PlanView
from tkinfer.ui.panel.scrollpane import ScrollPane
from tkinfer.ui.popover import Popover
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

Step = Callable[[], None]
AskForFile = Callable[[], str]

PLAN_MS = 250
"""So long after the last change the memory plan is asked for."""

_SWITCH_WORDS = {Switch.AUTO: "Automatic", Switch.ON: "On", Switch.OFF: "Off"}
_CACHE_WORDS = {
    CacheType.F16: "F16, exact",
    CacheType.Q8_0: "Q8_0, half",
    CacheType.Q4_0: "Q4_0, a quarter",
}
_FILE_SWITCHES = (
    SwitchField(
        name="mmap",
        label="Map the file (mmap)",
        help="Starts faster, and the system may drop what it needs elsewhere.",
    ),
    SwitchField(
        name="mlock", label="Keep in memory (mlock)", help="The system may not swap the model out."
    ),
    SwitchField(
        name="check_tensors",
        label="Check tensors",
        help="Looks for damaged weights while loading; slower.",
    ),
)
_IGNORE = SwitchField(
    name="ignore_memory",
    label="Load even if memory seems short",
    help="The computer may slow down, or end the model.",
)


class LoadingPage:
    """Built in steps. Asks for the memory plan by itself, some time after each change."""

    def __init__(
        self,
        pane: ScrollPane,
        theme: Theme,
        popover: Popover,
        tuning: Tuning,
        ask_for_lora: AskForFile,
    ) -> None:
        self._pane = pane
        self._theme = theme
        self._popover = popover
        self._tuning = tuning
        self._ask_for_lora = ask_for_lora
        self.frame = pane.inside
        self.fields = FieldRows(theme, tuning.load)
        self._width = 0
        self._timers = Timers(pane.frame)
        self._name = ttk.Label(self.frame, style="SmallBold.TLabel")
        self._name.pack(fill="x", pady=(theme.px(4), theme.px(6)))
        self.plan = PlanView(self.frame, theme)
        self.plan.frame.pack(fill="x")
        self._gpu_rows: GpuRows | None = None
        self._idle: IdleRows | None = None
        theme.on_zoom(self._show_name)

    def steps(self) -> Sequence[Step]:
        """What builds the page, in order."""
        return [self._gpu, self._context, self._processor, self._file, self._adapters, self._memory]

    def footer(self, parent: ttk.Frame) -> None:
        """The buttons below the page."""
        px = self._theme.px
        self._state = ttk.Label(parent, style="Small.TLabel")
        self._state.pack(side="top", fill="x", pady=(0, px(6)))
        self.load = ttk.Button(
            parent,
            text="Load with these settings",
            style="Primary.TButton",
            command=self._tuning.load_now,
        )
        self.load.pack(side="left")
        self.unload = ttk.Button(
            parent, text="Unload", style="Outline.TButton", command=self._tuning.unload
        )
        self.unload.pack(side="right")
        for button in (self.load, self.unload):
            button.bind("<Return>", lambda event: event.widget.invoke())

    def refresh(self) -> None:
        """Show what is set, and what is known of the memory."""
        load = self._tuning.load
        self.fields.refresh()
        if self._idle is not None:
            self._idle.refresh()
        self.plan.show(load.state, chosen=bool(load.path))
        self._show_name()
        self._show_state()
        if load.plan_is_old and not self._timers.running("plan"):
            self._timers.start("plan", PLAN_MS, load.ask_plan)

    def fit(self, width: int) -> None:
        """Rows are so many pixels wide."""
        self._width = width
        for row in self._rows():
            row.fit(width)
        self.plan.fit(width)
        self._state.configure(wraplength=width)
        self._show_name()

    def escape(self) -> bool:
        """Close what is open inside of the page: nothing ever is."""
        return False

    def _rows(self) -> list[FieldRow]:
        rows = list(self.fields.rows.values())
        rows += self._gpu_rows.rows if self._gpu_rows is not None else ()
        rows += self._idle.rows if self._idle is not None else ()
        return rows

    def flush(self) -> None:
        """Apply what was typed just before."""
        for row in self._rows():
            row.flush()

    # ---- steps

    def _gpu(self) -> None:
        section(self.frame, self._theme, "GPU")
        self._gpu_rows = GpuRows(
            self.frame, self._theme, self._popover, self._tuning.load, self.fields
        )

    def _context(self) -> None:
        section(self.frame, self._theme, "Context")
        row = self.fields.add(self.frame, load_fields.CONTEXT)
        sizes = ttk.Frame(row.frame)
        sizes.grid(row=2, column=0, columnspan=3, sticky="w", pady=(self._theme.px(4), 0))
        for number, size in enumerate(load_fields.CONTEXT_SIZES):
            button = ttk.Button(
                sizes,
                text=f"{size // 1024}k",
                style="Quiet.TButton",
                command=partial(self._set_context, size),
                takefocus=False,
            )
            button.grid(row=0, column=number)
        self._switch_choice("flash_attention", "Flash attention", "Faster, and needs less memory.")
        self._choice(
            "cache_type",
            "KV cache",
            "Smaller types need less memory, and cost some precision.",
            _CACHE_WORDS,
        )
        self._switch_choice(
            "swa_full",
            "Full sliding window",
            "Models with a sliding window keep all of the context, so that edits of earlier "
            "messages are cheap. Automatic: if there is room.",
        )

    def _processor(self) -> None:
        section(self.frame, self._theme, "Processor")
        self.fields.add(self.frame, load_fields.THREADS)
        self.fields.add(self.frame, load_fields.BATCH)
        self._switch_choice(
            "repack",
            "Repack weights",
            "Lays them out for the processor's matrix instructions: faster, but they are copied. "
            "Automatic: unless llama.cpp's code for them is known to crash (Intel AMX).",
        )

    def _file(self) -> None:
        section(self.frame, self._theme, "File")
        for field in _FILE_SWITCHES:
            self.fields.add(self.frame, field)

    def _adapters(self) -> None:
        load = self._tuning.load
        section(self.frame, self._theme, "Adapters")
        row = PairList(
            self.frame,
            self._theme,
            "LoRA",
            "Files that change the model, and how strongly: 1 is as trained.",
            lambda pairs: load.change(loras=_loras(pairs)),
            partial(load.reset, "loras"),
            load_fields.LORA_SCALE.read,
            (("+ Adapter…", self._ask),),
        )
        row.adopt = self._pane.adopt
        self.fields.keep("loras", row, lambda: row.show(_pairs(load.options.loras)))

    def _memory(self) -> None:
        section(self.frame, self._theme, "Memory")
        self.fields.add(self.frame, _IGNORE)
        self._idle = IdleRows(self.frame, self._theme, self._popover, self._tuning)
        self.refresh()

    # ---- choices

    def _switch_choice(self, name: str, label: str, note: str) -> None:
        self._choice(name, label, note, _SWITCH_WORDS)

    def _choice(self, name: str, label: str, note: str, words: Mapping[Any, str]) -> None:
        load = self._tuning.load
        row = ChoiceRow(
            self.frame,
            self._theme,
            self._popover,
            label,
            note,
            lambda: [
                (text, partial(load.change, **{name: value})) for value, text in words.items()
            ],
            partial(load.reset, name),
        )
        self.fields.keep(name, row, lambda: row.show(words[load.value(name)]))

    # ---- the rest

    def _set_context(self, size: int) -> None:
        row = self.fields.rows["context_size"]
        row.show_error("")
        self._tuning.load.change(context_size=size)

    def _ask(self) -> Pair | None:
        path = self._ask_for_lora()
        return (path, "1") if path else None

    def _show_name(self) -> None:
        name = clean_line(model_name(self._tuning.load.path)) or "No model"
        fitted = elide_middle(
            name,
            max(self._width, 1),
            lambda text: self._theme.fonts.measure(fonts.SMALL_BOLD, text),
        )
        self._name.configure(text=fitted if self._width else name)

    def _show_state(self) -> None:
        tuning, load = self._tuning, self._tuning.load
        loaded = tuning.info is not None and tuning.info.path == load.path
        if not load.path:
            words = ""
        elif not loaded:
            words = "Not in memory."
        elif load.waits_for_load:
            words = "In memory with other settings; loading again uses these."
        else:
            words = "In memory with these settings."
        self._state.configure(text=clean(words))
        self.load.state(["!disabled" if load.path else "disabled"])
        self.unload.state(["!disabled" if tuning.info is not None else "disabled"])


def _pairs(loras: Sequence[Lora]) -> list[Pair]:
    return [(one.path, load_fields.LORA_SCALE.shown(one.scale)) for one in loras]


def _loras(pairs: Sequence[Pair]) -> tuple[Lora, ...]:
    """The adapters that are typed.

    Raises:
        FieldError: a scale can't be used, or there are too many.
    """
    if len(pairs) > load_fields.MAX_LORAS:
        msg = f"At most {load_fields.MAX_LORAS} adapters can be used."
        raise FieldError(msg)
    loras: list[Lora] = []
    for path, text in pairs:
        scale = load_fields.LORA_SCALE.read(text)
        assert scale is not None
        loras.append(Lora(path=path, scale=scale))
    return tuple(loras)
