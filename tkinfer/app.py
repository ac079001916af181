"""Wires everything together: the only place that knows window, session and engine at once."""

import contextlib
import ctypes
import gc
import logging
import os
import re
import sys
import threading
import time
import tkinter as tk
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tkinfer import logs, paths, settings
from tkinfer.errors import SetupError
from tkinfer.late_actions import LateActions
from tkinfer.settings import SettingsKeeper
from tkinfer.ui.view import Actions, Notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors.chain import Order
    from actors.drawing import TextRenderer
    from actors.engine import Engine
    from actors.telemetry import Telemetry
    from tkinfer.session import Session
    from tkinfer.tuning.tuning import Tuning
    from tkinfer.ui.pump import OutputPump
    from tkinfer.ui.waker import Waker

log = logging.getLogger(__name__)

OLDEST_TK = (8, 6, 12)
SAVE_TIMEOUT_S = 0.5
SAVE_MS = 500
"""So long after a change of what is tuned it is saved; a slider makes many."""
SCREEN_WINDOW = 4
LOOK_MS = 5
SWITCH_INTERVAL_S = 0.0005
"""A thread that computes may keep the window from the GIL for so long. Python's own 5 ms are a
third of a frame: beside one busy thread 41 instead of 60 ticks a second, with this 54."""
FIRST_PAINT_MS = 80  # until then the window is being painted; imports beside it would slow that
SESSION_MODULES = (
    "logging.handlers",
    "actors.chain",
    "tkinfer.session",
    "tkinfer.tuning.tuning",
    "tkinfer.models.starter",
    "tkinfer.ui.pump",
    "tkinfer.ui.waker",
    "tkinfer.engines.process",
)
"""What `App._start_session` asks for: 100 ms that the window need not wait for."""
ANSWER_MODULES = ("tkinfer.markdown.renderer", "pygments.lexers.python")
"""What the first answer would have to wait for: 0.1 s for the parser, 0.06 s for most code."""


def run(model: str | None = None) -> int:
    """Open the window and stay until it is closed; return the exit code.

    Raises:
        SetupError: there is no display, or Tk is too old.
    """
    # Tk opens its display in C, without the GIL: Python imports meanwhile.
    _import_aside("tkinfer.ui.window")
    app = App(model=model, log_folder=paths.log_dir())
    app.root.mainloop()
    app.shutdown()
    gc.collect()  # Tk objects must be freed on this thread, before any other might do it
    return 0


class App(LateActions, Actions):
    """The running program. Everything here belongs to the main thread.

    The window comes first; what it does not need is imported once it is on the screen. Until the
    session is there, the window's actions find nobody (some 100 ms).
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        make_engine: "Callable[[], Engine] | None" = None,
        log_folder: Path | None = None,
    ) -> None:
        """`make_engine` puts another engine in the place of llama.cpp's: for tests and benches.

        Without `log_folder`, nothing is logged to a file.
        """
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._model = model
        self._log_folder = log_folder
        self._log_handler: logging.Handler | None = None
        self._make_engine = make_engine or _llama_engine
        folder = paths.config_dir()
        remembered, self._problem = settings.load(folder)
        self._keeper = SettingsKeeper(remembered, folder)
        self.pump: OutputPump | None = None
        self._stop_chain: Callable[[], None] = lambda: None
        self._tell_chain: Callable[[Order], None] = lambda _: None
        self._tuning: Tuning | None = None
        self._save_timer = ""
        self._waker: Waker | None = None
        self.root = _make_root()
        from tkinfer.ui.window import MainWindow

        self.window = MainWindow(
            self.root,
            self,
            appearance=remembered.appearance,
            zoom=remembered.zoom,
            size=remembered.window_size,
            on_error=self._callback_failed,
        )
        self._start_timer = self.root.after(FIRST_PAINT_MS, self._import_session)

    def _import_session(self) -> None:
        imports = _import_aside(*SESSION_MODULES)

        def look() -> None:
            """Start what answers as soon as it is imported; the window takes keys meanwhile."""
            if imports.is_alive():
                self._start_timer = self.root.after(LOOK_MS, look)
            else:
                self._start_timer = ""
                self._start_session()

        look()

    def _start_session(self) -> None:
        """Start what answers. Called once, when the window is on the screen."""
        if self._log_folder is not None:
            self._log_handler = logs.start(self._log_folder)
        from actors.chain import Chain
        from actors.clock import SystemClock
        from actors.job import ModelParts
        from actors.mailbox import LatestQueue
        from actors.output import OutputQueue
        from tkinfer.models.starter import starter_path
        from tkinfer.session import Session, no_model_error
        from tkinfer.ui.pump import OutputPump
        from tkinfer.ui.waker import Waker

        clock = SystemClock()
        telemetry: LatestQueue[Telemetry] = LatestQueue(64)
        output = OutputQueue(SCREEN_WINDOW, self._wake_from_any_thread)
        parts = ModelParts(
            engine=self._make_engine(),
            output=output,
            telemetry=telemetry,
            clock=clock,
            no_model_error=no_model_error,
        )
        chain = Chain(parts=parts, make_text_renderer=_text_renderer)
        self._stop_chain, self._tell_chain = chain.shutdown, chain.tell
        starter = starter_path()
        session = Session(
            view=self.window,
            chain=chain,
            make_text_renderer=lambda: _text_renderer(colours=False),
            settings=self._keeper,
            tuning=self.tuning(),
            now=clock.now,
            starter_path=str(starter) if starter is not None else None,
            on_close=self._close_window,
        )
        self.pump = OutputPump(
            output=output,
            telemetry=telemetry,
            screen=session,
            scheduler=self.root,
            now=time.perf_counter,
        )
        self._waker = Waker(self.root, self.pump.wake)
        self._waker.close_on_signals(self.close)
        session.attach_pump(self.pump)
        chain.start()
        self.tuning().tell_idle_time()
        self.session = session
        self._open_first_model(session)
        self._hint_at_fonts()
        self._import_for_answers()

    def _import_for_answers(self) -> None:
        """What is there then stays to the end: full garbage collections need not look at it, which
        took 10 to 15 ms each time.
        """
        imports = _import_aside(*ANSWER_MODULES)

        def look() -> None:
            if imports.is_alive():
                self._start_timer = self.root.after(FIRST_PAINT_MS, look)
            else:
                self._start_timer = ""
                gc.freeze()

        look()

    def _hint_at_fonts(self) -> None:
        """Say once that this Tk's fonts could be better."""
        from tkinfer.ui.fonthint import font_hint

        if not self._keeper.settings.fonts_told and (hint := font_hint(self.root)) is not None:
            self.window.show_notice(hint)
            self._keeper.settings.fonts_told = True

    def _open_first_model(self, session: "Session") -> None:
        if self._model is not None:
            session.load_model(os.path.abspath(self._model))  # noqa: PTH100 - keeps links as given
        else:
            session.load_first_model()
        if self._problem is not None:
            session.report_error("The settings can't be read.", self._problem)

    # ---- what is there before the session --------------------------------------------------

    def tuning(self) -> "Tuning":
        if self._tuning is None:
            from actors.messages import PlanLoad, UnloadWhenIdle
            from tkinfer.tuning.hooks import TuningHooks
            from tkinfer.tuning.tuning import Tuning

            hooks = TuningHooks(
                plan=lambda query, spec: self._tell_chain(PlanLoad(query=query, spec=spec)),
                load=self.load_model,
                unload=self.unload,
                unload_when_idle=lambda seconds: self._tell_chain(UnloadWhenIdle(seconds=seconds)),
            )
            self._tuning = Tuning(self._keeper.settings, self._save_later, hooks)
        return self._tuning

    def _save_later(self) -> None:
        """Save what was tuned, once it has come to rest."""
        if self._save_timer:
            self.root.after_cancel(self._save_timer)
        self._save_timer = self.root.after(SAVE_MS, self._save_now)

    def _save_now(self) -> None:
        self._save_timer = ""
        self._keeper.save_soon()

    def close(self) -> None:
        if self.session is not None:
            self.session.close()
        else:
            self._close_window()

    # ---- the end ---------------------------------------------------------------------------

    def _close_window(self) -> None:
        """Take the window off the screen at once; `shutdown` ends the rest behind it."""
        if self._start_timer:
            self.root.after_cancel(self._start_timer)
        if self._waker is not None:
            self._waker.close()
        remembered = self._keeper.settings
        remembered.window_size = self.window.size()
        remembered.zoom = self.window.zoom()
        self.window.close()  # what was typed into its panel last is tuned now
        if self._save_timer:
            self.root.after_cancel(self._save_timer)
        self._keeper.save_soon()
        self.root.destroy()

    def shutdown(self) -> None:
        """Stop actors and engine, and let the last save finish. Takes at most about 3 s."""
        gc.unfreeze()
        self._stop_chain()
        self._keeper.finish(SAVE_TIMEOUT_S)
        if self._log_handler is not None:
            logs.stop(self._log_handler)

    def _wake_from_any_thread(self) -> None:
        pump, waker = self.pump, self._waker
        if pump is not None and pump.asleep and waker is not None:
            waker.wake()

    def _callback_failed(self, error: BaseException) -> None:
        log.error("a callback of the window failed", exc_info=error)
        if self.session is not None:
            self.session.report_error("Something in the window failed.", error)
        else:
            what = "tkinfer could not start what answers."
            next_step = "Install it again, or look into the log file."
            detail = f"{type(error).__name__}: {error}"
            self.window.show_notice(Notice(what=what, next_step=next_step, detail=detail))


def _import_aside(*modules: str) -> threading.Thread:
    """Import on a thread of its own. Whoever needs one earlier waits for that one only."""

    def run() -> None:
        for module in modules:
            import_module(module)

    thread = threading.Thread(target=run, name="imports", daemon=True)
    thread.start()
    return thread


def _llama_engine() -> "Engine":
    from tkinfer.engines.process import ProcessEngine  # not needed to show the window

    return ProcessEngine()


def _make_root() -> tk.Tk:
    if sys.platform == "win32":
        with contextlib.suppress(OSError, AttributeError):
            # Without it Windows scales a blurred picture of the window; only before the first Tk().
            ctypes.windll.shcore.SetProcessDpiAwareness(1)
    try:
        root = tk.Tk(className="Tkinfer")
    except tk.TclError as error:
        what = "tkinfer found no display to open its window on."
        next_step = "Start it from a desktop session, or set DISPLAY."
        raise SetupError(what, next_step) from error
    found = str(root.tk.call("info", "patchlevel"))
    if tuple(int(part) for part in re.findall(r"\d+", found)[:3]) < OLDEST_TK:
        root.destroy()
        what = f"tkinfer needs Tk 8.6.12 or newer; this Python has {found}."
        next_step = "Install a newer Python with Tk, from python.org or your package manager."
        raise SetupError(what, next_step)
    return root


def _text_renderer(*, colours: bool = True) -> "TextRenderer":
    """Imported aside, once the window is there."""
    from tkinfer.markdown.renderer import MarkdownRenderer

    return MarkdownRenderer(colours=colours)
