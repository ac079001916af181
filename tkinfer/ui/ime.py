"""Tells Enter for an input method from Enter for the program."""

import sys
import tkinter as tk

from tkinfer.ui.timers import Timers

_WINDOWS_PROCESS_KEY = 229  # VK_PROCESSKEY: the input method has taken the key


class Composing:
    """Whether an input method is composing in a widget, as far as Tk tells.

    macOS announces marked text by virtual events; its last Enter may arrive just behind the end,
    so composing lasts until the events that are already queued have run. Windows marks the key.
    X11 delivers what was composed as a key event without a key code.
    """

    def __init__(self, widget: tk.Misc) -> None:
        self._timers = Timers(widget)
        self._active = False
        widget.bind("<<TkStartIMEMarkedText>>", self._start, add=True)
        widget.bind("<<TkEndIMEMarkedText>>", self._end, add=True)
        widget.bind("<<TkClearIMEMarkedText>>", self._end, add=True)

    def takes(self, event: "tk.Event[tk.Text]") -> bool:
        """Whether this key belongs to the input method."""
        if self._active:
            return True
        if sys.platform == "win32":
            return event.keycode == _WINDOWS_PROCESS_KEY
        return event.keycode == 0

    def _start(self, _event: "tk.Event[tk.Misc]") -> None:
        self._timers.cancel()
        self._active = True

    def _end(self, _event: "tk.Event[tk.Misc]") -> None:
        self._timers.soon("over", self._over)

    def _over(self) -> None:
        self._active = False
