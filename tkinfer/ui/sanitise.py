"""The one sanitiser: every string passes it on its way to Tk, and back from the clipboard.

Tk drops what follows a NUL, draws other control characters as boxes or nothing, and raises on a
lone surrogate in the middle of a tick. All of them become visible stand-ins here, one for one, so
that nothing is lost and nothing raises.
"""

import re
import tkinter as tk
from collections.abc import Iterator

REPLACEMENT = "\ufffd"
CR_STAND_IN = "\u240d"

# Tab and line feed are the only control characters that act.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNSAFE_STRETCH = re.compile(f"{_UNSAFE.pattern}+")
NO_TEXT = re.compile("[\x00\ud800-\udfff]")
"""What no copy can hold: a NUL ends the text of a clipboard."""
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

_STAND_INS = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {
    "\x7f": "\u2421",
    "\u2028": "\u2424",  # symbol for newline
    "\u2029": "\u00b6",  # pilcrow
}

_xft_is_fragile = False


def adapt_to(root: tk.Misc) -> None:
    """Learn once whether this Tk survives characters beyond U+FFFF.

    Before 8.6.11 a colour emoji under Xft ends the process with an X error that can't be caught
    (Tk ticket 376788), so such characters are replaced there.
    """
    global _xft_is_fragile  # noqa: PLW0603 - a fact about the Tk library, found out once
    if root.tk.call("tk", "windowingsystem") != "x11":
        return
    version = str(root.tk.call("info", "patchlevel"))
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    _xft_is_fragile = numbers < (8, 6, 11)


def clean(text: str) -> str:
    """Text that Tk shows in full: stand-ins for control characters, line feeds as line ends."""
    if _UNSAFE.search(text):
        text = _UNSAFE.sub(_stand_in, text.replace("\r\n", "\n"))
    if _xft_is_fragile and _ASTRAL.search(text):
        text = _ASTRAL.sub(REPLACEMENT, text)
    return text


def stretches(text: str) -> Iterator[tuple[str, str | None]]:
    """Text that Tk shows in full, in stretches; stand-ins apart, each with what it stands for."""
    if not _UNSAFE.search(text):
        yield clean(text), None
        return
    text = text.replace("\r\n", "\n")
    start = 0
    for found in _UNSAFE_STRETCH.finditer(text):
        if start < found.start():
            yield clean(text[start : found.start()]), None
        yield _UNSAFE.sub(_stand_in, found[0]), NO_TEXT.sub("", found[0])
        start = found.end()
    if start < len(text):
        yield clean(text[start:]), None


def clean_line(text: str) -> str:
    """The same for labels, titles and menu rows: one line, whatever was in it."""
    return " ".join(clean(text).split())


def _stand_in(match: re.Match[str]) -> str:
    return _STAND_INS.get(match.group(), REPLACEMENT)
