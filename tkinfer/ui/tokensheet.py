"""The token sheet: the last answer, token by token, with what else could have stood there."""

import bisect
import tkinter as tk
from collections.abc import Sequence
from tkinter import ttk
from typing import Literal

from actors.messages import TokenChoice
from tkinfer.ui import fonts, tcl
from tkinfer.ui.linebreaks import LineBreaker
from tkinfer.ui.palette import Palette
from tkinfer.ui.panel.textrow import make_text, put_text
from tkinfer.ui.sanitise import clean, clean_line
from tkinfer.ui.shapes import mixed
from tkinfer.ui.theme import Theme

_SHARE = 0.86
_LIST_LINES = 8
_CHOSEN = "chosen"
_HELP = "The stronger a token's tint, the less likely it was. Click one, or use the arrow keys."
_LEVELS = ((0.8, 0.0), (0.5, 0.12), (0.2, 0.26), (0.0, 0.42))
"""From this probability on, so much of the warning colour lies under a token."""
_VISIBLE = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥"})


def chosen(choice: TokenChoice) -> int | None:
    """Which of the alternatives was taken; None if it is not among them."""
    texts = [text for text, _ in choice.alternatives]
    if choice.text in texts:
        return texts.index(choice.text)
    ends = [number for number, text in enumerate(texts) if text and choice.text.endswith(text)]
    return max(ends, key=lambda number: len(texts[number]), default=None)


def level(choice: TokenChoice) -> int:
    """How strongly a token is marked, from 0: the less likely, the more."""
    number = chosen(choice)
    share = 0.0 if number is None else choice.alternatives[number][1]
    return next(at for at, (least, _) in enumerate(_LEVELS) if share >= least)


class TokenSheet:
    """One sheet over the window, built at its first opening and kept. Main thread."""

    def __init__(self, theme: Theme) -> None:
        px = theme.px
        self._theme = theme
        self._focus_before = ""
        self._places: Sequence[TokenChoice] = ()
        self._ends: list[tuple[int, int]] = []
        """Where each place ends in the Text, as line and column."""
        self._selected = 0
        self.is_open = False
        root = theme.root
        self.frame = ttk.Frame(root, style="Popover.TFrame", padding=px(18))
        self._title = ttk.Label(
            self.frame, style="Raised.Title.TLabel", text="Tokens of the last answer"
        )
        self._help = ttk.Label(self.frame, style="Raised.Small.TLabel", text=_HELP)
        self.text = make_text(self.frame, theme, lines=4, code=False)
        self.list = make_text(self.frame, theme, lines=_LIST_LINES, code=True)
        self._bar = ttk.Scrollbar(
            self.frame,
            style="Slim.Vertical.TScrollbar",
            command=lambda *how: self.text.tk.call(str(self.text), "yview", *how),
        )
        self.text.configure(yscrollcommand=self._bar.set, cursor="arrow")
        self._close = ttk.Button(
            self.frame, text="Close", style="Accent.TButton", command=self.close
        )
        self._lay_out()
        self._bind()
        theme.on_paint(self._paint)

    def open(self, places: Sequence[TokenChoice]) -> None:
        """Show these places, the first of them selected."""
        if not self.is_open:
            self._focus_before = tcl.focus_path(self._theme.root)
        self.is_open = True
        self._places = places
        self._fill()
        self.frame.place(relx=0.5, rely=0.5, anchor="center", relwidth=_SHARE, relheight=_SHARE)
        tcl.raise_above(self.frame)
        self._select(0)
        self.text.focus_set()

    def close(self) -> bool:
        """Take the sheet away. False: it isn't there."""
        if not self.is_open:
            return False
        self.is_open = False
        self.frame.place_forget()
        self._places = ()
        tcl.focus(self._theme.root, self._focus_before)
        return True

    def _lay_out(self) -> None:
        px = self._theme.px
        self.frame.columnconfigure(0, weight=1)
        self.frame.rowconfigure(2, weight=1)
        self._title.grid(row=0, column=0, columnspan=2, sticky="w")
        self._help.grid(row=1, column=0, columnspan=2, sticky="w", pady=(px(2), px(10)))
        self.text.grid(row=2, column=0, sticky="nsew")
        self._bar.grid(row=2, column=1, sticky="ns")
        self.list.grid(row=3, column=0, columnspan=2, sticky="ew", pady=(px(12), 0))
        self._close.grid(row=4, column=0, columnspan=2, sticky="e", pady=(px(12), 0))
        self.text.configure(wrap="char", font=fonts.BODY, spacing2=px(5), insertwidth=0)
        self.list.configure(
            insertwidth=0, tabs=(px(70), "right", px(90), "left"), cursor="arrow", takefocus=0
        )

    def _bind(self) -> None:
        for box in (self.text, self.list):
            for event in ("<Key>", "<<Paste>>", "<<PasteSelection>>", "<<Cut>>"):
                box.bind(event, self._refuse)
        self.text.bind("<Button-1>", self._clicked)
        for keys, step in ((("<Left>", "<Up>"), -1), (("<Right>", "<Down>"), 1)):
            for key in keys:
                self.text.bind(key, lambda _, step=step: self._step(step))
        self.text.bind("<Home>", lambda _: self._step(-len(self._places)))
        self.text.bind("<End>", lambda _: self._step(len(self._places)))
        self.text.bind("<Tab>", lambda _: self._to_close())
        self._close.bind("<Return>", lambda _: self._close.invoke())

    def _to_close(self) -> Literal["break"]:
        self._close.focus_set()
        return "break"

    def _refuse(self, event: "tk.Event[tk.Text]") -> Literal["break"] | None:
        return None if event.keysym in {"Escape", "F1"} else "break"

    def _fill(self) -> None:
        """Insert place by place: an index is asked of Tk, never made from a length."""
        breaker, text = LineBreaker(), self.text
        text.delete("1.0", "end")
        self._ends = []
        for choice in self._places:
            shown = "\n".join(breaker.cut(clean(choice.text)))
            text.insert("end-1c", shown, f"level{level(choice)}")
            line, column = str(text.index("end-1c")).split(".")
            self._ends.append((int(line), int(column)))

    def _clicked(self, event: "tk.Event[tk.Text]") -> Literal["break"]:
        line, column = map(int, str(self.text.index(f"@{event.x},{event.y}")).split("."))
        self._select(bisect.bisect_right(self._ends, (line, column)))
        self.text.focus_set()
        return "break"

    def _step(self, step: int) -> Literal["break"]:
        self._select(self._selected + step)
        return "break"

    def _select(self, number: int) -> None:
        if not self._places:
            return
        self._selected = number = min(max(number, 0), len(self._places) - 1)
        first = self._ends[number - 1] if number else (1, 0)
        begin, end = ("{}.{}".format(*place) for place in (first, self._ends[number]))
        self.text.tag_remove("sel", "1.0", "end")
        self.text.tag_add("sel", begin, end)
        self.text.see(begin)
        self._list(self._places[number])

    def _list(self, choice: TokenChoice) -> None:
        taken = chosen(choice)
        put_text(self.list, "")
        for number, (token, share) in enumerate(choice.alternatives):
            mark = "▸" if number == taken else " "
            words = clean_line(token.translate(_VISIBLE)) or "(nothing)"
            tags = (_CHOSEN,) if number == taken else ()
            self.list.insert("end", f"{mark}\t{share:.1%}\t{words}\n", tags)
        if taken is None:
            words = clean_line(choice.text.translate(_VISIBLE))
            self.list.insert("1.0", f"▸\tless\t{words}\n", (_CHOSEN,))

    def _paint(self, palette: Palette) -> None:
        raised, strong = palette.ground["raised"], palette.text["warning"]
        for number, (_, share) in enumerate(_LEVELS):
            self.text.tag_configure(f"level{number}", background=mixed(raised, strong, share))
        self.text.tag_raise("sel")
        self.list.tag_configure(_CHOSEN, foreground=palette.text["accent"])
