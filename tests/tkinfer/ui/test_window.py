import tkinter as tk
from tkinter import ttk

import pytest

from actors.turn import Phase
from tests.tkinfer.ui.rig import Rig, closed, opened, plain
from tkinfer.ui.emptystate import EXAMPLES
from tkinfer.ui.view import (
    Appearance,
    EmptyState,
    ModelBadge,
    Notice,
    RecentModel,
    Status,
    Tone,
)

pytestmark = pytest.mark.ui


def widgets(parent: tk.Misc) -> list[tk.Misc]:
    """All descendants."""
    found: list[tk.Misc] = []
    for child in parent.winfo_children():
        found += [child, *widgets(child)]
    return found


def button(rig: Rig, words: str) -> ttk.Button:
    """The visible button with these words."""
    rig.settle()
    for widget in widgets(rig.root):
        if isinstance(widget, ttk.Button) and widget.winfo_ismapped():
            label = " ".join(str(widget.cget("text")).split())
            if label.startswith(words):
                return widget
    msg = f"no button {words}"
    raise AssertionError(msg)


def labels(rig: Rig) -> list[str]:
    rig.settle()
    return [
        str(widget.cget("text"))
        for widget in widgets(rig.root)
        if isinstance(widget, ttk.Label) and widget.winfo_ismapped()
    ]


def test_escape_stops_from_anywhere(rig: Rig) -> None:
    rig.window.show_running(running=True)
    rig.press(rig.text, "<Escape>")
    rig.press(rig.box, "<Escape>")
    rig.press(rig.window.composer.button, "<Escape>")
    assert rig.actions.calls == [("stop",)] * 3


def test_escape_closes_a_menu_before_it_stops(rig: Rig) -> None:
    rig.window.show_running(running=True)
    rig.window._top._more.invoke()
    rig.settle()
    rig.press(rig.root.focus_get() or rig.root, "<Escape>")
    assert rig.actions.calls == []
    rig.press(rig.box, "<Escape>")
    assert rig.actions.calls == [("stop",)]


def test_escape_cancels_a_loading(rig: Rig) -> None:
    rig.window.show_model(ModelBadge(label="m", loading=0.5))
    rig.press(rig.box, "<Escape>")
    button(rig, "Cancel").invoke()
    assert rig.actions.calls == [("cancel_load",)] * 2


def test_keys_of_the_window_come_before_those_of_a_text(rig: Rig) -> None:
    rig.window.composer.type("draft")
    rig.press(rig.box, "<Control-n>")
    rig.press(rig.text, "<Control-N>")
    assert rig.actions.calls == [("new_chat",)] * 2
    assert rig.window.composer.draft() == "draft"


def test_the_last_code_block_is_copied_by_keyboard(rig: Rig) -> None:
    rig.answer("text\n")
    rig.window.draw([opened(), plain("x = 1\n", "code"), closed()])
    rig.press(rig.box, "<Control-Shift-C>")
    assert rig.clipboard() == "x = 1\n"


def test_the_model_menu_lists_recent_models_and_tells_namesakes_apart(rig: Rig) -> None:
    long_name = "A-model-with-a-name-that-goes-on-and-on-and-never-ends-" * 3 + "Q4_K_M"
    recent = (
        RecentModel(path="/one/a.gguf", label="Same"),
        RecentModel(path="/two/a.gguf", label="Same"),
        RecentModel(path="/m/long.gguf", label=long_name),
    )
    rig.window.show_model(
        ModelBadge(label=long_name, loaded=True, recent=recent, starter_installed=True)
    )
    rig.window._top.model.open_menu()
    assert button(rig, "Same · two")
    elided = button(rig, "A-model")
    rig.settle()
    assert elided.winfo_rootx() + elided.winfo_width() <= rig.root.winfo_rootx() + 900
    button(rig, "Same · one").invoke()
    rig.window._top.model.open_menu()
    button(rig, "Starter model").invoke()
    assert rig.actions.calls == [("load_model", "/one/a.gguf"), ("load_starter",)]


def test_menus_are_ruled_by_keys(rig: Rig) -> None:
    rig.box.focus_force()
    rig.window._top._more.invoke()
    rig.settle()
    for key in ("<Down>", "<Down>", "<Down>", "<Down>", "<Down>", "<Up>", "<Return>"):
        rig.press(rig.root.focus_get() or rig.root, key)
    assert rig.actions.calls == [("choose_appearance", "light")]
    assert not rig.window._popover.is_open
    assert rig.root.focus_get() is rig.box


def test_choosing_an_appearance_repaints_and_reports(rig: Rig) -> None:
    rig.window._top._more.invoke()
    button(rig, "Dark").invoke()
    assert rig.actions.calls == [("choose_appearance", Appearance.DARK.value)]
    assert str(rig.root.tk.call("ttk::style", "theme", "use")) == "tkinfer-dark"


def test_nothing_of_the_status_is_clipped_in_a_narrow_window(rig: Rig) -> None:
    rig.root.geometry("640x480")
    rig.wait(lambda: rig.root.winfo_width() == 640, "the window is narrow")
    rig.window.show_status(
        Status(
            phase=Phase.DECODE,
            words="Answering",
            figures=("68.4 tokens/s", "first token 0.21 s", "context 1,204 of 8,192", "and more"),
            receipt="stopped in 12 ms while reading the prompt, engine idle",
        )
    )
    rig.settle()
    bar = rig.window._status.frame
    parts = [widget for widget in bar.winfo_children() if widget.winfo_ismapped()]
    assert all(part.winfo_width() >= part.winfo_reqwidth() for part in parts)
    assert parts[-1].winfo_x() + parts[-1].winfo_width() <= bar.winfo_width()
    assert "Answering" in labels(rig)
    assert "stopped in 12 ms while reading the prompt, engine idle" in labels(rig)


def test_everything_fits_into_a_small_window(rig: Rig) -> None:
    rig.root.geometry("640x480")
    rig.wait(lambda: rig.root.winfo_width() == 640, "the window is narrow")
    for state in EmptyState:
        rig.window.show_empty(state)
        rig.settle()
        panel = rig.window._empty._frame
        assert panel is not None
        assert panel.winfo_y() >= 0
        assert panel.winfo_y() + panel.winfo_height() <= rig.text.winfo_height()


def test_a_notice_says_what_happened_and_hands_out_its_details(rig: Rig) -> None:
    notice = Notice(what="It broke\0.", next_step="Try again.", detail="line 1\nline 2")
    rig.window.show_notice(notice)
    rig.window.show_notice(notice)
    assert labels(rig).count("It broke␀.") == 1
    assert "Try again." in labels(rig)
    button(rig, "Details").invoke()
    button(rig, "Copy").invoke()
    assert rig.clipboard() == "line 1\nline 2"
    rig.press(rig.box, "<Escape>")
    assert "Try again." not in labels(rig)


def test_notices_do_not_pile_up(rig: Rig) -> None:
    for number in range(10):
        rig.window.show_notice(Notice(what=f"number {number}", tone=Tone.WARNING))
    shown = [label for label in labels(rig) if label.startswith("number")]
    assert shown == ["number 7", "number 8", "number 9"]


def test_the_empty_state_helps_to_begin(rig: Rig) -> None:
    rig.window.show_empty(EmptyState.NO_MODEL)
    assert any("pip install" in label for label in labels(rig))
    rig.window.show_model(ModelBadge(label="", starter_installed=True))
    button(rig, "Use the starter model").invoke()
    assert rig.actions.calls == [("load_starter",)]
    rig.window.show_empty(EmptyState.READY)
    button(rig, EXAMPLES[0]).invoke()
    assert rig.window.composer.draft() == EXAMPLES[0]
    rig.window.show_empty(None)
    assert rig.window._empty._frame is None


def test_the_title_is_one_line_and_never_pushes_the_buttons_out(rig: Rig) -> None:
    rig.window.show_title("a very long title\nwith a line break \0 " * 20)
    rig.settle()
    more = rig.window._top._more
    assert more.winfo_rootx() + more.winfo_width() <= rig.root.winfo_rootx() + 900
    assert "␀" in rig.root.title()
    assert "\n" not in rig.root.title()


def test_t4_an_error_in_a_callback_reaches_the_handler_and_the_window_goes_on(rig: Rig) -> None:
    def fail(_text: str) -> None:
        msg = "boom"
        raise ValueError(msg)

    rig.actions.on_send = fail
    rig.type(rig.box, "x")
    rig.press(rig.box, "<Return>")
    assert [str(error) for error in rig.errors] == ["boom"]
    assert rig.errors[0].__traceback__ is not None
    rig.root.tk.eval('after idle {error "from Tcl"}')
    rig.settle()
    assert "from Tcl" in str(rig.errors[1])
    rig.errors.clear()
    rig.actions.on_send = lambda _: None
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send", "x")] * 2


def test_closing_the_window_is_reported_not_done(rig: Rig) -> None:
    rig.root.tk.eval(str(rig.root.protocol("WM_DELETE_WINDOW")))
    assert rig.actions.calls == [("close",)]
    assert rig.root.winfo_exists()


def test_every_control_is_reached_by_tab(rig: Rig) -> None:
    rig.window.composer.type("x")
    rig.box.focus_force()
    rig.settle()
    reached: set[str] = set()
    for _ in range(12):
        now = rig.root.focus_get()
        assert now is not None
        reached.add(str(now))
        rig.press(now, "<Tab>")
    top = rig.window._top
    wanted = [rig.box, rig.text, rig.window.composer.button, top._new, top._more, top.model._button]
    assert {str(widget) for widget in wanted} <= reached


def test_a_click_on_a_button_leaves_the_focus_where_it_was(rig: Rig) -> None:
    rig.press(rig.box)
    more = rig.window._top._more
    more.event_generate("<Enter>")
    more.event_generate("<ButtonPress-1>", x=5, y=5)
    more.event_generate("<ButtonRelease-1>", x=5, y=5)
    assert rig.window._popover.is_open
    more.event_generate("<ButtonPress-1>", x=5, y=5)
    more.event_generate("<ButtonRelease-1>", x=5, y=5)
    rig.settle()
    assert not rig.window._popover.is_open
    assert rig.root.focus_get() is rig.box


@pytest.mark.usefixtures("display")
def test_closing_under_an_open_file_dialog_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    rig = Rig()
    rig.root.after(300, rig.close)
    rig.window._open_file()
    assert rig.actions.calls == []
    assert rig.errors == []
    assert capfd.readouterr().err == ""
