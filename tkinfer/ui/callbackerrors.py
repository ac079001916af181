"""What Tk callbacks raise goes to the program's handler, never to a console that nobody sees."""

import tkinter as tk
from collections.abc import Callable
from types import TracebackType


class TclCallbackError(Exception):
    """A Tcl script of Tk itself failed; the message is Tcl's."""


def catch_callback_errors(
    root: tk.Tk, handler: Callable[[BaseException], None] | None = None
) -> None:
    """Send Python's and Tcl's callback errors to `handler`, on the main thread.

    Without one, Tcl's go where the root already sends Python's.
    """

    def report(
        _kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if handler is not None:
            handler(error.with_traceback(traceback))

    def report_tcl(message: str, _options: str) -> None:
        root.report_callback_exception(TclCallbackError, TclCallbackError(message), None)

    if handler is not None:
        root.report_callback_exception = report
    root.tk.call("interp", "bgerror", "", root.register(report_tcl))
