"""The menus of the transcript: of a place, of a message, of a link."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from tkinfer.markdown import tags as md
from tkinfer.ui import tagdata
from tkinfer.ui.clicks import make_clickable, place_of
from tkinfer.ui.composition import MENU
from tkinfer.ui.lastanswer import LastAnswer
from tkinfer.ui.messagerows import Shown
from tkinfer.ui.popover import SEPARATOR, Heading, Item, Popover, Row
from tkinfer.ui.transcript import Transcript
from tkinfer.ui.view import Actions

if TYPE_CHECKING:
    import tkinter as tk

_LONGEST_ADDRESS = 90


class TranscriptMenus:
    """Opens them, and does what is chosen."""

    def __init__(
        self,
        transcript: Transcript,
        popover: Popover,
        actions: Actions,
        last: LastAnswer,
        put: Callable[[str], None],
    ) -> None:
        """`put` takes a text to the clipboard."""
        self._transcript = transcript
        self._text = transcript.text
        self._popover = popover
        self._actions = actions
        self._last = last
        self._put = put
        self._text.bind("<<ContextMenu>>", self._open)
        make_clickable(self._text, MENU, self._open_of_message)
        make_clickable(self._text, md.LINK, self._open_of_link)

    def rows(self, place: str) -> list[Row]:
        """What can be done at this place."""
        transcript = self._transcript
        selected = bool(self._text.tag_ranges("sel"))
        rows: list[Row] = [
            Item(label="Copy", action=transcript.copy, shortcut="Ctrl+C", enabled=selected)
        ]
        if transcript.code.holds(place):
            copy_code = partial(transcript.code.copy_at, place)
            rows.append(Item(label="Copy code block", action=lambda: _run(copy_code)))
        if address := self.address_at(place):
            rows += [SEPARATOR, *self.link_rows(address)]
        row = transcript.message_at(place)
        if row is not None:
            rows += [SEPARATOR, *self.message_rows(row)]
        return [*rows, SEPARATOR, Item(label="Select all", action=transcript.select_all)]

    def message_rows(self, row: Shown) -> list[Row]:
        """What can be done with a message."""
        transcript, actions, index = self._transcript, self._actions, row.index
        is_question = index % 2 == 0
        rows: list[Row] = []
        if figures := transcript.figures_of(row):
            rows.append(Heading(label=figures))
        rows.append(
            Item(
                label="Copy message",
                action=lambda: self._put(transcript.message_words(row)),
            )
        )
        if not is_question:
            copy = partial(actions.message_text, index)
            rows.append(Item(label="Copy as Markdown", action=lambda: self._put(copy())))
        if transcript.is_open(row):
            return rows
        if not is_question:
            label = "Show formatted" if row.manner.raw else "Show raw text"
            rows.append(Item(label=label, action=partial(transcript.toggle_raw, row)))
        if transcript.is_busy:
            return rows
        rows.append(SEPARATOR)
        if index >= len(transcript.rows) - 2:
            rows += self._last.menu_rows()
        else:
            rows += [
                Item(label="Regenerate", action=partial(actions.answer_again, index)),
                Item(label="Edit question", action=partial(actions.edit_message, index)),
            ]
        what = "Delete question and answer"
        rows.append(Item(label=what, action=partial(actions.delete_message, index)))
        return rows

    def link_rows(self, address: str) -> list[Row]:
        """What can be done with a link; its address is shown before it is opened."""
        shown = address
        if len(address) > _LONGEST_ADDRESS:
            shown = address[: _LONGEST_ADDRESS - 1] + "…"
        return [
            Heading(label=shown),
            Item(label="Open in browser", action=partial(open_in_browser, address)),
            Item(label="Copy address", action=partial(self._put, address)),
        ]

    def address_at(self, place: str) -> str:
        """Where a link at this place leads; empty if there is none."""
        for tag in self._text.tag_names(place):
            if address := tagdata.address_of(tag):
                return address
        return ""

    def _open(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        self._popover.open_at_pointer(event, self.rows(str(self._text.index(place_of(event)))))
        return "break"  # the press would close the menu again

    def _open_of_message(self, event: "tk.Event[tk.Text]") -> None:
        row = self._transcript.message_at(place_of(event))
        if row is not None:
            self._popover.open_at_pointer(event, self.message_rows(row))

    def _open_of_link(self, event: "tk.Event[tk.Text]") -> None:
        if address := self.address_at(place_of(event)):
            self._popover.open_at_pointer(event, self.link_rows(address))


def open_in_browser(address: str) -> None:
    """Aside: to find and start a browser can take seconds."""
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), name="browser", daemon=True).start()


def _run(action: Callable[[], object]) -> None:
    action()
