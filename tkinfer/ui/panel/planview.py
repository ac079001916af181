"""What loading would take, before anything is loaded: a bar, its legend, and words."""

import tkinter as tk
from tkinter import ttk

from actors.loading import MemoryPlan
from tkinfer.tuning import plan_words
from tkinfer.tuning.load_tuning import PlanState
from tkinfer.ui.palette import Palette
from tkinfer.ui.sanitise import clean
from tkinfer.ui.theme import Theme

_COLOURS = ("accent", "ok", "warning")
"""Of weights, KV cache and buffers."""
_BAR_HEIGHT = 8
_DOT = 10


class PlanView:
    """Shows a PlanState. While an answer is on its way the earlier one stays, said to be so."""

    def __init__(self, parent: tk.Misc, theme: Theme) -> None:
        px = theme.px
        self._theme = theme
        self._state = PlanState()
        self.frame = ttk.Frame(parent)
        self._words = ttk.Label(self.frame, style="Bold.TLabel")
        self._words.pack(fill="x")
        self._bar = tk.Frame(self.frame, height=px(_BAR_HEIGHT), borderwidth=0)
        self._segments = [tk.Frame(self._bar, borderwidth=0) for _ in _COLOURS]
        self._legend = ttk.Frame(self.frame)
        self._parts = [
            ttk.Label(self._legend, style="Small.TLabel", compound="left") for _ in _COLOURS
        ]
        for row, label in enumerate(self._parts):
            label.grid(row=row, column=0, sticky="w")
        self._details = ttk.Label(self.frame, style="Small.TLabel")
        theme.on_paint(self._paint)

    def show(self, state: PlanState, *, chosen: bool) -> None:
        """`chosen`: whether there is a model file to ask about at all."""
        self._state = state
        if not chosen:
            self._say("Open a model to see what it takes.")
            self._hide(self._bar, self._legend, self._details)
        elif state.error is not None:
            self._say("This can't be loaded so.", wrong=not state.pending)
            self._hide(self._bar, self._legend)
            self._details.configure(
                text=clean(plan_words.refusal(state.error)), style="Wrong.TLabel"
            )
            self._details.pack(fill="x", pady=(self._theme.px(4), 0))
        elif state.plan is not None:
            self._show_plan(state.plan, pending=state.pending)
        else:
            self._say("Working out what it takes…" if state.pending else "")
            self._hide(self._bar, self._legend, self._details)

    def fit(self, width: int) -> None:
        for label in (self._words, self._details):
            label.configure(wraplength=width)

    def words(self) -> str:
        """All that can be read."""
        labels = (self._words, *self._parts, self._details)
        return "\n".join(str(label.cget("text")) for label in labels if label.winfo_ismapped())

    def _show_plan(self, plan: MemoryPlan, *, pending: bool) -> None:
        px = self._theme.px
        self._say(plan_words.headline(plan), wrong=not plan_words.fits(plan))
        whole = max(plan.total_bytes, plan_words.free(plan), 1)
        at = 0.0
        for segment, label, (name, amount) in zip(
            self._segments, self._parts, plan_words.parts(plan), strict=True
        ):
            share = amount / whole
            segment.place(relx=at, relwidth=share, relheight=1)
            at += share
            label.configure(text=f" {name} {plan_words.size(amount)}")
        lines = list(plan_words.details(plan))
        if pending:
            lines.append("Working it out anew…")
        self._details.configure(text="\n".join(lines), style="Small.TLabel")
        self._hide(self._details)  # packed again below the legend
        self._bar.pack(fill="x", pady=(px(8), px(8)))
        self._legend.pack(fill="x")
        self._details.pack(fill="x", pady=(px(4), 0))

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self._words.configure(text=words, style="WrongBold.TLabel" if wrong else "Bold.TLabel")

    def _hide(self, *widgets: tk.Widget) -> None:
        for widget in widgets:
            widget.pack_forget()

    def _paint(self, palette: Palette) -> None:
        self._bar.configure(background=palette.line["hair"])
        for segment, label, colour in zip(self._segments, self._parts, _COLOURS, strict=True):
            segment.configure(background=palette.text[colour])
            label.configure(image=self._theme.icon("dot", palette.text[colour], _DOT))
