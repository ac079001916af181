"""The settings panel at the right side of the window: two pages, beside the chat or over it."""

import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import ttk
from typing import Literal, Protocol

from tkinfer.tuning.tuning import Tuning
from tkinfer.ui import fonts, tcl
from tkinfer.ui.palette import Palette
from tkinfer.ui.panel.generationpage import GenerationPage
from tkinfer.ui.panel.loadingpage import AskForFile, LoadingPage
from tkinfer.ui.panel.panelstyles import PanelStyles
from tkinfer.ui.panel.scrollpane import ScrollPane
from tkinfer.ui.panel.templateeditor import TemplateEditor
from tkinfer.ui.popover import Popover
from tkinfer.ui.theme import Theme
from tkinfer.ui.timers import Timers

PageName = Literal["generation", "loading"]

_CHARACTERS = 46
"""Average characters of the window's font in a line of the panel."""
_LEAST_WIDTH = 340
_LEAST_BESIDE = 520
"""Design pixels that the chat keeps beside the panel; with less, the panel lies over it."""
_STEP_MS = 4
"""Between two steps of building: time for keys and a repaint."""
_TITLES: dict[PageName, str] = {"generation": "Generation", "loading": "Loading"}

Step = Callable[[], None]


class _Page(Protocol):
    def steps(self) -> Sequence[Step]: ...

    def footer(self, parent: ttk.Frame) -> None: ...

    def refresh(self) -> None: ...

    def fit(self, width: int) -> None: ...

    def escape(self) -> bool: ...

    def flush(self) -> None: ...


class _Tab:
    """One page with its place: the scrolled part above, the footer below."""

    def __init__(self, parent: tk.Misc, theme: Theme, pane: ScrollPane, page: _Page) -> None:
        px = theme.px
        self.pane = pane
        self.page = page
        self.footer = ttk.Frame(parent, padding=(px(20), px(10), px(20), px(12)))
        page.footer(self.footer)
        self.waiting: list[Step] = list(page.steps())


class SidePanel:
    """Built at its first opening, a page at its first turn, in steps between which Tk runs.

    In a window that is wide enough it takes a column of its own, else it lies over the chat.
    """

    def __init__(
        self,
        theme: Theme,
        popover: Popover,
        tuning: Tuning,
        *,
        rows: tuple[int, int],
        ask_for_lora: AskForFile,
        closed: Callable[[], None],
    ) -> None:
        """`rows` are the first row of the root's grid beside which the panel stands, and how many.
        `closed` is called when the panel has gone by itself.
        """
        self._theme = theme
        self._popover = popover
        self._tuning = tuning
        self._rows = rows
        self._ask_for_lora = ask_for_lora
        self._closed = closed
        self._tabs: dict[PageName, _Tab] = {}
        self._now: PageName = "generation"
        self._editor: TemplateEditor | None = None
        self.is_open = False
        PanelStyles(theme)
        root = theme.root
        self.frame = ttk.Frame(root)
        self._timers = Timers(self.frame)
        self._chosen = tk.StringVar(self.frame, self._now)
        self._build()
        theme.on_zoom(self._zoomed)
        theme.on_paint(self._paint)
        tuning.listen(self._changed)
        root.bind("<Configure>", self._root_resized, add=True)

    @property
    def covers(self) -> bool:
        """Whether it lies over the chat."""
        return self.is_open and self.frame.winfo_manager() == "place"

    def open(self, page: PageName = "generation", *, focus: bool = False) -> None:
        """Show a page, and give it the keyboard if wanted."""
        self.is_open = True
        self._turn(page)
        self._place()
        if focus:
            self._buttons[page].focus_set()

    def close(self) -> None:
        """Take the panel away; what was typed is applied."""
        if not self.is_open:
            return
        self.is_open = False
        had_focus = self.has_focus()
        for tab in self._tabs.values():
            tab.page.flush()
        self._forget()
        if had_focus:
            self._closed()

    def escape(self) -> bool:
        """Close what lies on top here. False: nothing does."""
        if self._editor is not None and self._editor.close():
            return True
        return self.is_open and self.has_focus() and self._tabs[self._now].page.escape()

    def has_focus(self) -> bool:
        """Whether the keyboard is in the panel."""
        return tcl.focus_path(self.frame).startswith(str(self.frame))

    @property
    def page(self) -> PageName:
        """The page that is shown."""
        return self._now

    @property
    def generation(self) -> GenerationPage:
        """The first page, once it was opened."""
        page = self._tabs["generation"].page
        assert isinstance(page, GenerationPage)
        return page

    @property
    def loading(self) -> LoadingPage:
        """The second page, once it was opened."""
        page = self._tabs["loading"].page
        assert isinstance(page, LoadingPage)
        return page

    @property
    def editor(self) -> TemplateEditor | None:
        """The template editor, once it was opened."""
        return self._editor

    @property
    def is_built(self) -> bool:
        """Whether all of the page that is shown is there."""
        return self._now in self._tabs and not self._tabs[self._now].waiting

    # ---- parts

    def _build(self) -> None:
        px = self._theme.px
        ttk.Frame(self.frame, style="Hair.TFrame", width=px(1)).place(relheight=1)
        self._head = ttk.Frame(self.frame, padding=(px(14), px(10), px(10), px(6)))
        self._head.pack(fill="x", padx=(px(1), 0))
        self._buttons: dict[PageName, ttk.Radiobutton] = {}
        for name, title in _TITLES.items():
            button = ttk.Radiobutton(
                self._head,
                text=title,
                style="Tab.TRadiobutton",
                variable=self._chosen,
                value=name,
                command=lambda name=name: self._turn(name),
            )
            button.pack(side="left", padx=(0, px(4)))
            button.bind("<Return>", lambda _, name=name: self._turn(name))
            self._buttons[name] = button
        for key, name in (("<Left>", "generation"), ("<Right>", "loading")):
            for button in self._buttons.values():
                button.bind(key, lambda _, name=name: self._turn_by_key(name))
        self._close = ttk.Button(self._head, style="Ghost.TButton", command=self.close)
        self._close.bind("<Return>", lambda _: self._close.invoke())
        self._close.pack(side="right")

    def _turn_by_key(self, name: str) -> None:
        page: PageName = "loading" if name == "loading" else "generation"
        self._turn(page)
        self._buttons[page].focus_set()

    def _turn(self, name: PageName) -> None:
        before = self._tabs.get(self._now)
        if before is not None and name != self._now:
            before.page.flush()
            before.pane.frame.pack_forget()
            before.footer.pack_forget()
        self._now = name
        self._chosen.set(name)
        if name not in self._tabs:
            self._tabs[name] = self._make(name)
        tab = self._tabs[name]
        px = self._theme.px
        tab.footer.pack(side="bottom", fill="x", padx=(px(1), 0))
        tab.pane.frame.pack(fill="both", expand=True, padx=(px(1), 0))
        self._refresh()
        self._build_more()

    def _make(self, name: PageName) -> _Tab:
        theme, popover, tuning = self._theme, self._popover, self._tuning
        pane = ScrollPane(self.frame, theme, self._fit)
        page: _Page
        if name == "generation":
            page = GenerationPage(pane, theme, popover, tuning, self._edit_template, self._later)
        else:
            page = LoadingPage(pane, theme, popover, tuning, self._ask_for_lora)
        return _Tab(self.frame, theme, pane, page)

    def _later(self, steps: Sequence[Step]) -> None:
        self._tabs[self._now].waiting += steps
        self._build_more()

    def _build_more(self) -> None:
        if self._tabs[self._now].waiting and not self._timers.running("build"):
            self._timers.start("build", _STEP_MS, self._build_step)

    def _build_step(self) -> None:
        """One step of the page that is shown; some 10 ms."""
        tab = self._tabs[self._now]
        if tab.waiting:
            tab.waiting.pop(0)()
            tab.pane.adopt_new()
            self._fit(tab.pane.width)
        if tab.waiting:
            self._timers.start("build", _STEP_MS, self._build_step)
        else:
            self._refresh()

    def _edit_template(self) -> None:
        if self._editor is None:
            self._editor = TemplateEditor(self._theme, self._tuning)
        self._editor.open()

    # ---- in step with what is tuned

    def _changed(self) -> None:
        if self._editor is not None:
            self._editor.refresh()
        if self.is_open:
            self._timers.soon("refresh", self._refresh)

    def _refresh(self) -> None:
        self._tabs[self._now].page.refresh()

    def _paint(self, palette: Palette) -> None:
        self._close.configure(image=self._theme.icon("close", palette.text["dim"]))

    # ---- place

    def _wanted_width(self) -> int:
        by_font = round(self._theme.fonts.average(fonts.UI) * _CHARACTERS)
        return max(by_font, self._theme.px(_LEAST_WIDTH))

    def _place(self) -> None:
        """Beside the chat, or over it."""
        if not self.is_open:
            return
        root, row = self._theme.root, self._rows
        room, width = root.winfo_width(), self._wanted_width()
        if room - width >= self._theme.px(_LEAST_BESIDE):
            self.frame.place_forget()
            self.frame.configure(width=width)
            self.frame.pack_propagate(False)
            self.frame.grid(row=row[0], column=1, rowspan=row[1], sticky="nsew")
        else:
            self.frame.grid_forget()
            top = root.grid_bbox(0, row[0])
            below = top[1] if top is not None else 0
            self.frame.place(
                relx=1.0,
                y=below,
                anchor="ne",
                width=min(width, room),
                relheight=1.0,
                height=-below,
            )
            tcl.raise_above(self.frame)

    def _forget(self) -> None:
        self.frame.grid_forget()
        self.frame.place_forget()

    def _root_resized(self, event: "tk.Event[tk.Misc]") -> None:
        if self.is_open and event.widget is self._theme.root:
            self._timers.soon("place", self._place)

    def _zoomed(self) -> None:
        self._timers.soon("place", self._place)

    def _fit(self, width: int) -> None:
        if width and self._now in self._tabs:
            self._tabs[self._now].page.fit(width)
