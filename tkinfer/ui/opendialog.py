"""The system's own dialog to choose a model file."""

import tkinter as tk
from pathlib import Path

_LORA_TYPES = (("GGUF adapters", ".gguf .GGUF"), ("All files", "*"))
_TYPES = (("GGUF models", ".gguf .GGUF"), ("All files", "*"))


def ask_for_model(root: tk.Tk, folder: Path | None) -> str:
    """The chosen path, or nothing. Tk's events go on meanwhile; the window may even be closed."""
    return _ask(root, folder, "Open GGUF", _TYPES)


def ask_for_lora(root: tk.Tk, folder: Path | None) -> str:
    """The same for an adapter."""
    return _ask(root, folder, "Add a LoRA adapter", _LORA_TYPES)


def _ask(root: tk.Tk, folder: Path | None, title: str, types: tuple[tuple[str, str], ...]) -> str:
    from tkinter import filedialog

    if root.tk.call("tk", "windowingsystem") == "x11":
        _hide_hidden_files(root)
    try:
        path = filedialog.askopenfilename(
            parent=root,
            title=title,
            filetypes=types,
            initialdir=str(folder or Path.home()),
        )
    except tk.TclError:
        return ""  # the window was closed under the dialog
    return path if isinstance(path, str) else ""  # pyright: ignore[reportUnnecessaryIsInstance] - () if cancelled


def _hide_hidden_files(root: tk.Tk) -> None:
    """Tk's own dialog shows hidden files unless told otherwise, once its code is loaded."""
    try:
        root.tk.call("tk_getOpenFile", "-no-such-option")
    except tk.TclError:
        root.tk.call("set", "::tk::dialog::file::showHiddenBtn", "1")
        root.tk.call("set", "::tk::dialog::file::showHiddenVar", "0")
