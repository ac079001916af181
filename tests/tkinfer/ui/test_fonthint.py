"""The hint at coarse fonts, on Tk builds that are made up."""

import tkinter as tk
from typing import Any

import pytest

from tkinfer.ui.fonthint import font_hint


class Root:
    """As much of a root as is asked."""

    def __init__(self, windows: str, fonts: str | None) -> None:
        self.tk = self
        self.windows, self.fonts = windows, fonts

    def call(self, *command: Any) -> str:
        if command == ("tk", "windowingsystem"):
            return self.windows
        if self.fonts is None:
            raise tk.TclError
        return self.fonts


@pytest.mark.parametrize(
    ("windows", "fonts", "told"),
    [
        ("x11", "x11", True),
        ("x11", "xft", False),
        ("x11", None, False),
        ("win32", "gdi", False),
        ("aqua", "cocoa", False),
    ],
)
def test_only_bitmap_fonts_get_a_hint(windows: str, fonts: str | None, told: bool) -> None:
    hint = font_hint(Root(windows, fonts))  # type: ignore[arg-type]
    assert (hint is not None) == told
