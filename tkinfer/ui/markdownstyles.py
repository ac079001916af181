"""How Markdown looks: fonts, margins and colours of the renderer's tags in one Text."""

import tkinter as tk
from collections.abc import Sequence
from typing import Final

from tkinfer.markdown import tags as md
from tkinfer.ui import fonts, tcl
from tkinfer.ui.palette import Palette
from tkinfer.ui.tables import TABLE, TABLE_HEAD, TABLE_LAST, TABLE_NAME
from tkinfer.ui.tagdata import STOPS, STRONG_EMPHASIS, emphasis_in
from tkinfer.ui.theme import Theme

CODE_COLOURS: Final = (
    "comment",
    "decorator",
    "keyword",
    "number",
    "type",
    "string",
    "function",
    "inserted",
    "deleted",
)
"""As tkinfer.markdown.highlight tells them apart; not imported from there, for it is not needed
before code is drawn.
"""
_ITEM_INDENT: Final = 26
_MARKER_INDENT: Final = 18
_QUOTE_INDENT: Final = 16
_HEADING_AIR: Final = (14, 12, 10, 8, 6, 6)
_MOST_WIDTHS: Final = 4_096
_WIDE: Final = 10
"""A marker of more characters than fit goes on to a stop so far behind."""

_FONTS: Final = {
    md.STRONG: fonts.BODY_BOLD,
    md.EMPHASIS: fonts.BODY_ITALIC,
    STRONG_EMPHASIS: fonts.BODY_BOLD_ITALIC,
    md.CODE_INLINE: fonts.CODE,
}


class MarkdownStyles:
    """Keeps the tags in step with palette and zoom."""

    def __init__(self, text: tk.Text, theme: Theme) -> None:
        self._text = text
        self._theme = theme
        self._widths: dict[tuple[str, str], int] = {}
        self._arrange()
        theme.on_paint(self._paint)
        theme.on_zoom(self._widths.clear)

    def configure_stops(self, tag: str) -> None:
        """Give a table's tag the tab stops that its name says."""
        sides = {"l": "left", "r": "right", "c": "center"}
        stops: list[object] = []
        for stop in tag.removeprefix(STOPS).split(","):
            if stop:
                stops += [int(stop[:-1]), sides[stop[-1]]]
        self._text.tag_configure(tag, tabs=stops)
        self._text.tag_lower(tag)

    def measure(self, text: str, run_tags: Sequence[str]) -> int:
        """Pixels that a text with these tags takes."""
        font = fonts.BODY
        for tag in run_tags:
            font = _FONTS.get(tag, font)
        known = self._widths.get((font, text))
        if known is None:
            if len(self._widths) > _MOST_WIDTHS:
                self._widths.clear()
            known = self._widths[font, text] = self._theme.fonts.measure(font, text)
        return known

    def _arrange(self) -> None:
        """In the order of their priority: of two tags that set the same, the later one counts."""
        text, px = self._text, self._theme.px
        text.tag_configure(md.GAP, font=fonts.GAP, spacing1=0, spacing3=0)
        text.tag_configure(TABLE, wrap="none", spacing1=px(3), spacing3=px(3))
        text.tag_configure(TABLE_HEAD, spacing1=px(6))
        text.tag_configure(TABLE_LAST, spacing3=px(8))
        for items in range(md.MAX_NESTED + 1):
            for quotes in range(md.MAX_NESTED + 1):
                self._nest(items, quotes)
        for tag, font in _FONTS.items():
            text.tag_configure(tag, font=font)
        text.tag_configure(md.STRIKE, overstrike=True)
        text.tag_configure(md.LINK, underline=True)
        text.tag_configure(md.FORMULA, spacing1=px(6), spacing3=px(6), justify="center")
        for level, font in enumerate(fonts.HEADINGS, 1):
            air = px(_HEADING_AIR[level - 1])
            text.tag_configure(md.heading(level), font=font, spacing1=air, spacing3=px(4))
            italic = fonts.HEADINGS_ITALIC[level - 1]
            text.tag_configure(emphasis_in(md.heading(level)), font=italic)
        for tag in (md.HTML, md.DEFINITION):
            text.tag_configure(tag, font=fonts.CODE if tag == md.HTML else fonts.SMALL)

    def _nest(self, items: int, quotes: int) -> None:
        px = self._theme.px
        left = px(_ITEM_INDENT * items + _QUOTE_INDENT * quotes)
        text, inside, marker = self._text, md.nested(items, quotes), md.item(items, quotes)
        tcl.tag_configure(text, inside, lmargin1=left, lmargin2=left)
        at = max(left - px(_MARKER_INDENT), 0)
        stops = [left or px(_ITEM_INDENT), left + px(_WIDE), left + px(2 * _WIDE)]
        tcl.tag_configure(text, marker, lmargin1=at, lmargin2=left, tabs=stops)
        if quotes:
            tcl.tag_configure(text, inside, rmargin=px(_QUOTE_INDENT))

    def _paint(self, palette: Palette) -> None:
        text = self._text
        quote = palette.ground["quote"]
        for items in range(md.MAX_NESTED + 1):
            for quotes in range(1, md.MAX_NESTED + 1):
                for tag in (md.nested(items, quotes), md.item(items, quotes)):
                    tcl.tag_configure(
                        text, tag, background=quote, lmargincolor=quote, rmargincolor=quote
                    )
        text.tag_configure(md.CODE_INLINE, background=palette.ground["code"])
        text.tag_configure(md.LINK, foreground=palette.text["accent"])
        for tag in (md.HTML, md.DEFINITION, md.MARKER, TABLE_NAME):
            text.tag_configure(tag, foreground=palette.text["dim"])
        for name in CODE_COLOURS:
            text.tag_configure(f"{md.CODE}.{name}", foreground=palette.code[name])
