"""The settings panel in tests: opened and built, and short names for what is done with it."""

from actors.engine import ModelInfo, Template
from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import widgets
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.panel.generationpage import GenerationPage
from tkinfer.ui.panel.loadingpage import LoadingPage
from tkinfer.ui.panel.numberrow import NumberRow
from tkinfer.ui.panel.pairlist import PairList
from tkinfer.ui.panel.sidepanel import PageName, SidePanel
from tkinfer.ui.panel.textrow import TextRow

MODEL = ModelInfo(
    path="/models/模型.gguf",
    name="M",
    format="The model's own template.",
    can_think=True,
    templates=(
        Template(name="", source="{{ messages }}\nsecond\n"),
        Template(name="tool_use", source="{{ tools }}"),
    ),
)


def load(rig: Rig, info: ModelInfo = MODEL) -> Tuning:
    tuning = rig.actions.tuned
    tuning.load_spec(info.path)
    tuning.model_loaded(info)
    return tuning


def opened(rig: Rig, page: PageName = "generation") -> SidePanel:
    rig.window.panel.open(page)
    panel = rig.window.panel.panel
    assert panel is not None
    rig.wait(lambda: panel.is_built, "the page is built")
    return panel


def generation(rig: Rig, *, fold: bool = False) -> GenerationPage:
    panel = opened(rig)
    if fold:
        panel.generation.open_fold()
        rig.wait(lambda: panel.is_built, "all samplers are there")
    return panel.generation


def loading(rig: Rig) -> LoadingPage:
    return opened(rig, "loading").loading


def number(page: GenerationPage | LoadingPage, name: str) -> NumberRow:
    rows = dict(page.fields.rows)
    if isinstance(page, GenerationPage) and page.samplers is not None:
        rows |= page.samplers.fields.rows
    row = rows[name]
    assert isinstance(row, NumberRow)
    return row


def texts(page: GenerationPage, name: str) -> TextRow:
    assert page.samplers is not None
    row = page.samplers.fields.rows[name]
    assert isinstance(row, TextRow)
    return row


def retype(rig: Rig, row: NumberRow, text: str) -> None:
    """Replace what is in the entry, by keys, and leave it."""
    rig.press(row.entry, "<Control-a>", "<BackSpace>")
    rig.type(row.entry, text)
    rig.press(rig.box)


def note(row: NumberRow | TextRow | PairList) -> str:
    return str(row._note.cget("text"))


def resets(rig: Rig) -> int:
    rig.settle()
    return sum(
        str(widget.cget("text")) == "Reset"
        for widget in widgets(rig.root)
        if widget.winfo_class() == "TButton" and widget.winfo_manager()
    )


def choose(rig: Rig, words: str) -> None:
    """Choose from the menu that is open."""
    frame = rig.window._popover._frame
    assert frame is not None
    for child in frame.winfo_children():
        if child.winfo_class() == "TButton" and words in str(child.cget("text")):
            child.invoke()  # type: ignore[attr-defined]
            rig.settle()
            return
    msg = f"no row {words}"
    raise AssertionError(msg)
