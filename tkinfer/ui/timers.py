"""Timers that die with their widget."""

import tkinter as tk
from collections.abc import Callable


class Timers:
    """`after` for one part of the window. Main thread only.

    Tk runs a timer whatever has become of the widgets its callback touches, so every part keeps its
    timers here: they are cancelled by `cancel`, and when `widget` is destroyed.
    """

    def __init__(self, widget: tk.Misc) -> None:
        self._widget = widget
        self._pending: dict[str, str] = {}
        widget.bind("<Destroy>", self._destroyed, add=True)

    def start(self, name: str, delay_ms: int, action: Callable[[], None]) -> None:
        """Run `action` once after the delay. Starting a name again restarts it."""
        self.cancel(name)

        def run() -> None:
            self._pending.pop(name, None)
            action()

        self._pending[name] = self._widget.after(delay_ms, run)

    def soon(self, name: str, action: Callable[[], None]) -> None:
        """Run `action` once when Tk is idle, before it repaints, however often it was asked."""
        if name in self._pending:
            return

        def run() -> None:
            self._pending.pop(name, None)
            action()

        self._pending[name] = self._widget.after_idle(run)

    def running(self, name: str) -> bool:
        """Whether this timer is still to come."""
        return name in self._pending

    def cancel(self, *names: str) -> None:
        """Cancel these timers, or all of them."""
        for name in names or tuple(self._pending):
            if (timer := self._pending.pop(name, None)) is not None:
                self._widget.after_cancel(timer)

    def _destroyed(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self._widget:
            self.cancel()
