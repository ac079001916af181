"""Finds out whether the system is dark, without ever making the window wait for the answer."""

import os
import sys
import threading
import time
import tkinter as tk
from collections.abc import Callable
from queue import Empty, SimpleQueue

from tkinfer.ui.timers import Timers

ASK_LIMIT_S = 2.0
"""How long one question to the system may take."""
_LEAST_INTERVAL_S = 5.0
_LOOK_MS = 50

_PORTAL = (
    *("gdbus", "call", "--session", "--timeout=1", "--dest=org.freedesktop.portal.Desktop"),
    "--object-path=/org/freedesktop/portal/desktop",
    "--method=org.freedesktop.portal.Settings.Read",
    *("org.freedesktop.appearance", "color-scheme"),
)
_SCHEME = ("gsettings", "get", "org.gnome.desktop.interface", "color-scheme")
_GTK_THEME = ("gsettings", "get", "org.gnome.desktop.interface", "gtk-theme")
_DARK = 1
_LIGHT = 2


def system_is_dark() -> bool | None:
    """Ask the system. None: it doesn't say. Blocks up to some seconds: for a worker thread."""
    if sys.platform == "win32":
        return _windows_is_dark()
    if sys.platform == "darwin":
        # The key exists in the dark only.
        return _output(("defaults", "read", "-g", "AppleInterfaceStyle")).strip() == "Dark"
    return linux_is_dark(_output)


def linux_is_dark(ask: Callable[[tuple[str, ...]], str]) -> bool | None:
    """Read the desktop's answers, best source first. `ask` runs a command, returns its output."""
    portal = ask(_PORTAL)
    for number, dark in ((_DARK, True), (_LIGHT, False)):
        if f"uint32 {number}" in portal:
            return dark
    scheme = ask(_SCHEME)
    if "prefer-dark" in scheme:
        return True
    if "prefer-light" in scheme:
        return False
    theme = ask(_GTK_THEME).lower()
    return "dark" in theme if theme else None


def _output(command: tuple[str, ...]) -> str:
    import subprocess

    if sys.platform == "linux" and "DBUS_SESSION_BUS_ADDRESS" not in os.environ:
        return ""  # gsettings would start a bus of its own and leave it behind
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASK_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _windows_is_dark() -> bool | None:
    if sys.platform != "win32":
        return None
    import winreg

    path = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
    try:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, path) as key:
            return winreg.QueryValueEx(key, "AppsUseLightTheme")[0] == 0
    except OSError:
        return None


class SystemAppearance:
    """Asks on a worker thread, and reports on the main thread. Main thread only.

    The worker holds nothing but a queue: it may outlive the window.
    """

    def __init__(
        self,
        widget: tk.Misc,
        report: Callable[[bool], None],
        ask: Callable[[], bool | None] = system_is_dark,
    ) -> None:
        self._timers = Timers(widget)
        self._report = report
        self._ask = ask
        self._asked_at = float("-inf")
        self._answers: SimpleQueue[bool | None] = SimpleQueue()

    def check(self) -> None:
        """Ask, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self._asked_at < _LEAST_INTERVAL_S:
            return
        self._asked_at = now
        answers, ask = self._answers, self._ask
        threading.Thread(
            target=lambda: answers.put(ask()), name="tkinfer-appearance", daemon=True
        ).start()
        self._timers.start("look", _LOOK_MS, self._look)

    def _look(self) -> None:
        try:
            dark = self._answers.get_nowait()
        except Empty:
            if time.monotonic() - self._asked_at < 4 * ASK_LIMIT_S:
                self._timers.start("look", _LOOK_MS, self._look)
            return
        if dark is not None:
            self._report(dark)
