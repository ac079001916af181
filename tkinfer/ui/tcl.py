"""Tk calls whose types tkinter's stubs don't know, each behind a typed name."""

import tkinter as tk
from collections.abc import Callable, Sequence
from typing import Any, cast


def strings(widget: tk.Misc, result: object) -> Sequence[str]:
    """A Tcl list as Python strings."""
    split = cast("Callable[[object], tuple[Any, ...]]", widget.tk.splitlist)
    return tuple(map(str, split(result)))


def configure(widget: tk.Misc, option: str, value: object) -> None:
    """Set one option to a Tcl value."""
    widget.tk.call(str(widget), "configure", option, value)


def raise_above(widget: tk.Misc) -> None:
    """Put a widget in front of its siblings."""
    widget.tk.call("raise", str(widget))


def primary_selection(widget: tk.Misc) -> str:
    """What is selected anywhere on an X11 screen.

    Raises:
        tk.TclError: nothing is, or its owner does not answer.
        UnicodeDecodeError: it is no text.
    """
    return str(widget.tk.call("selection", "get", "-selection", "PRIMARY", "-type", "UTF8_STRING"))


def own_primary(widget: tk.Misc) -> None:
    """Make the widget the one that answers for PRIMARY."""
    widget.tk.call("selection", "own", "-selection", "PRIMARY", str(widget))


def hand_out_primary(widget: tk.Misc, answer: Callable[[str, str], str]) -> None:
    """Answer for PRIMARY: `answer` gets offset and length, in characters, as strings."""
    command = widget.register(answer)
    for kind in ("STRING", "UTF8_STRING"):
        widget.tk.call(
            *("selection", "handle", "-selection", "PRIMARY", "-type", kind, str(widget), command)
        )


def tag_configure(text: tk.Text, tag: str, **options: object) -> None:
    """Set options of a tag of a Text."""
    flat = [part for name, value in options.items() for part in (f"-{name}", value)]
    text.tk.call(str(text), "tag", "configure", tag, *flat)


def mark(text: tk.Text, name: str, place: str, side: str) -> None:
    """Set a mark there, with this gravity."""
    text.tk.call(str(text), "mark", "set", name, place)
    gravity(text, name, side)


def yview(text: tk.Text, place: str) -> None:
    """Make this place the first line in view."""
    text.tk.call(str(text), "yview", place)


def gravity(text: tk.Text, mark: str, side: str) -> None:
    """On which side of what is inserted at the mark it stays: "left" or "right"."""
    text.tk.call(str(text), "mark", "gravity", mark, side)


def tag_range(text: tk.Text, which: str, tag: str, *places: str) -> Sequence[str]:
    """Beginning and end of the "nextrange" or "prevrange" with this tag; empty: there is none."""
    return strings(text, text.tk.call(str(text), "tag", which, tag, *places))


def first_of_range(text: tk.Text, tag: str) -> str:
    """Where the first stretch with this tag begins; empty if there is none."""
    place = tag_range(text, "nextrange", tag, "1.0")
    return place[0] if place else ""


def focus_path(widget: tk.Misc) -> str:
    """Which widget has the keyboard, as a path; empty if none of this program's.

    tkinter's own `focus_get` raises for widgets that Tcl made, such as those of a file dialog.
    """
    return str(widget.tk.call("focus"))


def focus(widget: tk.Misc, path: str) -> None:
    """Give the keyboard to the widget with this path, if it still exists."""
    if path and str(widget.tk.call("winfo", "exists", path)) == "1":
        widget.tk.call("focus", path)
