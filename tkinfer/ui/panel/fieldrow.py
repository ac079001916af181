"""A row of a settings panel: label, editor, the way back to the default, and a line of help."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from tkinfer.ui.palette import Palette
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

ROW_AIR = 7


class FieldRow:
    """What all rows have. Subclasses put their editor into row 0 or 1 of `frame`.

    What is wrong with the text takes the place of the help, until it is right.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        label: str,
        note: str,
        reset: Callable[[], None] | None = None,
    ) -> None:
        px = theme.px
        self.theme = theme
        self.frame = ttk.Frame(parent)
        self.timers = Timers(self.frame)
        self._help = note
        self._error = ""
        self._changed = False
        self._width = 0
        self.frame.columnconfigure(0, weight=1)
        self.label = ttk.Label(self.frame, text=clean_line(label))
        self.label.grid(row=0, column=0, sticky="w")
        self._reset: ttk.Button | None = None
        if reset is not None:

            def back() -> None:
                self.discard()
                reset()

            self._reset = ttk.Button(self.frame, text="Reset", style="Quiet.TButton", command=back)
            self._reset.bind("<Return>", lambda _: back())
        self._note = ttk.Label(self.frame, text=clean(note), style="Small.TLabel")
        if note:
            self._note.grid(row=3, column=0, columnspan=3, sticky="ew", pady=(px(2), 0))

    def pack(self) -> None:
        """Put the row below those that are there."""
        px = self.theme.px
        self.frame.pack(fill="x", pady=px(ROW_AIR))

    def pack_below(self, other: "FieldRow") -> None:
        """Put the row below a certain one."""
        self.frame.pack(fill="x", pady=self.theme.px(ROW_AIR), after=other.frame)

    def show_changed(self, *, changed: bool) -> None:
        """Whether the value differs from its default: then one click resets it."""
        self._changed = changed
        self._show_reset()

    def _show_reset(self) -> None:
        if self._reset is None:
            return
        if self._changed or self._error:
            self._reset.grid(row=0, column=1, padx=self.theme.px(4))
        else:
            self._reset.grid_remove()

    @property
    def error(self) -> str:
        """Why what is in the editor is not applied; empty if it is."""
        return self._error

    def show_error(self, reason: str) -> None:
        """Mark the editor with a reason, or take the mark away."""
        if reason == self._error:
            return
        self._error = reason
        words = clean(reason or self._help)
        self._note.configure(text=words, style="Wrong.TLabel" if reason else "Small.TLabel")
        if words:
            self._note.grid(row=3, column=0, columnspan=3, sticky="ew", pady=(self.theme.px(2), 0))
        else:
            self._note.grid_remove()
        self.mark(invalid=bool(reason))
        self._show_reset()

    def mark(self, *, invalid: bool) -> None:
        """Draw the editor as one whose text can't be used, or not."""

    def flush(self) -> None:
        """Apply now what was typed just before."""

    def discard(self) -> None:
        """Give up what is in the editor and can't be used: what is in use is shown next."""
        self.show_error("")

    def show_help(self, words: str) -> None:
        """Another line of help."""
        self._help = words
        if not self._error:
            self._note.configure(text=clean(words))

    def fit(self, width: int) -> None:
        """The row is so many pixels wide now."""
        if width == self._width:
            return  # each label that is configured is laid out anew, with all around it
        self._width = width
        self._note.configure(wraplength=width)
        beside = self.beside() + (self._reset.winfo_reqwidth() if self._reset else 0)
        self.label.configure(wraplength=max(width - beside - self.theme.px(12), width // 3))

    def beside(self) -> int:
        """Pixels that the editor takes beside the label."""
        return 0


class SwitchRow(FieldRow):
    """On or off."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        label: str,
        note: str,
        apply: Callable[[bool], None],
        reset: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(parent, theme, label, note, reset)
        self._apply = apply
        self.switch = ttk.Checkbutton(
            self.frame, style="Switch.TCheckbutton", command=self._switched
        )
        self.switch.state(["!alternate"])
        self.switch.grid(row=0, column=2, sticky="e")
        self.switch.bind("<Return>", lambda _: self.switch.invoke())
        self.label.bind("<Button-1>", lambda _: self.switch.invoke())

    def beside(self) -> int:
        return self.switch.winfo_reqwidth()

    def show(self, *, on: bool) -> None:
        self.switch.state(["!alternate", "selected" if on else "!selected"])

    def _switched(self) -> None:
        self._apply(self.switch.instate(["selected"]))


def section(parent: tk.Misc, theme: Theme, label: str) -> ttk.Label:
    """A heading inside of a page, with a hairline above it."""
    px = theme.px
    ttk.Frame(parent, style="Hair.TFrame", height=px(1)).pack(fill="x", pady=(px(14), px(10)))
    heading = ttk.Label(parent, text=label, style="SmallBold.TLabel")
    heading.pack(fill="x", pady=(0, px(2)))
    return heading


def window_keys_first(widget: tk.Misc) -> None:
    """The window's keys before those of the widget's class, whose Ctrl+O would break the line."""
    path, root = str(widget), str(widget.winfo_toplevel())
    others = [tag for tag in widget.bindtags() if tag not in (path, root)]
    widget.bindtags((path, root, *others))


def paint_text(text: tk.Text, theme: Theme, palette: Palette) -> None:
    """The colours of a classic Text that lies in a field."""
    text.configure(
        background=palette.ground["raised"],
        foreground=palette.text["normal"],
        insertbackground=palette.text["normal"],
        insertwidth=theme.px(1.5),
        selectbackground=palette.ground["selection"],
        selectforeground=palette.text["normal"],
        inactiveselectbackground=palette.ground["selection"],
    )
