"""The menus that a right click opens on the transcript and on the input box."""

import tkinter as tk
from collections.abc import Callable, Sequence

from tkinfer.ui.popover import SEPARATOR, Item, Row
from tkinfer.ui.transcript import Transcript


def transcript_rows(transcript: Transcript, place: str, answer: Sequence[Row]) -> list[Row]:
    """What can be done with the transcript, with the code block at this index, and with the last
    answer.
    """
    rows: list[Row] = [
        Item(
            label="Copy",
            action=transcript.copy,
            shortcut="Ctrl+C",
            enabled=bool(transcript.text.tag_ranges("sel")),
        )
    ]
    if transcript.code.holds(place):

        def copy_code() -> None:
            transcript.code.copy_at(place)

        rows.append(Item(label="Copy code block", action=copy_code))
    if answer:
        rows += [SEPARATOR, *answer]
    return [*rows, SEPARATOR, Item(label="Select all", action=transcript.select_all)]


def composer_rows(text: tk.Text) -> list[Row]:
    """What can be done with the draft, through the events that its keys cause too."""
    selected = bool(text.tag_ranges("sel"))

    def cause(event: str) -> Callable[[], None]:
        return lambda: text.event_generate(event)

    return [
        Item(label="Cut", action=cause("<<Cut>>"), shortcut="Ctrl+X", enabled=selected),
        Item(label="Copy", action=cause("<<Copy>>"), shortcut="Ctrl+C", enabled=selected),
        Item(label="Paste", action=cause("<<Paste>>"), shortcut="Ctrl+V"),
        SEPARATOR,
        Item(label="Select all", action=cause("<<SelectAll>>"), shortcut="Ctrl+A"),
    ]
