"""The settings panel as the window knows it: nothing of it is imported before its first opening."""

import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from tkinfer.ui.popover import Popover
from tkinfer.ui.theme import Theme

if TYPE_CHECKING:
    from tkinfer.tuning.tuning import Tuning
    from tkinfer.ui.panel.sidepanel import PageName, SidePanel


class LazyPanel:
    """Opens, closes, and makes the panel when it is first asked for."""

    def __init__(
        self,
        theme: Theme,
        popover: Popover,
        tuning: "Callable[[], Tuning]",
        *,
        rows: tuple[int, int],
        ask_for_lora: Callable[[], str],
        closed: Callable[[], None],
    ) -> None:
        """As SidePanel; `tuning` is asked at the first opening."""
        self._make: Callable[[], SidePanel] = lambda: _make(
            theme, popover, tuning(), rows, ask_for_lora, closed
        )
        self.panel: SidePanel | None = None

    def warm_up(self) -> None:
        """Import what the panel needs, on a thread: it is going to be opened."""
        if self.panel is None:
            load = partial(import_module, "tkinfer.ui.panel.sidepanel")
            threading.Thread(target=load, name="imports", daemon=True).start()

    def open(self, page: "PageName" = "generation", *, focus: bool = False) -> None:
        """Show a page, and give it the keyboard if wanted."""
        if self.panel is None:
            self.panel = self._make()
        self.panel.open(page, focus=focus)

    def toggle(self, *, focus: bool = False) -> None:
        """Show it, or take it away."""
        if not self.close():
            self.open(focus=focus)

    def close(self) -> bool:
        """Take it away. False: it wasn't there."""
        if self.panel is None or not self.panel.is_open:
            return False
        self.panel.close()
        return True

    def escape(self) -> bool:
        """Close what lies on top in the panel; or all of it, where the keyboard is in it or it is
        in front of the chat. False: nothing was closed.
        """
        panel = self.panel
        if panel is None:
            return False
        if panel.escape():
            return True
        return (panel.has_focus() or panel.covers) and self.close()


def _make(
    theme: Theme,
    popover: Popover,
    tuning: "Tuning",
    rows: tuple[int, int],
    ask_for_lora: Callable[[], str],
    closed: Callable[[], None],
) -> "SidePanel":
    from tkinfer.ui.panel.sidepanel import SidePanel

    return SidePanel(theme, popover, tuning, rows=rows, ask_for_lora=ask_for_lora, closed=closed)
