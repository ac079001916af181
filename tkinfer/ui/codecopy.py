"""The Copy label of a code block: a click, a hand under the pointer, and "Copied" for a moment."""

import tkinter as tk
from collections.abc import Callable

from tkinfer.ui import fonts
from tkinfer.ui.composition import (
    CHROME,
    CODE_BLOCK,
    CODE_HEAD,
    COPY_CODE,
    COPY_LABEL,
    SOFT_BREAK,
    cap_tag,
)
from tkinfer.ui.palette import Palette
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

_COPIED_LABEL = "Copied"
_COPIED_MS = 1_500
_HOVER = "code.copy.hover"
_COPIED_MARK = "code.copied"
_LABEL_TAGS = (CHROME, CODE_HEAD, COPY_CODE)


class CodeCopy:
    """Copies whole code blocks of one transcript. `put` takes the text to the clipboard."""

    def __init__(self, text: tk.Text, theme: Theme, put: Callable[[str], None]) -> None:
        self._text = text
        self._put = put
        self._timers = Timers(text)
        self._cursor = str(text.cget("cursor"))
        text.tag_configure(COPY_CODE, font=fonts.SMALL_BOLD)
        text.tag_bind(COPY_CODE, "<Enter>", self._enter)
        text.tag_bind(COPY_CODE, "<Leave>", self._leave)
        text.tag_bind(COPY_CODE, "<ButtonRelease-1>", self._click)
        theme.on_paint(self._paint)

    def copy_at(self, index: str) -> bool:
        """Copy the block whose header or lines hold this place. False: there is none."""
        if not self.holds(index):
            return False
        label = self._text.tag_prevrange(COPY_CODE, f"{index} lineend +1c")
        if not label:
            return False
        self._copy(str(label[0]))
        return True

    def holds(self, index: str) -> bool:
        """Whether this place belongs to a code block."""
        return bool({CODE_BLOCK, CODE_HEAD} & set(self._text.tag_names(index)))

    def copy_last(self) -> bool:
        """Copy the last block of all. False: there is none."""
        label = self._text.tag_prevrange(COPY_CODE, "end")
        if label:
            self._copy(str(label[0]))
        return bool(label)

    def reset(self) -> None:
        """The transcript is about to be emptied."""
        self._timers.cancel()
        self._text.mark_unset(_COPIED_MARK)

    def settle(self) -> None:
        """Part of the transcript is about to be deleted: take back what is shown for a moment."""
        self._timers.cancel()
        self._restore()

    def block_text(self, header: str) -> str:
        """The exact characters of the block whose header line holds `header`."""
        text = self._text
        end = text.tag_nextrange(cap_tag("code", "foot"), header)
        block = text.tag_nextrange(CODE_BLOCK, header, str(end[0]) if end else "end")
        if not block:
            return ""
        pieces: list[str] = []
        first, last = str(block[0]), str(block[1])
        while soft := text.tag_nextrange(SOFT_BREAK, first, last):
            pieces.append(text.get(first, soft[0]))
            first = str(soft[1])
        pieces.append(text.get(first, last))
        return "".join(pieces)

    def _copy(self, label: str) -> None:
        self._put(self.block_text(label))
        self._restore()
        self._text.mark_set(_COPIED_MARK, label)
        self._text.mark_gravity(_COPIED_MARK, "left")
        self._relabel(_COPIED_LABEL)
        self._timers.start("copied", _COPIED_MS, self._restore)

    def _restore(self) -> None:
        if _COPIED_MARK in self._text.mark_names():
            self._relabel(COPY_LABEL)
            self._text.mark_unset(_COPIED_MARK)

    def _relabel(self, label: str) -> None:
        place = self._text.tag_nextrange(COPY_CODE, _COPIED_MARK, f"{_COPIED_MARK} lineend")
        if place:
            self._text.delete(*place)
        self._text.insert(_COPIED_MARK, label, _LABEL_TAGS)

    def _click(self, event: "tk.Event[tk.Text]") -> None:
        if not self._text.tag_ranges("sel"):  # else the click ends the drawing of a selection
            self.copy_at(f"@{event.x},{event.y}")

    def _enter(self, event: "tk.Event[tk.Text]") -> None:
        place = self._text.tag_prevrange(COPY_CODE, f"@{event.x},{event.y} +1c")
        if place:
            self._text.tag_add(_HOVER, *place)
        self._text.configure(cursor="hand2")

    def _leave(self, _event: "tk.Event[tk.Text]") -> None:
        self._text.tag_remove(_HOVER, "1.0", "end")
        self._text.configure(cursor=self._cursor)

    def _paint(self, palette: Palette) -> None:
        self._text.tag_configure(_HOVER, foreground=palette.text["accent"])
        self._text.tag_raise(_HOVER)
