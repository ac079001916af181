"""The composer: the input box that grows with its text, and the button that sends or stops."""

import time
import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from tkinter import ttk
from typing import Literal

from tkinfer.ui import draft, fonts
from tkinfer.ui.boxclipboard import BoxClipboard
from tkinfer.ui.editstrip import EditStrip
from tkinfer.ui.ime import Composing
from tkinfer.ui.palette import Palette
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

LEAST_LINES = 1
MOST_LINES = 8
MAX_UNDO = 500
_STOP_TO_SEND_S = 0.4
"""For so long after Stop has turned into Send, a click was still meant for Stop."""
_HINT_MS = 4_000
_COUNT_MS = 300
"""So long after the last key the draft's tokens are counted: once a pause, not once a key."""

_HINT = "Enter sends  ·  Shift+Enter for a new line"
_EDIT_HINT = "Enter sends it in place of the old one  ·  Esc leaves it as it was"
_BUSY_HINT = "Still answering. Your draft stays here; Esc stops."
_PLACEHOLDER = "Ask anything"

Break = Literal["break"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerActions:
    """What the composer reports. `send` and `send_edited` say whether the text was taken."""

    send: Callable[[str], bool]
    send_edited: Callable[[str], bool]
    stop: Callable[[], None]
    edit: Callable[[], None]
    """The last question is to be changed."""
    resume: Callable[[], bool]
    """The last answer is to be gone on with. False: it can't be."""
    count: Callable[[str], None]


class Composer:
    """One rounded field: the text above, a hint and the button below."""

    def __init__(self, parent: tk.Misc, theme: Theme, actions: ComposerActions) -> None:
        px = theme.px
        self._theme = theme
        self._actions = actions
        self._running = False
        self._send_again = 0.0
        self.frame = ttk.Frame(
            parent, style="Composer.TFrame", padding=(px(14), px(10), px(8), px(8))
        )
        self.text = self._make_text()
        draft.SoftBreaks(self.text)
        BoxClipboard(self.text, insert=self._insert)
        self._placeholder = ttk.Label(
            self.frame,
            text=_PLACEHOLDER,
            style="Raised.Dim.TLabel",
            font=fonts.BODY,
            cursor="xterm",
        )
        self._edit = EditStrip(self.frame, theme, self._cancel_edit)
        self._hint = ttk.Label(self.frame, text=_HINT, style="Raised.Small.TLabel", width=1)
        self._tokens = ttk.Label(self.frame, style="Raised.Small.TLabel")
        self.button = ttk.Button(self.frame, text="Send", compound="left", command=self._click)
        self._timers = Timers(self.frame)
        self._composing = Composing(self.text)
        self._lay_out()
        self._bind()
        theme.on_paint(self._paint)
        theme.on_zoom(self._fit)

    def show_running(self, *, running: bool) -> None:
        """Send or Stop, in the same place."""
        if self._running and not running:
            self._send_again = time.monotonic() + _STOP_TO_SEND_S
        self._running = running
        self._show_button()
        self._say_usual()

    def focus(self) -> None:
        self.text.focus_set()

    def type(self, text: str) -> None:
        """Insert at the cursor, as if typed here."""
        self.text.focus_set()
        self._insert(text)

    def put_in_front(self, text: str) -> None:
        """Put text in front of the draft."""
        if self._edit.waiting is not None:
            self._edit.waiting = text + self._edit.waiting
            return
        self.text.insert("1.0", text)
        self._fit()
        self.focus()

    def replace(self, text: str) -> None:
        """Put text in the place of the draft; undo brings the draft back."""
        self.text.delete("1.0", "end")
        self.type(text)

    def draft(self) -> str:
        """What the box holds, exactly as the user wrote it."""
        return draft.from_box(self.text.get("1.0", "end-1c"))

    def edit(self, question: str) -> None:
        """Let the user change a question that was sent; the draft waits meanwhile."""
        waiting = self._edit.waiting
        self._edit.open(self.draft() if waiting is None else waiting)
        self._fill(question)
        self._say_usual()
        self.focus()

    def leave_edit(self) -> bool:
        """Give up the change, if one is being made: the draft is back. False: none was."""
        if self._edit.waiting is None:
            return False
        self._fill(self._edit.close())
        self._say_usual()
        return True

    def show_tokens(self, words: str) -> None:
        """How large the draft is."""
        self._tokens.configure(text=words if self.draft() else "")

    def send(self) -> None:
        """Send the draft, unless there is nothing to send or an answer is still running."""
        text = self.draft()
        if not text.strip():
            return
        if self._running:
            self._say(_BUSY_HINT)
            self._timers.start("hint", _HINT_MS, self._say_usual)
            return
        if self._edit.waiting is not None:
            self._send_edited(text)
        elif self._actions.send(text):
            self._fill("")

    def _send_edited(self, text: str) -> None:
        # Left first: if the program refuses the text at once, it asks for the edit again.
        self.leave_edit()
        if not self._actions.send_edited(text):
            self.edit(text)

    def _fill(self, text: str) -> None:
        """Put a text in the place of another one, with no undo between the two."""
        self.text.delete("1.0", "end")
        self.text.insert("1.0", text)
        self.text.edit_reset()
        self.text.see("insert")
        self._fit()

    def _cancel_edit(self) -> None:
        self.leave_edit()
        self.focus()

    def _make_text(self) -> tk.Text:
        return tk.Text(
            self.frame,
            height=LEAST_LINES,
            width=1,
            wrap="word",
            font=fonts.BODY,
            undo=True,
            maxundo=MAX_UNDO,
            autoseparators=True,
            borderwidth=0,
            highlightthickness=0,
            padx=0,
            pady=self._theme.px(2),
            spacing2=self._theme.px(2),
            spacing3=self._theme.px(2),
        )

    def _lay_out(self) -> None:
        px = self._theme.px
        self.frame.columnconfigure(0, weight=1)
        self.text.grid(row=1, column=0, columnspan=3, sticky="ew", padx=(0, px(6)))
        self._hint.grid(row=2, column=0, sticky="ew", pady=(px(8), 0))
        self._tokens.grid(row=2, column=1, sticky="e", padx=px(12), pady=(px(8), 0))
        self.button.grid(row=2, column=2, sticky="e", pady=(px(8), 0))
        self._placeholder.place(in_=self.text, x=px(1), y=px(2))
        self._placeholder.bind("<Button-1>", lambda _: self.focus())

    def _bind(self) -> None:
        text = self.text
        for name in ("<Return>", "<KP_Enter>"):
            text.bind(name, self._enter)
        for name in ("<Shift-Return>", "<Shift-KP_Enter>"):
            text.bind(name, self._newline)
        for name in ("<Control-Return>", "<Control-KP_Enter>"):
            text.bind(name, self._resume)
        text.bind("<Up>", self._up)
        text.bind("<Tab>", lambda _: _focus(text.tk_focusNext()))
        text.bind("<<PrevWindow>>", lambda _: _focus(text.tk_focusPrev()))
        text.bind("<<Modified>>", self._modified)
        text.bind("<Configure>", lambda _: self._fit())
        text.bind("<FocusIn>", lambda _: self._ring(focused=True))
        text.bind("<FocusOut>", lambda _: self._ring(focused=False))

    def _enter(self, event: "tk.Event[tk.Text]") -> Break:
        if self._composing.takes(event):
            return "break"
        try:
            self.send()
        except Exception as error:  # noqa: BLE001 - reported where all callbacks' errors are
            # Raised from here, it would keep "break" from Tk, and the key would break the line.
            self._timers.soon("report", partial(_raise, error))
        return "break"

    def _resume(self, event: "tk.Event[tk.Text]") -> Break:
        """Go on with an answer that was cut; with a draft there, or nothing to go on with, send."""
        if self._is_empty() and self._actions.resume():
            return "break"
        return self._enter(event)

    def _up(self, _event: "tk.Event[tk.Text]") -> Break:
        if self._is_empty() and self._edit.waiting is None:
            self._actions.edit()
            return "break"
        return None

    def _is_empty(self) -> bool:
        return self.text.compare("end-1c", "==", "1.0")

    def _newline(self, _event: "tk.Event[tk.Text]") -> Break:
        self._insert("\n")
        return "break"

    def _insert(self, text: str) -> None:
        """Put text in the place of the selection, or at the cursor; one step for undo."""
        box = self.text
        box.edit_separator()
        if box.tag_ranges("sel"):
            box.delete("sel.first", "sel.last")
        box.insert("insert", text)
        box.edit_separator()
        box.see("insert")
        self._fit()

    def _modified(self, _event: "tk.Event[tk.Text]") -> None:
        if self.text.edit_modified():  # setting it back fires the event once more
            self.text.edit_modified(False)
            self._fit()
            self._timers.start("count", _COUNT_MS, self._count)

    def _count(self) -> None:
        self._actions.count(self.draft())

    def _fit(self) -> None:
        """Placeholder, height and button, by what the box holds now."""
        if self._is_empty():
            self._tokens.configure(text="")
            self._placeholder.place(in_=self.text, x=self._theme.px(1), y=self._theme.px(2))
        else:
            self._placeholder.place_forget()
        lines = self._lines()
        if lines != int(str(self.text.cget("height"))):
            self.text.configure(height=lines)
        self._show_button()

    def _lines(self) -> int:
        """Display lines to show. Long texts are not laid out for it: a line is at least a line."""
        if int(str(self.text.index("end-1c")).split(".")[0]) >= MOST_LINES:
            return MOST_LINES
        counted = self.text.count("1.0", "end-1c", "displaylines")
        wrapped = counted[0] if isinstance(counted, tuple) else counted or 0
        return min(max(wrapped + 1, LEAST_LINES), MOST_LINES)

    def _click(self) -> None:
        if self._running:
            self._actions.stop()
        elif time.monotonic() >= self._send_again:
            self.send()
            self.focus()

    def _show_button(self) -> None:
        colours = self._theme.palette.danger if self._running else self._theme.palette.accent
        if self._running:
            icon, words, style, usable = "stop", " Stop  Esc", "Danger.TButton", True
        else:
            usable = not self._is_empty()
            icon, words, style = "send", " Send", "Accent.TButton"
        colour = colours["text"] if usable else self._theme.palette.accent["faint_text"]
        self.button.configure(text=words, style=style, image=self._theme.icon(icon, colour, 14))
        self.button.state(["!disabled"] if usable else ["disabled"])

    def _say_usual(self) -> None:
        self._say(_HINT if self._edit.waiting is None else _EDIT_HINT)

    def _say(self, hint: str) -> None:
        self._timers.cancel("hint")
        self._hint.configure(text=hint)

    def _ring(self, *, focused: bool) -> None:
        self.frame.state(["focus"] if focused else ["!focus"])

    def _paint(self, palette: Palette) -> None:
        self.text.configure(
            background=palette.ground["raised"],
            foreground=palette.text["normal"],
            insertbackground=palette.text["normal"],
            insertwidth=self._theme.px(1.5),
            selectbackground=palette.ground["selection"],
            selectforeground=palette.text["normal"],
            inactiveselectbackground=palette.ground["selection"],
        )
        self._show_button()


def _raise(error: Exception) -> None:
    raise error


def _focus(widget: tk.Misc | None) -> Break:
    if widget is not None:
        widget.focus_set()
        widget.event_generate("<<TraverseIn>>")
    return "break"
