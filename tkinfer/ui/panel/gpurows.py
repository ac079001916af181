"""Where the model's layers go: to the GPU, and how many."""

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial

from actors.loading import ALL_LAYERS
from tkinfer.tuning import load_fields, plan_words
from tkinfer.tuning.load_tuning import LoadTuning
from tkinfer.ui.panel.choicerow import ChoiceRow
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.panel.fieldrows import FieldRows
from tkinfer.ui.panel.numberrow import NumberRow
from tkinfer.ui.popover import Popover
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme

Choices = Sequence[tuple[str, Callable[[], None]]]

_NUMBER = "A number…"
_WORDS = {None: "Automatic", ALL_LAYERS: "All", 0: "None"}


class GpuRows:
    """GPU layers, with a number to type where one is wanted, and the device if there are many."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, popover: Popover, load: LoadTuning, fields: FieldRows
    ) -> None:
        self._load = load
        self._choice = ChoiceRow(
            parent,
            theme,
            popover,
            "GPU layers",
            "Automatic: as many as fit.",
            self._layer_choices,
            partial(load.reset, "gpu_layers"),
        )
        self.layers = NumberRow(self._choice.frame, theme, load_fields.GPU_LAYERS, self._set_layers)
        self.layers.frame.grid(row=2, column=0, columnspan=3, sticky="ew", pady=(theme.px(6), 0))
        fields.keep("gpu_layers", self._choice, self._show_layers)
        self._device = ChoiceRow(
            parent,
            theme,
            popover,
            "Device",
            "",
            self._device_choices,
            partial(load.reset, "device"),
        )
        fields.keep("device", self._device, self._show_device)

    @property
    def rows(self) -> Sequence[FieldRow]:
        """The one that isn't among the fields."""
        return (self.layers,)

    def _layer_choices(self) -> Choices:
        change = self._load.change
        return [
            *((words, partial(change, gpu_layers=layers)) for layers, words in _WORDS.items()),
            (_NUMBER, self._give_number),
        ]

    def _give_number(self) -> None:
        plan = self._load.state.plan
        if self._load.options.gpu_layers in _WORDS:
            self._load.change(gpu_layers=max(plan.gpu_layers if plan else 1, 1))
        self.layers.entry.focus_set()

    def _set_layers(self, layers: float | None) -> None:
        self._load.change(gpu_layers=layers)

    def _show_layers(self) -> None:
        layers = self._load.options.gpu_layers
        self._choice.show(_WORDS.get(layers, _NUMBER))
        self._choice.show_help(self._found())
        if layers in _WORDS:
            self.layers.show_error("")
            self.layers.frame.grid_remove()
        else:
            self.layers.show(layers)
            self.layers.frame.grid()

    def _found(self) -> str:
        """The devices, in words."""
        devices = self._load.devices
        if devices is None:
            return "Automatic: as many as fit."
        if not devices:
            return "No GPU was found that llama.cpp can use."
        found = "; ".join(
            f"{clean_line(one.description or one.name)}, "
            f"{plan_words.size(one.free_bytes)} of {plan_words.size(one.total_bytes)} free"
            for one in devices
        )
        return f"Found: {found}. Automatic: as many layers as fit."

    def _device_choices(self) -> Choices:
        change = self._load.change
        return [
            ("All", partial(change, device="")),
            *(
                (clean_line(one.name), partial(change, device=one.name))
                for one in self._load.devices or ()
            ),
        ]

    def _show_device(self) -> None:
        device = self._load.options.device
        self._device.show(clean_line(device) or "All")
        if device or len(self._load.devices or ()) > 1:
            if not self._device.frame.winfo_manager():
                self._device.pack_below(self._choice)
        else:
            self._device.frame.pack_forget()
