"""A child process that takes commands and reports events, and the three threads that serve it."""

import logging
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from tkinfer.engines import wire

LOG_LINES: Final = 200
"""Of llama.cpp's log, kept for the details of a failure. A load writes some 100."""
_LINE_BYTES: Final = 4096
_POLITE_S: Final = 0.3
"""The child ends within 20 ms of the pipe's end, unless it is stopped or stuck in the kernel."""
_JOIN_S: Final = 0.5

_ROOT: Final = str(Path(__file__).resolve().parents[2])
# The folder above the packages comes from the parent, in case it found them by its own path.
_BOOT: Final = (
    "import sys\n"
    "if sys.argv[1] not in sys.path: sys.path.insert(0, sys.argv[1])\n"
    "from tkinfer.engines.worker import main\n"
    "main()\n"
)

_log = logging.getLogger("tkinfer.engine")


def worker_command() -> list[str]:
    """How to start the engine process.

    Not through `multiprocessing`: its spawn imports the parent's main module again in the child
    (under pytest that is pytest), and starts one more process to track resources.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine-worker"]
    # -P: a file in the current folder must not stand in for a module.
    return [sys.executable, "-P", "-c", _BOOT, _ROOT]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended. `code` is Popen's, None if it never started."""

    code: int | None
    log: str
    error: Exception | None = None
    """Why it could not start, or what was wrong with what it sent."""


class Child:
    """One engine process. No method blocks, except `close`.

    The owner thread starts the process and then writes commands, so that neither a slow start nor
    a full pipe holds a caller up. The reader thread calls `on_message` for each message in order,
    and at last `on_end`. The third keeps the end of the log.
    """

    def __init__(
        self,
        command: list[str],
        on_message: Callable[["Child", Any], None],
        on_end: Callable[["Child", Ending], None],
    ) -> None:
        self._command = command
        self._on_message = on_message
        self._on_end = on_end
        self._commands: queue.SimpleQueue[wire.Command | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._to_kill = False
        self._lines: deque[str] = deque(maxlen=LOG_LINES)
        self._ended = threading.Event()
        self._owner = threading.Thread(target=self._own, name="engine-owner", daemon=True)
        self._reader = threading.Thread(target=self._read, name="engine-reader", daemon=True)
        self._logger = threading.Thread(target=self._keep_log, name="engine-log", daemon=True)
        self._owner.start()

    @property
    def pid(self) -> int | None:
        """None before the start."""
        return self._process.pid if self._process else None

    @property
    def log(self) -> str:
        """The last lines of its log."""
        return "\n".join(self._lines.copy())

    def send(self, command: wire.Command) -> None:
        """Queue a command; it is lost if the child ends first."""
        self._commands.put(command)

    def kill(self) -> None:
        """End it at once, whatever it does. `on_end` follows when it is gone."""
        with self._lock:
            self._to_kill = True
            if self._process:
                self._process.kill()  # a stopped process dies of it too
        self._commands.put(None)

    def close(self) -> None:
        """End it, politely at first, and wait for that and for its threads: a second at most."""
        self._commands.put(None)
        if not self._ended.wait(_POLITE_S):
            self.kill()
            self._ended.wait(_JOIN_S)
        for thread in (self._owner, self._reader, self._logger):
            if thread.ident is not None and thread is not threading.current_thread():
                thread.join(_JOIN_S)

    def _own(self) -> None:
        try:
            process = self._spawn()
        except OSError as error:
            self._on_end(self, Ending(code=None, log="", error=error))
            self._ended.set()
            return
        with self._lock:
            self._process = process
            if self._to_kill:
                process.kill()
        self._logger.start()
        self._reader.start()
        self._write(_pipe(process.stdin))

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A failing assertion of llama.cpp would start gdb, if there is one: seconds.
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            while command := self._commands.get():
                pipe.write(wire.encode(command))
                pipe.flush()
            pipe.close()
        except OSError:  # it is gone; the reader learns that too, and says so
            with suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        process = self._process
        assert process, "the owner starts this thread behind the process"
        pipe = _pipe(process.stdout)
        error: Exception | None = None
        try:
            while message := wire.read(pipe):
                self._on_message(self, message)
        except (wire.WireError, OSError) as broken:
            error = broken
            process.kill()
        code = process.wait()
        self._commands.put(None)
        self._logger.join(_JOIN_S)
        pipe.close()
        try:
            self._on_end(self, Ending(code=code, log=self.log, error=error))
        finally:
            self._ended.set()

    def _keep_log(self) -> None:
        assert self._process, "the owner starts this thread behind the process"
        with _pipe(self._process.stderr) as pipe:
            while line := pipe.readline(_LINE_BYTES):
                text = line.decode("utf-8", "replace").rstrip()
                self._lines.append(text)
                _log.debug("%s", text)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream, "all three streams are pipes"
    return stream
