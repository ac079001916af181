"""The settings panel: opened and closed, numbers, presets, undo, and its looks."""

import pytest

from actors.engine import ModelInfo
from actors.sampling import Sampling
from tests.tkinfer.ui.panels import choose, generation, load, note, number, opened, resets, retype
from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import button, widgets
from tkinfer.ui.panel.numberrow import NumberRow
from tkinfer.ui.view import Appearance

pytestmark = pytest.mark.ui


# ---- opening and closing


def test_nothing_of_the_panel_is_built_before_it_is_opened(rig: Rig) -> None:
    assert rig.window.panel.panel is None
    before = len(widgets(rig.root))
    opened(rig)
    assert len(widgets(rig.root)) > before + 20


def test_the_same_key_opens_and_closes_it(rig: Rig) -> None:
    rig.press(rig.box, "<Control-comma>")
    panel = rig.window.panel.panel
    assert panel is not None
    assert panel.is_open
    assert panel.has_focus()
    rig.press(rig.root.focus_get() or rig.root, "<Control-comma>")
    assert not panel.is_open
    assert not panel.frame.winfo_ismapped()
    assert rig.root.focus_get() is rig.box


def test_the_button_opens_and_closes_it(rig: Rig) -> None:
    rig.window._top.settings.invoke()
    rig.window._top.settings.invoke()
    panel = rig.window.panel.panel
    assert panel is not None
    assert not panel.is_open


def test_escape_closes_it_before_anything_stops(rig: Rig) -> None:
    panel = opened(rig)
    rig.window.show_running(running=True)
    rig.press(panel._buttons["generation"], "<Escape>")
    assert not panel.is_open
    assert ("stop",) not in rig.actions.calls


def test_escape_in_the_input_box_stops_first(rig: Rig) -> None:
    panel = opened(rig)
    rig.window.show_running(running=True)
    rig.root.geometry("1200x640")
    rig.wait(lambda: not panel.covers, "the panel stands beside the chat")
    rig.press(rig.box, "<Escape>")
    assert rig.actions.calls == [("stop",)]
    assert panel.is_open
    rig.window.show_running(running=False)
    rig.press(rig.box, "<Escape>")
    assert not panel.is_open


def test_a_narrow_window_has_it_over_the_chat_and_a_wide_one_beside(rig: Rig) -> None:
    rig.root.geometry("480x400")
    rig.wait(lambda: rig.root.winfo_width() == 480, "narrow")
    panel = opened(rig)
    rig.wait(lambda: panel.covers and panel.frame.winfo_ismapped(), "over the chat")
    assert rig.text.winfo_width() == 480
    assert panel.frame.winfo_rootx() >= rig.root.winfo_rootx()
    rig.root.geometry("1200x640")
    rig.wait(lambda: not panel.covers, "beside the chat")
    rig.wait(lambda: rig.text.winfo_width() + panel.frame.winfo_width() == 1200, "side by side")


def test_the_window_keeps_its_keys_inside_of_the_panel(rig: Rig) -> None:
    page = generation(rig)
    assert page.system is not None
    rig.press(page.system.text, "<Control-n>")
    assert page.system.typed() == ""
    assert ("new_chat",) in rig.actions.calls


def test_tab_goes_from_field_to_field(rig: Rig) -> None:
    page = generation(rig)
    assert page.system is not None
    rig.press(number(page, "temperature").entry, "<Tab>")
    assert rig.root.focus_get() is number(page, "max_tokens").entry
    rig.press(page.system.text, "<Tab>")
    assert rig.root.focus_get() is not page.system.text
    assert "\t" not in page.system.typed()


def test_a_field_that_gets_the_focus_is_scrolled_to(rig: Rig) -> None:
    page = generation(rig, fold=True)
    pane = page._pane
    row = number(page, "alternatives")
    rig.press(row.entry)

    def inside() -> bool:
        top = row.entry.winfo_rooty() - pane.frame.winfo_rooty()
        return 0 <= top <= pane.frame.winfo_height() - row.entry.winfo_height()

    rig.wait(inside, "the field is in view")


def test_the_wheel_scrolls_the_page(rig: Rig) -> None:
    page = generation(rig, fold=True)
    before = page._pane._canvas.canvasy(0)
    entry = number(page, "temperature").entry
    entry.event_generate("<Button-5>")
    rig.settle()
    assert page._pane._canvas.canvasy(0) > before
    entry.event_generate("<Button-4>")
    rig.settle()
    assert page._pane._canvas.canvasy(0) == before


# ---- numbers


def test_what_is_typed_is_used(rig: Rig) -> None:
    page = generation(rig)
    retype(rig, number(page, "temperature"), "1,25")
    retype(rig, number(page, "seed"), "42")
    retype(rig, number(page, "max_tokens"), "2048")
    assert rig.actions.tuned.sampling == Sampling(temperature=1.25, seed=42, max_tokens=2048)
    retype(rig, number(page, "seed"), "")
    assert rig.actions.tuned.sampling.seed is None


@pytest.mark.parametrize(
    ("typed", "reason"), [("hot", "no number"), ("99", "0 to 10"), ("", "needed")]
)
def test_what_cannot_be_used_is_marked_and_not_lost(rig: Rig, typed: str, reason: str) -> None:
    row = number(generation(rig), "temperature")
    retype(rig, row, typed)
    rig.wait(lambda: row.error, "the mark")
    assert reason in note(row)
    assert "0.7" in note(row)  # what is still in use
    assert row.entry.instate(["invalid"])
    assert rig.actions.tuned.sampling == Sampling()
    load(rig)  # everything is shown anew
    rig.settle()
    assert row.entry.get() == typed
    retype(rig, row, "0.2")
    assert not row.error
    assert not row.entry.instate(["invalid"])
    assert rig.actions.tuned.sampling.temperature == 0.2


def test_a_text_being_typed_is_not_rewritten(rig: Rig) -> None:
    row = number(generation(rig), "temperature")
    rig.press(row.entry, "<Control-a>", "<BackSpace>")
    rig.type(row.entry, "1.50")
    rig.wait(lambda: rig.actions.tuned.sampling.temperature == 1.5, "used")
    rig.settle()
    assert row.entry.get() == "1.50"


def test_a_changed_value_is_reset_by_one_click(rig: Rig) -> None:
    page = generation(rig)
    assert resets(rig) == 0
    retype(rig, number(page, "temperature"), "0.1")
    rig.wait(lambda: resets(rig) == 1, "one value differs")
    button(rig, "Reset").invoke()
    rig.wait(lambda: resets(rig) == 0, "none differs")
    assert rig.actions.tuned.sampling == Sampling()
    assert number(page, "temperature").entry.get() == "0.7"


def test_a_slider_moves_by_mouse_and_by_keys(rig: Rig) -> None:
    row = number(generation(rig), "temperature")
    assert row.slider is not None
    middle = row.slider.winfo_width() // 2
    row.slider.event_generate("<Button-1>", x=middle, y=row.slider.winfo_height() // 2)
    row.slider.event_generate("<ButtonRelease-1>", x=middle, y=5)
    rig.settle()
    assert rig.actions.tuned.sampling.temperature == pytest.approx(1.0, abs=0.05)
    before = rig.actions.tuned.sampling.temperature
    rig.press(row.entry, "<Up>", "<Up>", "<Down>")
    assert rig.actions.tuned.sampling.temperature == pytest.approx(before + 0.02)
    assert float(row.entry.get()) == rig.actions.tuned.sampling.temperature


def test_every_number_can_be_set(rig: Rig) -> None:
    page = generation(rig, fold=True)
    assert page.samplers is not None
    wanted: dict[str, float] = {}
    for name, row in page.samplers.fields.rows.items():
        if isinstance(row, NumberRow):
            value = row.field.high if row.field.whole else (row.field.low + row.field.high) / 2
            row._put(row.field.shown(value))
            row._look()
            wanted[name] = value
    assert len(wanted) > 15
    sampling = rig.actions.tuned.sampling
    assert {name: getattr(sampling, name) for name in wanted} == wanted


# ---- reset, undo, presets


def test_reset_all_and_undo(rig: Rig) -> None:
    page = generation(rig)
    tuning = load(rig)
    row = number(page, "temperature")
    tuning.change(top_k=3)
    tuning.set_system_prompt("Be brief.")
    retype(rig, row, "hot")
    rig.wait(lambda: row.error, "the mark")
    button(rig, "Reset all").invoke()
    rig.wait(lambda: not row.error and row.entry.get() == "0.7", "the default is shown")
    assert tuning.is_all_default()
    assert page.system is not None
    rig.wait(lambda: page.system is not None and page.system.typed() == "", "no system prompt")
    button(rig, "Undo").invoke()
    rig.wait(lambda: page.system is not None and page.system.typed() == "Be brief.", "back")
    assert tuning.sampling.top_k == 3


def test_presets_by_name(rig: Rig) -> None:
    page = generation(rig)
    tuning = rig.actions.tuned
    preset = page.preset
    assert preset is not None
    preset.choice.open()
    choose(rig, "Greedy")
    assert tuning.sampling.temperature == 0
    tuning.change(top_k=7)
    rig.wait(lambda: "Greedy (changed)" in str(preset.choice.button.cget("text")), "changed")
    preset.choice.open()
    choose(rig, "Save as…")
    rig.type(preset.entry, "\n")
    assert "needs a name" in note(preset)  # type: ignore[arg-type]
    preset.entry.insert(0, "{Мой} «7».")
    rig.press(preset.entry, "<Return>")
    assert tuning.presets.own == ("{Мой} «7».",)
    assert not preset.entry.winfo_ismapped()
    rig.wait(lambda: "{Мой} «7»." in str(preset.choice.button.cget("text")), "the new name")
    preset.choice.open()
    choose(rig, "Delete")
    assert tuning.presets.own == ()
    assert tuning.sampling.top_k == 7


def test_escape_closes_the_line_for_the_name_only(rig: Rig) -> None:
    page = generation(rig)
    assert page.preset is not None
    page.preset.ask_name()
    rig.press(page.preset.entry, "<Escape>")
    assert not page.preset.entry.winfo_ismapped()
    assert rig.window.panel.panel is not None
    assert rig.window.panel.panel.is_open


def test_more_presets_than_the_window_has_room_for(rig: Rig) -> None:
    page = generation(rig)
    tuning = rig.actions.tuned
    for count in range(60):
        tuning.save_preset(f"Preset {count:02}")
    tuning.change(top_k=1)
    assert page.preset is not None
    page.preset.choice.open()
    for _ in range(20):
        rig.settle()
        frame = rig.window._popover._frame
        assert frame is not None
        assert frame.winfo_rooty() >= rig.root.winfo_rooty()
        bottom = rig.root.winfo_rooty() + rig.root.winfo_height()
        assert frame.winfo_rooty() + frame.winfo_height() <= bottom
        rows = [
            str(child.cget("text")) for child in widgets(frame) if "TButton" in child.winfo_class()
        ]
        if any("Preset 59" in row for row in rows):
            choose(rig, "Preset 59")
            break
        choose(rig, "More…")
    assert tuning.preset == "Preset 59"
    assert not tuning.preset_is_changed


# ---- looks


def test_it_follows_palette_and_zoom(rig: Rig) -> None:
    page = generation(rig, fold=True)
    assert page.system is not None
    light = str(page.system.text.cget("background"))
    rig.window.show_appearance(Appearance.DARK)
    rig.settle()
    assert str(page.system.text.cget("background")) != light
    style = rig.root.tk
    assert str(style.call("ttk::style", "layout", "Field.TEntry"))
    rig.root.geometry("1280x800")
    rig.wait(lambda: rig.root.winfo_width() == 1280, "wide")
    panel = rig.window.panel.panel
    assert panel is not None
    rig.wait(lambda: not panel.covers, "beside")
    before = panel.frame.winfo_width()
    rig.window._theme.zoom(3)
    rig.wait(lambda: panel.frame.winfo_width() > before, "wider with larger text")


def test_rows_stay_inside_of_the_panel(rig: Rig) -> None:
    """Whatever the width, no editor lies beyond the panel's edge or upon another's label."""
    load(rig, ModelInfo(path="/" + "x" * 300 + ".gguf", name="x", can_think=True))
    rig.actions.tuned.save_preset("Ä" * 200)
    rig.actions.tuned.change(**dict.fromkeys(("top_k", "dry_allowed_length", "seed"), 3))
    page = generation(rig, fold=True)
    rig.root.geometry("480x400")
    rig.wait(lambda: rig.root.winfo_width() == 480, "narrow")
    rig.settle()
    frame = page._pane.frame
    right = frame.winfo_rootx() + frame.winfo_width()
    for widget in widgets(page.frame):
        if widget.winfo_ismapped():
            assert widget.winfo_rootx() + widget.winfo_width() <= right, widget
    for row in page._rows():
        label_end = row.label.winfo_rootx() + row.label.winfo_width()
        for child in row.frame.winfo_children():
            if child is not row.label and child.grid_info().get("row") == 0:  # type: ignore[attr-defined]
                assert child.winfo_rootx() >= label_end, row.label.cget("text")
