"""The log file: rotating, bounded, and the only place that failures are written to."""

import logging
import sys
import threading
from pathlib import Path
from types import TracebackType

FILE_NAME = "tkinfer.log"
MAX_BYTES = 1_000_000
KEPT_FILES = 3


def start(folder: Path) -> logging.Handler:
    """Log to a file in this folder, or nowhere if it can't be written.

    Nothing goes to stderr: started from a desktop there is none (it may even be None).
    """
    from logging.handlers import RotatingFileHandler  # 10 ms; the window is on the screen by now

    logging.raiseExceptions = False  # a full disk must not print into a console nobody sees
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            folder / FILE_NAME,
            maxBytes=MAX_BYTES,
            backupCount=KEPT_FILES,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        handler = logging.NullHandler()
    form = "%(asctime)s %(levelname)-7s %(threadName)s %(name)s: %(message)s"
    handler.setFormatter(logging.Formatter(form))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    threading.excepthook = _thread_failed
    sys.excepthook = _program_failed
    return handler


def stop(handler: logging.Handler) -> None:
    """Close the log file."""
    logging.getLogger().removeHandler(handler)
    handler.close()


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    name = args.thread.name if args.thread else "unknown"
    value = args.exc_value or RuntimeError("unknown")
    trace = (args.exc_type, value, args.exc_traceback)
    logging.getLogger("thread").error("thread %s failed", name, exc_info=trace)


def _program_failed(
    kind: type[BaseException], value: BaseException, trace: TracebackType | None
) -> None:
    logging.getLogger("program").critical("the program failed", exc_info=(kind, value, trace))
    if sys.stderr is not None:  # it is None under pythonw
        sys.__excepthook__(kind, value, trace)
