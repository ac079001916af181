"""What a person does at a desktop: xdotool's keys, and the window manager's close button."""

import subprocess
from dataclasses import dataclass

from tests.waiting import wait_until


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    return done.stdout


def type_text(text: str) -> None:
    """Type into whatever has the focus."""
    _run("xdotool", "type", "--delay", "5", text)


def press(key: str) -> None:
    """Press one key or combination, such as `ctrl+o`."""
    _run("xdotool", "key", key)


@dataclass(frozen=True, slots=True)
class Window:
    """A top-level window that the window manager knows."""

    ident: str
    pid: int

    def siblings(self) -> list[str]:
        """All the windows on the display."""
        return _run("wmctrl", "-l").splitlines()


def window_of(pid: int) -> Window:
    """The program's window, once it is there. The display has no other program's."""

    def first() -> str:
        lines = _run("wmctrl", "-l").splitlines()
        return lines[0].split()[0] if lines else ""

    return Window(wait_until(first, "a window", limit_s=30.0), pid)


def close_window(window: Window) -> None:
    """Press the close button."""
    _run("wmctrl", "-i", "-c", window.ident)
