"""The bar that finds a text in the chat: how often it is there, the next one, the one before."""

import time
import tkinter as tk
from collections.abc import Callable
from tkinter import ttk
from typing import Final, Literal

from tkinfer.ui import fonts, tcl
from tkinfer.ui.composition import CHROME
from tkinfer.ui.finding import Finding
from tkinfer.ui.indices import Indices
from tkinfer.ui.messagerows import Shown
from tkinfer.ui.palette import Palette
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers
from tkinfer.ui.transcript import Transcript

FOUND: Final = "found"
FOUND_NOW: Final = "found.now"
_TYPING_MS: Final = 150
_TICK_MS: Final = 16
_BUDGET_S: Final = 0.006
_LOOK_MS: Final = 60
_CHARACTERS: Final = 28

Break = Literal["break"]


class FindBar:
    """Lies over the transcript's upper right corner while it is open."""

    def __init__(self, transcript: Transcript, theme: Theme, closed: Callable[[], None]) -> None:
        self._transcript = transcript
        self._text = transcript.text
        self._theme = theme
        self._closed = closed
        self._indices = Indices(self._text)
        self._finding: Finding | None = None
        self._number = -1
        self._lit: set[int] = set()
        self.is_open = False
        px = theme.px
        self._frame = ttk.Frame(transcript.frame, style="Popover.TFrame", padding=px(6))
        self.box = tk.Entry(
            self._frame, width=_CHARACTERS, font=fonts.UI, relief="flat", highlightthickness=px(1)
        )
        self.count = ttk.Label(self._frame, style="Raised.Small.TLabel", width=12, anchor="e")
        self._buttons = [
            ttk.Button(self._frame, style="RaisedGhost.TButton", command=command)
            for command in (self.previous, self.next, self.close)
        ]
        self.box.pack(side="left", padx=(px(4), 0), ipady=px(3))
        self.count.pack(side="left", padx=px(8))
        for button in self._buttons:
            button.pack(side="left")
        self._timers = Timers(self._frame)
        self._bind()
        transcript.on_scroll(self._scrolled)
        theme.on_paint(self._paint)

    def open(self) -> None:
        """Show it, with what is selected as the text to find."""
        if not self.is_open:
            air = self._theme.px(12)
            self._frame.place(relx=1.0, x=-2 * air, y=air, anchor="ne")
            tcl.raise_above(self._frame)
            self.is_open = True
        selected = clean_line(self._transcript.selected())
        if selected:
            self.box.delete(0, "end")
            self.box.insert(0, selected)
        self.box.selection_range(0, "end")
        self.box.focus_set()
        self._search()

    def close(self) -> bool:
        """Take it away. False: it was not there."""
        if not self.is_open:
            return False
        self.is_open = False
        self._timers.cancel()
        self._clear()
        self._frame.place_forget()
        self._closed()
        return True

    def chat_changed(self) -> None:
        """Another chat is shown."""
        if self.is_open:
            self._search()

    def next(self) -> None:
        """Go to the next hit; behind the last one comes the first."""
        self._go(1)

    def previous(self) -> None:
        """Go to the hit before; in front of the first one comes the last."""
        self._go(-1)

    # ---- inside -----------------------------------------------------------------------------

    def _bind(self) -> None:
        def key(action: Callable[[], object]) -> Callable[["tk.Event[tk.Entry]"], Break]:
            def run(_event: "tk.Event[tk.Entry]") -> Break:
                action()
                return "break"

            return run

        for name, action in (
            ("<Return>", self.next),
            ("<KP_Enter>", self.next),
            ("<Shift-Return>", self.previous),
            ("<F3>", self.next),
            ("<Shift-F3>", self.previous),
            ("<Escape>", self.close),
        ):
            self.box.bind(name, key(action))
        self.box.bind("<KeyRelease>", lambda _: self._typed())
        self.box.bind("<<Paste>>", lambda _: self._typed(), add=True)

    def _typed(self) -> None:
        needle = self.box.get()
        if needle != (self._finding.needle if self._finding else ""):
            self._timers.start("typed", _TYPING_MS, self._search)

    def _search(self) -> None:
        """Begin anew with what stands in the box."""
        self._clear()
        needle = self.box.get()
        if needle:
            self._finding = Finding(self._transcript.filling.history, needle)
            self._work()
        self._show_count()

    def _work(self) -> None:
        """Look through some more messages."""
        finding = self._finding
        if finding is None:
            return
        until = time.perf_counter() + _BUDGET_S
        while not finding.complete and time.perf_counter() < until:
            finding.step()
        if not finding.complete:
            self._timers.start("work", _TICK_MS, self._work)
        elif self._number < 0 and finding.total:
            self._number = finding.first_from(self._transcript.first_visible())
            self._show_hit()
        self._show_count()
        self._scrolled()

    def _go(self, step: int) -> None:
        finding = self._finding
        if finding is None or not finding.is_of(self._transcript.filling.history, self.box.get()):
            self._timers.cancel("typed")
            self._search()
        elif finding.total:
            self._number = (self._number + step) % finding.total
            self._show_hit()
            self._show_count()

    def _show_hit(self) -> None:
        """Bring the hit at hand into view."""
        assert self._finding is not None, "there are hits"
        index, within = self._finding.place_of(self._number)
        row = self._transcript.filling.show(index, jump=False)
        if row is None:
            return
        self._transcript.finish(row)
        places = self._light(row)
        self._text.tag_remove(FOUND_NOW, "1.0", "end")
        if places:
            first, last = places[min(within, len(places) - 1)]
            self._text.tag_add(FOUND_NOW, first, last)
            self._transcript.bring_into_view(first)

    def _scrolled(self) -> None:
        if self._finding is not None and not self._timers.running("light"):
            self._timers.start("light", _LOOK_MS, self._light_visible)

    def _light_visible(self) -> None:
        """Mark the hits that are in view."""
        if self._finding is None:
            return
        for row in self._transcript.filling.visible():
            if row.index in self._finding.hits:
                self._light(row)

    def _light(self, row: Shown) -> list[tuple[str, str]]:
        """Mark the hits of a message; where they are."""
        assert self._finding is not None, "there are hits"
        text, end = self._text, self._transcript.rows.end_of(row)
        places = [
            place
            for place in self._indices.places(text, self._finding.pattern, row.start, end)
            if CHROME not in text.tag_names(place[0])
        ]
        for first, last in places:
            text.tag_add(FOUND, first, last)
        return places

    def _clear(self) -> None:
        self._timers.cancel("work", "light", "typed")
        self._finding, self._number = None, -1
        for tag in (FOUND, FOUND_NOW):
            self._text.tag_remove(tag, "1.0", "end")
        self._show_count()

    def _show_count(self) -> None:
        finding = self._finding
        if finding is None:
            words = ""
        elif not finding.complete:
            words = f"{finding.total:,} so far"
        elif not finding.total:
            words = "Not found"
        else:
            words = f"{self._number + 1:,} of {finding.total:,}"
        self.count.configure(text=words)

    def _paint(self, palette: Palette) -> None:
        self.box.configure(
            background=palette.ground["raised"],
            foreground=palette.text["normal"],
            insertbackground=palette.text["normal"],
            highlightbackground=palette.line["edge"],
            highlightcolor=palette.text["accent"],
            selectbackground=palette.ground["selection"],
            selectforeground=palette.text["normal"],
        )
        for button, icon in zip(self._buttons, ("up", "down", "close"), strict=True):
            button.configure(image=self._theme.icon(icon, palette.text["normal"]))
        text = self._text
        text.tag_configure(
            FOUND, background=palette.ground["found"], foreground=palette.text["normal"]
        )
        text.tag_configure(
            FOUND_NOW, background=palette.ground["found_now"], foreground=palette.text["found_now"]
        )
        text.tag_raise(FOUND)
        text.tag_raise(FOUND_NOW)
        text.tag_raise("sel")
