"""The main window: puts the parts together, and is the View that the session asks."""

import re
import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import ttk
from typing import Literal

from actors.drawing import DrawOp
from tkinfer.paths import asset
from tkinfer.ui import sanitise
from tkinfer.ui.appearance import SystemAppearance
from tkinfer.ui.bands import column_margin
from tkinfer.ui.callbackerrors import catch_callback_errors
from tkinfer.ui.composer import Composer, ComposerActions
from tkinfer.ui.emptystate import EmptyStateActions, EmptyStatePanel
from tkinfer.ui.keys import bind_keys, click_without_focus
from tkinfer.ui.lazypanel import LazyPanel
from tkinfer.ui.modelmenu import ModelActions
from tkinfer.ui.notice import NoticeArea
from tkinfer.ui.opendialog import ask_for_lora, ask_for_model
from tkinfer.ui.popover import SEPARATOR, Heading, Item, Popover, Row
from tkinfer.ui.sheet import Sheet
from tkinfer.ui.statusbar import StatusBar
from tkinfer.ui.textmenus import composer_rows, transcript_rows
from tkinfer.ui.theme import Theme
from tkinfer.ui.topbar import TopBar, TopBarActions
from tkinfer.ui.transcript import Transcript
from tkinfer.ui.view import Actions, Appearance, EmptyState, ModelBadge, Notice, Status, Tone

ErrorHandler = Callable[[BaseException], None]
"""Gets what a Tk callback raised, traceback included. Main thread."""

_PROGRAM = "tkinfer"
_AIR = 10
_WINDOW_MARGIN = 24
_SIZE = (1000, 740)
_LEAST_SIZE = (480, 400)


class MainWindow:
    """Implements View on a bare root. All calls on the main thread; each returns at once."""

    def __init__(
        self,
        root: tk.Tk,
        actions: Actions,
        *,
        appearance: Appearance = Appearance.SYSTEM,
        zoom: int = 0,
        size: str = "",
        on_error: ErrorHandler | None = None,
    ) -> None:
        """`zoom` counts steps; `size` is as in `1000x740`. Without `on_error`, errors in callbacks
        go to the root's `report_callback_exception`, which the caller has set.
        """
        self.root = root
        self._actions = actions
        self._appearance = appearance
        self._system_dark = False
        self._running = False
        self._badge = ModelBadge(label="")
        self._folder: Path | None = None
        catch_callback_errors(root, on_error)
        self._system = SystemAppearance(root, self._system_said)
        if appearance is Appearance.SYSTEM:
            self._system.check()  # first of all, so that the answer may be there before the window
        sanitise.adapt_to(root)
        self._theme = Theme(root, dark=self._wants_dark())
        self._set_up_root(size)
        self._popover = Popover(root, self._theme)
        self._sheet = Sheet(root, self._theme)
        self.panel = LazyPanel(
            self._theme,
            self._popover,
            actions.tuning,
            rows=(2, 3),
            ask_for_lora=lambda: ask_for_lora(root, self._folder),
            closed=self._to_composer,
        )
        self._build()
        self._bind()
        if zoom:
            self._theme.zoom(zoom)
        self.composer.focus()

    # ---- View

    def show_status(self, status: Status) -> None:
        self._status.show(status)

    def show_model(self, badge: ModelBadge) -> None:
        self._badge = badge
        self._top.model.show(badge)
        self._empty.offer_starter(installed=badge.starter_installed)

    def show_running(self, *, running: bool) -> None:
        self._running = running
        self.composer.show_running(running=running)
        if not running:
            self.transcript.remove_caret()

    def show_title(self, title: str) -> None:
        self._top.show_title(title)
        line = sanitise.clean_line(title)
        self.root.title(f"{line} · {_PROGRAM}" if line else _PROGRAM)

    def show_empty(self, state: EmptyState | None) -> None:
        self._empty.show(state)

    def add_user_message(self, text: str) -> None:
        self.transcript.add_user_message(text)

    def begin_answer(self, author: str) -> None:
        self.transcript.begin_answer(author)

    def draw(self, ops: Sequence[DrawOp]) -> None:
        self.transcript.draw(ops)

    def end_answer(self, *, figures: str, note: str, tone: Tone) -> None:
        self.transcript.end_answer(figures, note, tone)

    def clear_chat(self) -> None:
        self.transcript.clear()

    def show_notice(self, notice: Notice) -> None:
        self._notices.show(notice)

    def set_draft(self, text: str) -> None:
        self.composer.put_in_front(text)

    # ---- Beyond View

    def size(self) -> str:
        """Width and height, as `size` of the constructor takes them."""
        return f"{self.root.winfo_width()}x{self.root.winfo_height()}"

    def zoom(self) -> int:
        """Steps above (or below) the size that text has at first."""
        return self._theme.fonts.steps

    def close(self) -> None:
        """Close what lies on top, paint no more. The caller destroys the root, timers with it."""
        self._popover.close()
        self._sheet.close()
        self.panel.close()
        self._theme.close()

    def show_appearance(self, appearance: Appearance) -> None:
        """Paint the window so; asks the system if it is to decide."""
        self._appearance = appearance
        self._theme.switch(dark=self._wants_dark())
        if appearance is Appearance.SYSTEM:
            self._system.check()

    # ---- Putting it together

    def _set_up_root(self, size: str) -> None:
        root, px = self.root, self._theme.px
        root.title(_PROGRAM)
        remembered = re.fullmatch(r"(\d{3,5})x(\d{3,5})", size)
        across, down = map(int, remembered.groups()) if remembered else map(px, _SIZE)
        # Where it goes is the window manager's business.
        width = min(across, root.winfo_screenwidth())
        root.geometry(f"{width}x{min(down, root.winfo_screenheight())}")
        root.minsize(px(_LEAST_SIZE[0]), px(_LEAST_SIZE[1]))
        root.protocol("WM_DELETE_WINDOW", self._actions.close)
        icons = [asset(f"icons/tkinfer-{size}.png") for size in (128, 48)]
        if all(icon.exists() for icon in icons):
            names = [f"tkinfer.program.{icon.stem}" for icon in icons]
            for name, icon in zip(names, icons, strict=True):
                root.tk.call("image", "create", "photo", name, "-file", str(icon))
            root.tk.call("wm", "iconphoto", str(root), "-default", *names)

    def _build(self) -> None:
        root, theme = self.root, self._theme
        self._top = TopBar(root, theme, self._popover, self._top_bar_actions())
        self.transcript = Transcript(root, theme, typed=self._typed_elsewhere)
        self._bottom = ttk.Frame(root)
        self._notices = NoticeArea(self._bottom, theme)
        self.composer = Composer(
            self._bottom,
            theme,
            ComposerActions(send=self._actions.send, stop=self._actions.stop),
        )
        self._status = StatusBar(root, theme)
        self._empty = EmptyStatePanel(
            self.transcript.frame,
            theme,
            EmptyStateActions(
                open_file=self._open_file,
                load_starter=self._actions.load_starter,
                use_example=self.composer.replace,
            ),
        )
        self._lay_out()

    def _lay_out(self) -> None:
        root, px = self.root, self._theme.px
        root.columnconfigure(0, weight=1)
        root.rowconfigure(2, weight=1)
        self._top.frame.grid(row=0, column=0, columnspan=2, sticky="ew")
        hair = ttk.Frame(root, style="Hair.TFrame", height=px(1))
        hair.grid(row=1, column=0, columnspan=2, sticky="ew")
        self.transcript.frame.grid(row=2, column=0, sticky="nsew")
        self._bottom.grid(row=3, column=0, sticky="ew")
        self._notices.frame.pack(fill="x")
        self.composer.frame.pack(fill="x")
        self._status.frame.grid(row=4, column=0, sticky="ew", pady=(px(8), px(10)))
        self._bottom.bind("<Configure>", lambda event: self._fit_column(event.width))
        self._theme.on_zoom(lambda: self._fit_column(self._bottom.winfo_width()))

    def _fit_column(self, width: int) -> None:
        """Keep the composer in the transcript's column; the receipt may go beyond it."""
        px = self._theme.px
        margin = column_margin(self._theme, width)
        self._bottom.configure(padding=(margin, px(_AIR), margin, 0))
        self._status.frame.grid(padx=(margin + px(2), min(margin, px(_WINDOW_MARGIN))))

    def _top_bar_actions(self) -> TopBarActions:
        model = ModelActions(
            open_file=self._open_file,
            load=self._actions.load_model,
            load_starter=self._actions.load_starter,
            options=lambda: self.panel.open("loading"),
            cancel=self._actions.cancel_load,
        )
        return TopBarActions(
            new_chat=self._new_chat,
            settings=self.panel.toggle,
            near_settings=self.panel.warm_up,
            menu=self._menu,
            model=model,
        )

    def _menu(self) -> list[Row]:
        def look(label: str, appearance: Appearance) -> Item:
            return Item(
                label=label,
                action=lambda: self._choose_appearance(appearance),
                checked=self._appearance is appearance,
            )

        return [
            Item(label="Open GGUF…", action=self._open_file, shortcut="Ctrl+O"),
            Item(label="New chat", action=self._new_chat, shortcut="Ctrl+N"),
            Item(label="Settings", action=self.panel.toggle, shortcut="Ctrl+,"),
            SEPARATOR,
            Heading(label="Appearance"),
            look("System", Appearance.SYSTEM),
            look("Light", Appearance.LIGHT),
            look("Dark", Appearance.DARK),
            SEPARATOR,
            Item(label="Keyboard", action=self._sheet.show_keys, shortcut="F1"),
            Item(label="About", action=self._sheet.show_about),
        ]

    def _bind(self) -> None:
        root, theme = self.root, self._theme
        bind_keys(
            root,
            (self.transcript.text, self.composer.text),
            {
                "open": self._open_file,
                "new": self._new_chat,
                "composer": self.composer.focus,
                "copy_code": self._copy_last_code,
                "larger": lambda: theme.zoom(1),
                "smaller": lambda: theme.zoom(-1),
                "unzoomed": lambda: theme.zoom(0),
                "settings": lambda: self.panel.toggle(focus=True),
                "help": self._sheet.show_keys,
            },
        )
        click_without_focus(root)
        root.bind("<Escape>", self._escape)
        root.bind("<FocusIn>", self._focused, add=True)
        root.bind("<Destroy>", self._destroyed, add=True)
        self.transcript.text.bind("<<ContextMenu>>", self._transcript_menu)
        self.composer.text.bind("<<ContextMenu>>", self._composer_menu)

    # ---- What the user does

    def _typed_elsewhere(self, text: str) -> None:
        self.composer.type(text)

    def _to_composer(self) -> None:
        self.composer.focus()

    def _new_chat(self) -> None:
        self._actions.new_chat()
        self.composer.focus()

    def _open_file(self) -> None:
        path = ask_for_model(self.root, self._folder)
        if path:
            self._folder = Path(path).parent
            self._actions.load_model(path)

    def _copy_last_code(self) -> None:
        self.transcript.code.copy_last()

    def _escape(self, _event: "tk.Event[tk.Misc]") -> None:
        """Close what lies on top; with nothing there, stop what runs."""
        if self._popover.is_open:
            self._popover.close()
        elif self._sheet.close() or self.panel.escape():
            pass
        elif self._running:
            self._actions.stop()
        elif self._badge.loading is not None:
            self._actions.cancel_load()
        elif not self._notices.close_newest():
            self.panel.close()

    def _transcript_menu(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        place = str(self.transcript.text.index(f"@{event.x},{event.y}"))
        self._popover.open_at_pointer(event, transcript_rows(self.transcript, place))
        return "break"  # the press would close the menu again

    def _composer_menu(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._popover.open_at_pointer(event, composer_rows(self.composer.text))
        return "break"

    # ---- Appearance

    def _choose_appearance(self, appearance: Appearance) -> None:
        self.show_appearance(appearance)
        self._actions.choose_appearance(appearance)

    def _wants_dark(self) -> bool:
        if self._appearance is Appearance.SYSTEM:
            return self._system_dark
        return self._appearance is Appearance.DARK

    def _system_said(self, dark: bool) -> None:  # noqa: FBT001 - a callback with one answer
        self._system_dark = dark
        self._theme.switch(dark=self._wants_dark())

    def _focused(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self.root and self._appearance is Appearance.SYSTEM:
            self._system.check()

    def _destroyed(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self.root:
            self._theme.close()
