"""The main window: puts the parts together, and is the View that the session asks."""

import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import ttk
from typing import Literal

from actors.drawing import DrawOp
from actors.turn import Channel
from tkinfer.ui import sanitise
from tkinfer.ui.bands import column_margin
from tkinfer.ui.callbackerrors import catch_callback_errors
from tkinfer.ui.composer import Composer, ComposerActions
from tkinfer.ui.emptystate import EmptyStateActions, EmptyStatePanel
from tkinfer.ui.findbar import FindBar
from tkinfer.ui.keys import bind_keys, bind_wheel_zoom, click_without_focus
from tkinfer.ui.lastanswer import LastAnswer
from tkinfer.ui.lazypanel import LazyPanel
from tkinfer.ui.lighting import Lighting
from tkinfer.ui.mainmenu import MainMenuActions, main_menu_rows
from tkinfer.ui.modelmenu import ModelActions
from tkinfer.ui.notice import NoticeArea
from tkinfer.ui.opendialog import ask_for_lora, ask_for_model
from tkinfer.ui.popover import Popover, Row
from tkinfer.ui.rootwindow import PROGRAM, set_up_root
from tkinfer.ui.sheets import Sheets
from tkinfer.ui.statusbar import StatusBar
from tkinfer.ui.textmenus import composer_rows
from tkinfer.ui.theme import Theme
from tkinfer.ui.topbar import TopBar, TopBarActions
from tkinfer.ui.transcript import Transcript
from tkinfer.ui.transcriptmenus import TranscriptMenus
from tkinfer.ui.view import (
    Actions,
    AnswerChoices,
    Appearance,
    EmptyState,
    History,
    ModelBadge,
    Notice,
    Status,
    Tone,
)

ErrorHandler = Callable[[BaseException], None]
"""Gets what a Tk callback raised, traceback included. Main thread."""

_AIR = 10
_WINDOW_MARGIN = 24


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
        self._running = False
        self._badge = ModelBadge(label="")
        self._folder: Path | None = None
        catch_callback_errors(root, on_error)
        # First of all, so that the system's answer may be there before the window.
        self._lighting = Lighting(root, appearance)
        sanitise.adapt_to(root)
        self._theme = Theme(root, palette=self._lighting.palette)
        self._lighting.on_change(self._theme.switch)
        set_up_root(root, self._theme.px, size=size, close=actions.close)
        self._popover = Popover(root, self._theme)
        self._sheets = Sheets(self._theme)
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
        self.root.title(f"{line} · {PROGRAM}" if line else PROGRAM)

    def show_empty(self, state: EmptyState | None) -> None:
        self._empty.show(state)

    def add_user_message(self, text: str) -> None:
        self.transcript.add_user_message(text)

    def begin_answer(self, author: str) -> None:
        self.transcript.begin_answer(author)

    def show_left_out(self, words: str) -> None:
        self.transcript.show_left_out(words)

    def draw(self, ops: Sequence[DrawOp], channel: Channel = Channel.ANSWER) -> None:
        self.transcript.draw(ops, channel)

    def end_answer(self, *, figures: str, note: str, tone: Tone) -> None:
        self.transcript.end_answer(figures, note, tone)

    def show_choices(self, choices: AnswerChoices | None) -> None:
        self._last_answer.choices = choices
        self.transcript.show_choices(choices)

    def show_thinking(self, seconds: float, *, over: bool) -> None:
        self.transcript.show_thinking(seconds, over=over)

    def show_history(self, history: History, at: int | None = None) -> None:
        self.show_choices(None)
        self.transcript.show_history(history, at)
        self.find.chat_changed()

    def redraw_from(self, index: int) -> None:
        self.transcript.redraw_from(index)

    def show_notice(self, notice: Notice) -> None:
        self._notices.show(notice)

    def set_draft(self, text: str) -> None:
        self.composer.put_in_front(text)

    def edit_question(self, text: str) -> None:
        self.composer.edit(text)

    def leave_edit(self) -> None:
        self.composer.leave_edit()

    def show_draft_tokens(self, words: str) -> None:
        self.composer.show_tokens(words)

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
        self._sheets.close()
        self.panel.close()
        self._theme.close()

    def show_appearance(self, appearance: Appearance) -> None:
        """Paint the window so; asks the system if it is to decide."""
        self._lighting.choose(appearance)

    # ---- Putting it together

    def _build(self) -> None:
        root, theme = self.root, self._theme
        self._top = TopBar(root, theme, self._popover, self._top_bar_actions())
        self._last_answer = LastAnswer(self._actions, self._to_clipboard)
        self.transcript = Transcript(
            root,
            theme,
            typed=lambda text: self.composer.type(text),  # noqa: PLW0108 - the composer comes later
            actions=self._last_answer.row_actions(
                tokens=lambda: self._sheets.show_tokens(self._actions.answer_tokens())
            ),
        )
        self.menus = TranscriptMenus(
            self.transcript, self._popover, self._actions, self._last_answer, self._to_clipboard
        )
        self.find = FindBar(self.transcript, theme, self._to_composer)
        self._bottom = ttk.Frame(root)
        self._notices = NoticeArea(self._bottom, theme)
        self.composer = Composer(
            self._bottom,
            theme,
            ComposerActions(
                send=self._actions.send,
                send_edited=self._actions.send_edited,
                stop=self._actions.stop,
                edit=self._last_answer.edit,
                resume=self._last_answer.resume,
                count=self._actions.count_draft,
            ),
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
            unload=self._actions.unload,
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
        actions = MainMenuActions(
            open_file=self._open_file,
            new_chat=self._new_chat,
            settings=self.panel.toggle,
            look=self._choose_look,
            keys=self._sheets.show_keys,
            about=self._sheets.show_about,
        )
        return main_menu_rows(actions, self._lighting.chosen)

    def _bind(self) -> None:
        root, theme = self.root, self._theme
        bind_keys(
            root,
            (self.transcript.text, self.composer.text),
            {
                "open": self._open_file,
                "new": self._new_chat,
                "composer": self.composer.focus,
                "regenerate": self._last_answer.regenerate,
                "find": self.find.open,
                "copy_code": self.transcript.code.copy_last,
                "larger": lambda: theme.zoom(1),
                "smaller": lambda: theme.zoom(-1),
                "unzoomed": lambda: theme.zoom(0),
                "settings": lambda: self.panel.toggle(focus=True),
                "help": self._sheets.show_keys,
            },
        )
        click_without_focus(root)
        bind_wheel_zoom(root, theme.zoom)
        root.bind("<Escape>", self._escape)
        root.bind("<Destroy>", self._destroyed, add=True)
        self.composer.text.bind("<<ContextMenu>>", self._composer_menu)

    # ---- What the user does

    def _to_clipboard(self, text: str) -> None:
        self.root.clipboard_clear()
        self.root.clipboard_append(text)

    def _to_composer(self) -> None:
        self.composer.focus()

    def _new_chat(self) -> None:
        self._actions.new_chat()
        self.composer.focus()

    def _choose_look(self, appearance: Appearance) -> None:
        self.show_appearance(appearance)
        self._actions.choose_appearance(appearance)

    def _open_file(self) -> None:
        path = ask_for_model(self.root, self._folder)
        if path:
            self._folder = Path(path).parent
            self._actions.load_model(path)

    def _escape(self, _event: "tk.Event[tk.Misc]") -> None:
        """Close what lies on top; with nothing there, stop what runs."""
        if self._popover.is_open:
            self._popover.close()
        elif self._sheets.close() or self.find.close() or self.panel.escape():
            pass
        elif self._running:
            self._actions.stop()
        elif self._badge.loading is not None:
            self._actions.cancel_load()
        elif self.composer.leave_edit():
            pass
        elif not self._notices.close_newest():
            self.panel.close()

    def _composer_menu(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._popover.open_at_pointer(event, composer_rows(self.composer.text))
        return "break"  # the press would close the menu again

    def _destroyed(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is self.root:
            self._theme.close()
