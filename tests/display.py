"""A virtual display of our own: Xvfb with a window manager, for tests and benches."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.waiting import wait_until

SCREEN = "1280x900x24"
START_LIMIT_S = 20.0
STOP_LIMIT_S = 5.0


def missing_programs() -> list[str]:
    """Programs that a virtual display needs and that are not installed."""
    return [name for name in ("Xvfb", "openbox", "wmctrl", "xdotool") if shutil.which(name) is None]


class VirtualDisplay:
    """Xvfb and openbox in processes of their own. Keyboard focus needs a window manager."""

    def __init__(self) -> None:
        """Start both and return when windows can be opened and managed."""
        # The managers' folder: the user's own settings must not reach them, nor theirs the user.
        self._home = tempfile.TemporaryDirectory(prefix="tkinfer-display-")
        self._server = self._start_server()
        self._manager = self._start_manager()

    @property
    def pids(self) -> set[int]:
        """The processes of this display."""
        return {self._server.pid, self._manager.pid}

    def _start_server(self) -> subprocess.Popen[bytes]:
        read_end, write_end = os.pipe()
        server = subprocess.Popen(
            [
                "Xvfb",
                *("-displayfd", str(write_end)),  # it takes a free number and tells it once ready
                *("-screen", "0", SCREEN),
                *("-nolisten", "tcp"),
                "-noreset",  # else it forgets everything whenever the last window closes
            ],
            pass_fds=[write_end],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write_end)
        with os.fdopen(read_end) as reader:
            number = reader.readline().strip()
        if not number:
            server.wait()
            msg = "Xvfb ended without opening a display"
            raise RuntimeError(msg)
        self.name = f":{number}"
        return server

    def _start_manager(self) -> subprocess.Popen[bytes]:
        ready = Path(self._home.name, "ready")
        manager = subprocess.Popen(
            ["openbox", "--sm-disable", "--startup", f"touch {ready}"],
            env={
                **os.environ,
                "DISPLAY": self.name,
                "HOME": self._home.name,
                "XDG_CONFIG_HOME": self._home.name,
                "XDG_CACHE_HOME": self._home.name,
                "XDG_DATA_HOME": self._home.name,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(ready.exists, "openbox manages the display", limit_s=START_LIMIT_S)
        return manager

    def stop(self) -> None:
        """End both, the manager first."""
        for process in (self._manager, self._server):
            process.terminate()
            try:
                process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._home.cleanup()
