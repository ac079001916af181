"""How the transcript's text looks: tags, the reading column, rounded ends of tinted bands."""

import tkinter as tk

from tkinfer.ui import composition as c
from tkinfer.ui import fonts, shapes, tcl
from tkinfer.ui.palette import Palette
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

_COLUMN_CHARACTERS = 90
"""Longer lines are hard to read: the eye loses the next line's beginning."""
_LEAST_MARGIN = 24
_BAND_INSET = 16
_CAP_RADIUS = 9
_CARET_WIDTH = 7
_CODE_AIR = 8
_HEADING_AIR = 20
_CALM_MS = 60
"""Caps are redrawn when the width has been the same for so long: 4,000 of them take 80 ms."""

CARET_IMAGE = "tkinfer.caret"


def cap_image(tag: str) -> str:
    """The image shown on caps with this tag; all of them share it."""
    return f"tkinfer.{tag}"


def column_margin(theme: Theme, width: int) -> int:
    """Pixels left free on each side of the reading column in a window `width` pixels wide."""
    column = round(theme.fonts.average(fonts.BODY) * _COLUMN_CHARACTERS)
    return max((width - column) // 2, theme.px(_LEAST_MARGIN))


class Bands:
    """Keeps one Text's tags and shared images in step with palette, zoom and width."""

    def __init__(self, text: tk.Text, theme: Theme) -> None:
        self._text = text
        self._theme = theme
        self.content = 0
        self._timers = Timers(text)
        self._arrange()
        theme.on_paint(self._paint)
        theme.on_zoom(self._zoomed)

    def resize(self, width: int) -> bool:
        """Fit the column into a Text `width` pixels wide. True if the column changed its width."""
        margin = column_margin(self._theme, width)
        content = width - 2 * margin
        padding = margin - int(str(self._text.cget("highlightthickness")))
        if padding != int(str(self._text.cget("padx"))):
            self._text.configure(padx=padding)
        if content == self.content or content <= 0:
            return False
        first = not self.content
        self.content = content
        inset = self._theme.px(_BAND_INSET)
        self._text.tag_configure(c.CODE_HEAD, tabs=(content - inset, "right"))
        self._text.tag_configure(c.HEADING, tabs=(content - self._theme.px(2), "right"))
        if first:
            self._draw_caps(self._theme.palette)
        else:
            self._timers.start("caps", _CALM_MS, lambda: self._draw_caps(self._theme.palette))
        return True

    def _arrange(self) -> None:
        """What depends on neither palette nor width."""
        px, text = self._theme.px, self._text
        inset = px(_BAND_INSET)
        band = {"lmargin1": inset, "lmargin2": inset, "rmargin": inset}
        text.configure(font=fonts.BODY, spacing1=px(2), spacing2=px(4), spacing3=px(2))
        text.tag_configure(
            c.HEADING,
            font=fonts.SMALL_BOLD,
            wrap="none",
            spacing1=px(_HEADING_AIR),
            spacing3=px(4),
        )
        text.tag_configure(c.FIGURES, font=fonts.SMALL)
        text.tag_configure(c.NOTE, font=fonts.SMALL, spacing1=px(8))
        text.tag_configure(c.GAP_LINE, font=fonts.SMALL, justify="center", spacing1=px(8))
        text.tag_configure(c.MENU, font=fonts.BODY_BOLD)
        text.tag_configure(c.RAW, font=fonts.CODE, wrap="char")
        text.tag_configure(c.REASONING_HEAD, font=fonts.SMALL_BOLD, spacing1=px(2), spacing3=px(2))
        tcl.tag_configure(text, c.REASONING, lmargin1=inset, lmargin2=inset, rmargin=inset)
        text.tag_configure(c.REASONING_FOOT, font=fonts.HAIR, spacing1=px(4), spacing3=px(4))
        text.tag_configure(c.CAP, font=fonts.HAIR, wrap="none", spacing1=0, spacing3=0)
        text.tag_configure(c.cap_tag("code", "top"), spacing1=px(_CODE_AIR))
        text.tag_configure(c.cap_tag("code", "foot"), spacing3=px(_CODE_AIR))
        text.tag_configure(c.RULE_CAP, spacing1=px(2), spacing3=px(2))
        text.tag_configure(c.cap_tag("table", "foot"), spacing3=px(_CODE_AIR))
        tcl.tag_configure(text, c.USER, **band)
        tcl.tag_configure(text, c.CODE_HEAD, font=fonts.SMALL, wrap="none", spacing3=px(6), **band)
        tcl.tag_configure(
            text, c.CODE_BLOCK, font=fonts.CODE, wrap="char", spacing1=0, spacing2=px(2), **band
        )
        text.tag_configure(c.CODE_BLOCK, lmargin2=inset + px(2 * _BAND_INSET), spacing3=px(2))

    def _paint(self, palette: Palette) -> None:
        text, ground = self._text, palette.ground
        text.configure(
            background=ground["window"],
            foreground=palette.text["normal"],
            selectbackground=ground["selection"],
            selectforeground=palette.text["normal"],
            inactiveselectbackground=ground["selection"],
        )
        dim = (
            c.GAP_LINE,
            c.MENU,
            c.HEADING,
            c.FIGURES,
            c.NOTE,
            c.CODE_HEAD,
            c.REASONING,
            c.REASONING_HEAD,
        )
        for tag in dim:
            text.tag_configure(tag, foreground=palette.text["dim"])
        text.tag_configure(f"{c.NOTE}.warning", foreground=palette.text["warning"])
        text.tag_configure(f"{c.NOTE}.error", foreground=palette.text["danger"])
        for tag, colour in ((c.USER, ground["tint"]), (c.CODE_BLOCK, ground["code"])):
            text.tag_configure(tag, background=colour, lmargincolor=colour, rmargincolor=colour)
        code = ground["code"]
        text.tag_configure(c.CODE_HEAD, background=code, lmargincolor=code, rmargincolor=code)
        text.tag_raise("sel")
        self._draw_caps(palette)
        self._draw_caret(palette)

    def _draw_caps(self, palette: Palette) -> None:
        for band, ground in ((c.USER, "tint"), ("code", "code")):
            for end in ("top", "foot"):
                picture = shapes.cap(
                    outside=palette.ground["window"],
                    inside=palette.ground[ground],
                    radius=self._theme.px(_CAP_RADIUS),
                    width=max(self.content, 1),
                    top=end == "top",
                )
                self._theme.images.put(cap_image(c.cap_tag(band, end)), picture)
        line = bytes(shapes.rgb(palette.line["edge"])) * max(self.content, 1)
        clear = bytes(shapes.rgb(palette.ground["window"]))
        self._theme.images.put(cap_image(c.RULE_CAP), shapes.png([line], max(self.content, 1)))
        self._theme.images.put(cap_image(c.cap_tag("table", "foot")), shapes.png([clear], 1))

    def _draw_caret(self, palette: Palette) -> None:
        width = self._theme.px(_CARET_WIDTH)
        row = bytes(shapes.rgb(palette.text["normal"])) * width
        rows = [row] * self._theme.fonts.ascent(fonts.BODY)
        self._theme.images.put(CARET_IMAGE, shapes.png(rows, width))

    def _zoomed(self) -> None:
        self._draw_caret(self._theme.palette)
        self.resize(self._text.winfo_width())
