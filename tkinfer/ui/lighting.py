"""Which palette the window has: as the user has chosen, or as the system says."""

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
        self._changed: Callable[[str], None] = lambda _: None
        self._system = SystemAppearance(root, self._system_said)
        self._ask()
        root.bind("<FocusIn>", self._focused, add=True)

    @property
    def palette(self) -> str:
        """The name of the palette that the window is to be painted with."""
        if self.chosen is not Appearance.SYSTEM:
            return self.chosen.value
        return Appearance.DARK.value if self._system_dark else Appearance.LIGHT.value

    def on_change(self, changed: Callable[[str], None]) -> None:
        """Call this with the palette's name whenever that was decided anew."""
        self._changed = changed

    def choose(self, appearance: Appearance) -> None:
        """The user wants it so."""
        self.chosen = appearance
        self._changed(self.palette)
        self._ask()

    def _ask(self) -> None:
        if self.chosen is Appearance.SYSTEM:
            self._system.check()

    def _system_said(self, dark: bool) -> None:  # noqa: FBT001 - a callback with one answer
        self._system_dark = dark
        self._changed(self.palette)

    def _focused(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self._root:
            self._ask()
