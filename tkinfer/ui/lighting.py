"""Whether the window is light or dark: as the user has chosen, or as the system says."""

import tkinter as tk
from collections.abc import Callable

from tkinfer.appearance import Appearance
from tkinfer.ui.appearance import SystemAppearance


class Lighting:
    """Asks the system at first, and again when the window comes to the front. Main thread."""

    def __init__(self, root: tk.Tk, chosen: Appearance) -> None:
        self.chosen = chosen
        self._root = root
        self._system_dark = False
        self._changed: Callable[[bool], None] = lambda _: None
        self._system = SystemAppearance(root, self._system_said)
        self._ask()
        root.bind("<FocusIn>", self._focused, add=True)

    @property
    def dark(self) -> bool:
        """How the window is to be painted."""
        if self.chosen is Appearance.SYSTEM:
            return self._system_dark
        return self.chosen is Appearance.DARK

    def on_change(self, changed: Callable[[bool], None]) -> None:
        """Call this with `dark` whenever that was decided anew."""
        self._changed = changed

    def choose(self, appearance: Appearance) -> None:
        """The user wants it so."""
        self.chosen = appearance
        self._changed(self.dark)
        self._ask()

    def _ask(self) -> None:
        if self.chosen is Appearance.SYSTEM:
            self._system.check()

    def _system_said(self, dark: bool) -> None:  # noqa: FBT001 - a callback with one answer
        self._system_dark = dark
        self._changed(self.dark)

    def _focused(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self._root:
            self._ask()
