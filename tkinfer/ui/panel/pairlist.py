"""A small list to edit: each row a text and a number, as for biased words."""

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tkinter import ttk

from tkinfer.tuning.fields import FieldError
from tkinfer.ui.panel.fieldrow import FieldRow
from tkinfer.ui.panel.numberrow import make_entry
from tkinfer.ui.theme import Theme

_NUMBER_CHARACTERS = 7
_MARK_MS = 500

Pair = tuple[str, str]
"""A text and a number, as they are typed."""


@dataclass(slots=True)
class _Line:
    frame: ttk.Frame
    text: ttk.Entry
    number: ttk.Entry


class PairList(FieldRow):
    """Applied as a whole, while nothing in it is wrong. Lines without a text are left out.

    `apply` raises FieldError for what can't be used; everything typed stays.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        label: str,
        note: str,
        apply: Callable[[Sequence[Pair]], None],
        reset: Callable[[], None],
        check: Callable[[str], object],
        buttons: Sequence[tuple[str, Callable[[], Pair | None]]],
    ) -> None:
        """`check` raises FieldError for a number that can't be used, as `apply` does. `buttons`
        have words, and make the pair that a new line begins with, if any.
        """
        super().__init__(parent, theme, label, note, reset)
        self._apply = apply
        self._check = check
        self._lines: list[_Line] = []
        self._shown: tuple[Pair, ...] = ()
        self.adopt: Callable[[tk.Misc], None] = lambda _: None
        """Called with every new line."""
        px = theme.px
        self._list = ttk.Frame(self.frame)
        self._list.grid(row=1, column=0, columnspan=3, sticky="ew")
        ttk.Frame(self._list, height=1).pack()  # an empty frame keeps its last child's height
        row = ttk.Frame(self.frame)
        row.grid(row=2, column=0, columnspan=3, sticky="w", pady=(px(3), 0))
        for words, make in buttons:
            button = ttk.Button(
                row,
                text=words,
                style="Quiet.TButton",
                command=lambda make=make: self._add_made(make()),
            )
            button.bind("<Return>", lambda event: event.widget.invoke())
            button.pack(side="left", padx=(0, px(4)))
        theme.on_paint(lambda _: self._paint())

    def show(self, pairs: Sequence[Pair]) -> None:
        """The pairs in use. What can't be used stays in its place."""
        shown = tuple(pairs)
        if self.error or self.timers.running("look") or shown == self._shown:
            return
        self._shown = shown
        if shown == self._complete():
            return
        while self._lines:
            self._lines.pop().frame.destroy()
        for text, number in shown:
            self._add(text, number)

    def add(self, text: str, number: str) -> None:
        """A new line, with the cursor in it; one without a text has no effect yet."""
        line = self._add(text, number)
        line.text.focus_set()
        self._look()

    def _add_made(self, pair: Pair | None) -> None:
        if pair is not None:
            self.add(*pair)

    def typed(self) -> tuple[Pair, ...]:
        """All lines as they are."""
        return tuple((line.text.get(), line.number.get()) for line in self._lines)

    def mark(self, *, invalid: bool) -> None:
        for line in self._lines:
            wrong = invalid and bool(line.text.get()) and not self._usable(line.number.get())
            line.number.state(["invalid" if wrong else "!invalid"])

    def _usable(self, number: str) -> bool:
        try:
            self._check(number)
        except FieldError:
            return False
        return True

    def flush(self) -> None:
        if self.timers.running("look"):
            self._look()

    def _complete(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.typed() if pair[0])

    def _add(self, text: str, number: str) -> _Line:
        px = self.theme.px
        frame = ttk.Frame(self._list)
        frame.columnconfigure(0, weight=1)
        line = _Line(
            frame,
            make_entry(frame, 8, self._typed),
            make_entry(frame, _NUMBER_CHARACTERS, self._typed, align="right"),
        )
        remove = ttk.Button(
            frame,
            style="Quiet.TButton",
            image=self._cross(),
            command=lambda: self._remove(line),
        )
        remove.bind("<Return>", lambda _: remove.invoke())
        line.text.grid(row=0, column=0, sticky="ew")
        line.number.grid(row=0, column=1, padx=(px(6), px(2)))
        remove.grid(row=0, column=2)
        line.text.insert(0, text)
        line.number.insert(0, number)
        frame.pack(fill="x", pady=(px(4), 0))
        self.timers.soon("ends", self._show_ends)
        self._lines.append(line)
        self.adopt(frame)
        return line

    def _show_ends(self) -> None:
        """A path that is too long for its entry is told by its end."""
        for line in self._lines:
            line.text.xview_moveto(1)

    def _remove(self, line: _Line) -> None:
        if line in self._lines:
            self._lines.remove(line)
            line.frame.destroy()
            self._look()

    def _typed(self) -> None:
        self.timers.start("look", _MARK_MS, self._look)

    def _look(self) -> None:
        self.timers.cancel("look")
        pairs = self._complete()
        try:
            if pairs != self._shown or self.error:
                self._apply(pairs)
        except FieldError as error:
            self.show_error(f"{error} Not applied yet.")
            self.mark(invalid=True)  # which lines they are may have changed
        else:
            self._shown = pairs
            self.show_error("")

    def discard(self) -> None:
        super().discard()
        self.timers.cancel("look")
        while self._lines:
            self._lines.pop().frame.destroy()
        self._shown = ()

    def _cross(self) -> str:
        return self.theme.icon("close", self.theme.palette.text["dim"], 14)

    def _paint(self) -> None:
        for line in self._lines:
            for child in line.frame.winfo_children():
                if isinstance(child, ttk.Button):
                    child.configure(image=self._cross())
