"""What Copy takes: the conversation's own characters, without what the window added."""

import tkinter as tk
from collections.abc import Iterator

from tkinfer.ui import tagdata, tcl
from tkinfer.ui.composition import CHROME, HEADING, REASONING, SOFT_BREAK
from tkinfer.ui.messagerows import Gap, MessageRows
from tkinfer.ui.view import History

_FIELDS = 3  # key, value, index


def clip(text: tk.Text, first: str, last: str) -> str:
    """The characters between two indices as they were written.

    Soft breaks, headings, code headers, notes and reasoning are left out; where a heading was,
    messages are parted by a blank line. A stretch that stands for another text, such as a formula,
    is that text, also if only a part of it lies between the indices. If nothing else lies between
    them than what is left out, it is what the user wants, and it is taken.
    """
    own: list[str] = []
    everything: list[str] = []
    gap = False
    for value, active in _stretches(text, first, last):
        everything.append(value)
        if CHROME in active or REASONING in active:
            gap = gap or HEADING in active
            continue
        if gap and own:
            own.append(_gap_after(own[-1]))
        gap = False
        own.append(value)
    return "".join(own or everything)


def clip_selection(text: tk.Text, rows: MessageRows, history: History) -> str:
    """The same for the selection; empty when there is none. Messages that are selected, but not
    drawn, are taken as they were written.
    """
    if not text.tag_ranges("sel"):
        return ""
    first, last = "sel.first", "sel.last"
    if text.compare(last, ">", "end-1c"):  # Tk ends every Text with a newline of its own
        last = "end-1c"
    gaps = [row for row in rows.between(first, last) if isinstance(row, Gap)]
    if not gaps:
        return clip(text, first, last)
    parts: list[str] = []
    for gap in gaps:
        parts.append(clip(text, first, gap.start))
        parts += [history.entry(index).text for index in range(gap.first, gap.end)]
        first = f"{gap.start} lineend +1 indices"
    parts.append(clip(text, first, last))
    return "\n\n".join(part.strip("\n") for part in parts if part)


def _stretches(text: tk.Text, first: str, last: str) -> Iterator[tuple[str, set[str]]]:
    """Texts as they were written, each with its tags."""
    active = set(text.tag_names(first))
    standing_for = next((tag for tag in active if tagdata.source_of(tag) is not None), None)
    told = False
    """Whether what the stretch at hand stands for was given already."""
    dump = tcl.strings(text, text.tk.call(str(text), "dump", "-text", "-tag", first, last))
    for at in range(0, len(dump), _FIELDS):
        key, value = dump[at], dump[at + 1]
        if key == "tagon":
            active.add(value)
            if tagdata.source_of(value) is not None:
                standing_for, told = value, False
        elif key == "tagoff":
            active.discard(value)
            if value == standing_for:
                standing_for = None
        elif standing_for is not None:
            if not told:
                yield tagdata.source_of(standing_for) or "", active
            told = True
        elif SOFT_BREAK not in active:
            yield value, active


def _gap_after(text: str) -> str:
    return "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
