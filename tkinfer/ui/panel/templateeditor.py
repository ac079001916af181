"""The template editor: a large sheet over the window, with the chat template as Jinja source."""

import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from tkinter import ttk

from tkinfer.tuning.template_syntax import TemplateSyntaxError
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui import draft, fonts, tcl
from tkinfer.ui.elide import elide_middle
from tkinfer.ui.palette import Palette
from tkinfer.ui.panel.textrow import make_text, put_text
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.theme import Theme

_SHARE = 0.92
_WRONG_LINE = "wrong"
_HELP = "Jinja. Gets messages, add_generation_prompt, bos_token, eos_token and more."


class TemplateEditor:
    """One sheet, built at its first opening and kept. What is typed is never lost: closing keeps
    it as a draft, which the next opening shows.
    """

    def __init__(self, theme: Theme, tuning: Tuning) -> None:
        px = theme.px
        self._theme = theme
        self._tuning = tuning
        self._focus_before = ""
        self._path = ""
        self._touched = False
        self.is_open = False
        root = theme.root
        self.frame = ttk.Frame(root, style="Popover.TFrame", padding=px(18))
        self._title = ttk.Label(self.frame, style="Raised.Title.TLabel")
        self._help = ttk.Label(self.frame, style="Raised.Small.TLabel", text=_HELP)
        self.text = make_text(self.frame, theme, lines=4, code=True)
        self._bar = ttk.Scrollbar(
            self.frame,
            style="Slim.Vertical.TScrollbar",
            command=lambda *how: self.text.tk.call(str(self.text), "yview", *how),
        )
        self.text.configure(yscrollcommand=self._scrolled)
        self._note = ttk.Label(self.frame, style="Raised.Small.TLabel")
        self._buttons = ttk.Frame(self.frame, style="RaisedFlat.TFrame")
        self.save = self._button("Save", "Accent.TButton", self._save)
        self.cancel = self._button("Close", "Row.TButton", self._close)
        self.reset = self._button("Reset to the model's own", "Row.TButton", self._reset)
        self._lay_out()
        self.text.bind("<<Modified>>", self._modified)
        theme.on_paint(self._paint)
        theme.on_zoom(self._fit)
        self.frame.bind("<Configure>", lambda _: self._fit(), add=True)

    def open(self) -> None:
        """Show the template of the model in use."""
        # Checking needs Jinja, which takes some 50 ms to import: before Save is pressed.
        threading.Thread(
            target=partial(import_module, "jinja2"), name="imports", daemon=True
        ).start()
        if not self.is_open:
            self._focus_before = tcl.focus_path(self._theme.root)
        self.is_open = True
        self._path = self._tuning.path
        self._put(self._tuning.template_text)
        self.frame.place(relx=0.5, rely=0.5, anchor="center", relwidth=_SHARE, relheight=_SHARE)
        tcl.raise_above(self.frame)
        self._fit()
        self.text.mark_set("insert", "1.0")
        self.text.see("1.0")
        self.text.focus_set()

    def close(self) -> bool:
        """Take the sheet away and keep what was typed. False: it isn't there."""
        if not self.is_open:
            return False
        if self._touched and self._tuning.path == self._path:
            self._tuning.keep_draft(self.typed())
        self._leave()
        return True

    def _close(self) -> None:
        self.close()

    def refresh(self) -> None:
        """Another model is in use: its template is not this one."""
        if self.is_open and self._tuning.path != self._path:
            self._leave()

    def typed(self) -> str:
        """What is in the editor."""
        return draft.from_box(self.text.get("1.0", "end-1c"))

    def _leave(self) -> None:
        self.is_open = False
        self.frame.place_forget()
        tcl.focus(self._theme.root, self._focus_before)

    def _lay_out(self) -> None:
        px = self._theme.px
        frame = self.frame
        frame.columnconfigure(0, weight=1)
        frame.rowconfigure(2, weight=1)
        self._title.grid(row=0, column=0, sticky="ew")
        self._help.grid(row=1, column=0, sticky="ew", pady=(px(2), px(8)))
        self.text.grid(row=2, column=0, sticky="nsew")
        self._bar.grid(row=2, column=1, sticky="ns")
        self._note.grid(row=3, column=0, columnspan=2, sticky="ew", pady=(px(8), 0))
        self._buttons.grid(row=4, column=0, columnspan=2, sticky="ew", pady=(px(10), 0))
        self.save.pack(side="right")
        self.cancel.pack(side="right", padx=px(6))
        self.reset.pack(side="left")

    def _paint(self, palette: Palette) -> None:
        self.text.configure(background=palette.ground["code"])
        self.text.tag_configure(_WRONG_LINE, background=palette.ground["error"])
        self.text.tag_raise("sel")

    def _scrolled(self, first: float, last: float) -> None:
        self._bar.set(first, last)
        if (float(first), float(last)) == (0.0, 1.0):  # Tk sends them as texts
            self._bar.grid_remove()
        else:
            self._bar.grid()

    def _button(self, words: str, style: str, command: Callable[[], None]) -> ttk.Button:
        button = ttk.Button(self._buttons, text=words, style=style, command=command)
        button.bind("<Return>", lambda _: button.invoke())
        return button

    def _fit(self) -> None:
        room = max(self.frame.winfo_width() - self._theme.px(48), 1)
        title = f"Chat template of {clean_line(self._tuning.model_name) or 'no model'}"
        fitted = elide_middle(
            title, room, lambda text: self._theme.fonts.measure(fonts.TITLE, text)
        )
        self._title.configure(text=fitted)
        for label in (self._help, self._note):
            label.configure(wraplength=room)

    def _put(self, source: str) -> None:
        put_text(self.text, source)
        self._settled()

    def _state(self) -> str:
        tuning = self._tuning
        if tuning.template_text and tuning.template_text not in (
            tuning.format.override,
            tuning.own_template(),
        ):
            return "A draft, which is not in use yet."
        if tuning.format.override:
            return "Your own template, in use for this model."
        if not tuning.own_template():
            return "The model brings no template; what you save here is used."
        return "The model's own template, in use."

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self._note.configure(
            text=clean(words), style="Raised.Wrong.TLabel" if wrong else "Raised.Small.TLabel"
        )
        if not wrong:
            self.text.tag_remove(_WRONG_LINE, "1.0", "end")

    def _modified(self, _event: object) -> None:
        if self.text.edit_modified():
            self.text.edit_modified(False)
            self._touched = True
            self._say("Not saved yet. Closing keeps it as a draft.")

    def _save(self) -> None:
        self.text.edit_modified(False)
        try:
            self._tuning.override_template(self.typed())
        except TemplateSyntaxError as error:
            self._say(f"{error}  The text is kept, but not used.", wrong=True)
            self._show_line(error.line)
        else:
            self._leave()

    def _show_line(self, line: int) -> None:
        """Mark a line of the source; a soft break ends one of the box, but not of the source."""
        self.text.tag_remove(_WRONG_LINE, "1.0", "end")
        if not line:
            return
        source_line, first, last = 1, 1, 0
        for number, part in enumerate(self.text.get("1.0", "end-1c").split("\n"), start=1):
            if source_line == line:
                first = first if last else number
                last = number
            source_line += not draft.is_soft(part)
        self.text.tag_add(_WRONG_LINE, f"{first}.0", f"{max(last, first)}.end +1c")
        self.text.mark_set("insert", f"{first}.0")
        self.text.see(f"{first}.0")
        self.text.focus_set()

    def _reset(self) -> None:
        """Use the model's own template, and show it. Undo in the editor has the other text."""
        self._tuning.drop_override()
        self.text.edit_separator()
        self.text.delete("1.0", "end")
        self.text.insert("1.0", self._tuning.own_template())
        self.text.edit_separator()
        self._settled()

    def _settled(self) -> None:
        """What is in the editor is what Tuning knows."""
        self._touched = False
        self.text.edit_modified(False)
        self._say(self._state())
