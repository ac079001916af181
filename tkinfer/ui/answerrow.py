"""The row under the last answer: what can be done with it, as words in the transcript itself."""

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tkinfer.ui import fonts
from tkinfer.ui.composition import CHROME, Drawn
from tkinfer.ui.palette import Palette
from tkinfer.ui.theme import Theme
from tkinfer.ui.view import AnswerChoices

ROW = "answer.row"
"""On the whole row, the line feed in front of it included."""
_GAP = "     "
_AIR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerActions:
    """What the row reports."""

    regenerate: Callable[[], None]
    resume: Callable[[], None]
    edit: Callable[[], None]
    copy: Callable[[], None]
    tokens: Callable[[], None]
    earlier: Callable[[], None]
    later: Callable[[], None]


def _tag(name: str) -> str:
    return f"{ROW}.{name}"


def row_runs(choices: AnswerChoices) -> list[Drawn]:
    """The row's words, each with the tag that a click on it is known by."""
    labels = [("regenerate", "Regenerate")]
    if choices.resumable:
        labels.insert(0, ("resume", "Continue"))
    labels += [("edit", "Edit\u00a0question"), ("copy", "Copy")]
    if choices.tokens:
        labels.append(("tokens", "Tokens"))
    plain = (CHROME, ROW)
    runs: list[Drawn] = []
    for name, label in labels:
        runs += [(label, (*plain, _tag(name))), (_GAP, plain)]
    if choices.versions > 1:
        runs += [
            ("‹\u00a0", (*plain, _tag("earlier")) if choices.number > 1 else plain),
            (f"{choices.number}\u00a0of\u00a0{choices.versions}", plain),
            ("\u00a0›", (*plain, _tag("later")) if choices.number < choices.versions else plain),
            (_GAP, plain),
        ]
    if choices.seed is not None:
        runs.append((f"seed\u00a0{choices.seed}", plain))
    return runs


class AnswerRow:
    """Keeps the row at the end of one Text, where the text that comes next would go."""

    def __init__(self, text: tk.Text, theme: Theme, actions: AnswerActions) -> None:
        self._text = text
        self._palette = theme.palette
        self._cursor = str(text.cget("cursor"))
        self._shown = False
        text.tag_configure(ROW, font=fonts.SMALL, spacing1=theme.px(_AIR))
        for name in AnswerActions.__dataclass_fields__:
            tag, run = _tag(name), getattr(actions, name)
            text.tag_configure(tag, font=fonts.SMALL_BOLD)
            text.tag_bind(tag, "<Enter>", partial(self._hover, tag))
            text.tag_bind(tag, "<Leave>", partial(self._unhover, tag))
            text.tag_bind(tag, "<ButtonRelease-1>", partial(self._click, run))
        theme.on_paint(self._paint)

    def show(self, choices: AnswerChoices, *, at_line_start: bool) -> None:
        """Put the row behind everything else."""
        self.remove()
        runs = row_runs(choices)
        if not at_line_start:
            runs.insert(0, ("\n", (CHROME, ROW)))
        flat = [part for run in runs for part in run]
        self._text.insert("end-1c", *flat)  # pyright: ignore[reportArgumentType] - s, tags, s, tags
        self._shown = True

    def remove(self) -> None:
        """Take it away, if it is there."""
        if self._shown:
            self._text.delete(f"{ROW}.first", f"{ROW}.last")
            self.forget()

    def forget(self) -> None:
        """The text was emptied, and the row with it."""
        self._shown = False
        self._text.configure(cursor=self._cursor)
        self._paint(self._palette)

    def _click(self, run: Callable[[], None], _event: "tk.Event[tk.Text]") -> None:
        if not self._text.tag_ranges("sel"):  # else the click ends the drawing of a selection
            run()

    def _hover(self, tag: str, _event: "tk.Event[tk.Text]") -> None:
        self._text.tag_configure(tag, foreground=self._palette.text["accent"])
        self._text.configure(cursor="hand2")

    def _unhover(self, tag: str, _event: "tk.Event[tk.Text]") -> None:
        self._text.tag_configure(tag, foreground=self._palette.text["dim"])
        self._text.configure(cursor=self._cursor)

    def _paint(self, palette: Palette) -> None:
        self._palette = palette
        self._text.tag_configure(ROW, foreground=palette.text["dim"])
        for name in AnswerActions.__dataclass_fields__:
            self._text.tag_configure(_tag(name), foreground=palette.text["dim"])
