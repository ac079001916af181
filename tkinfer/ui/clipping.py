"""What Copy takes: the conversation's own characters, without what the window added."""

import tkinter as tk

from tkinfer.ui import tcl
from tkinfer.ui.composition import CHROME, HEADING, REASONING, SOFT_BREAK

_FIELDS = 3  # key, value, index


def clip(text: tk.Text, first: str, last: str) -> str:
    """The characters between two indices as they were written.

    Soft breaks, headings, code headers, notes and reasoning are left out; where a heading was,
    messages are parted by a blank line. If nothing else lies between the indices, it is what the
    user wants, and it is taken.
    """
    active = set(text.tag_names(first))
    dump = tcl.strings(text, text.tk.call(str(text), "dump", "-text", "-tag", first, last))
    own: list[str] = []
    everything: list[str] = []
    gap = False
    for at in range(0, len(dump), _FIELDS):
        key, value = dump[at], dump[at + 1]
        if key == "tagon":
            active.add(value)
        elif key == "tagoff":
            active.discard(value)
        elif SOFT_BREAK not in active:
            everything.append(value)
            if CHROME in active or REASONING in active:
                gap = gap or HEADING in active
                continue
            if gap and own:
                own.append(_gap_after(own[-1]))
            gap = False
            own.append(value)
    return "".join(own or everything)


def clip_selection(text: tk.Text) -> str:
    """The same for the selection; empty when there is none."""
    if not text.tag_ranges("sel"):
        return ""
    beyond = text.compare("sel.last", ">", "end-1c")  # Tk ends every Text with a newline of its own
    return clip(text, "sel.first", "end-1c" if beyond else "sel.last")


def _gap_after(text: str) -> str:
    return "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
