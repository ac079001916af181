"""The window's own keys. They come before those of a Text, whose Ctrl+O would break the line."""

import tkinter as tk
from collections.abc import Callable, Mapping
from typing import Literal

_PATTERNS: Mapping[str, tuple[str, ...]] = {
    # Capitals too: with Caps Lock on, that is what arrives.
    "open": ("{mod}-o", "{mod}-O"),
    "new": ("{mod}-n", "{mod}-N"),
    "composer": ("{mod}-l", "{mod}-L"),
    "regenerate": ("{mod}-r", "{mod}-R"),
    "find": ("{mod}-f", "{mod}-F"),
    "copy_code": ("{mod}-Shift-c", "{mod}-Shift-C"),
    "larger": ("{mod}-equal", "{mod}-plus", "{mod}-KP_Add"),
    "smaller": ("{mod}-minus", "{mod}-KP_Subtract"),
    "unzoomed": ("{mod}-Key-0", "{mod}-KP_0", "{mod}-KP_Insert"),
    "settings": ("{mod}-comma",),
    "help": ("F1",),
}


_WHEEL_UP = 4


def bind_keys(
    root: tk.Misc, texts: tuple[tk.Text, ...], actions: Mapping[str, Callable[[], object]]
) -> None:
    """Bind the actions by name to the whole window, and to its Texts in front of Tk's own keys."""
    modifier = modifier_of(root)
    for name, action in actions.items():

        def run(
            _event: "tk.Event[tk.Misc]", action: Callable[[], object] = action
        ) -> Literal["break"]:
            action()
            return "break"

        for pattern in _PATTERNS[name]:
            sequence = f"<{pattern.format(mod=modifier)}>"
            for widget in (root, *texts):
                widget.bind(sequence, run)


def bind_wheel_zoom(root: tk.Misc, zoom: Callable[[int], None]) -> None:
    """Let the wheel zoom while the key of the shortcuts is held."""
    modifier = modifier_of(root)

    def turned(event: "tk.Event[tk.Misc]") -> Literal["break"]:
        zoom(1 if event.num == _WHEEL_UP or event.delta > 0 else -1)
        return "break"

    # In front of the bindings of each Text, which would scroll.
    for sequence in ("MouseWheel", "Button-4", "Button-5"):
        for tag in ("all", "Text"):
            root.bind_class(tag, f"<{modifier}-{sequence}>", turned)


def modifier_of(root: tk.Misc) -> str:
    """The key of the shortcuts."""
    return "Command" if root.tk.call("tk", "windowingsystem") == "aqua" else "Control"


def click_without_focus(root: tk.Misc) -> None:
    """Buttons take the focus from the keyboard only: after a click, typing goes on where it was.

    This is Tk's own binding of ttk buttons (library/ttk/button.tcl) without its first step.
    """
    script = "%W instate !disabled { %W state pressed }"
    root.tk.call("bind", "TButton", "<Button-1>", script)
