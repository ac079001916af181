"""Case T-2: no timer of a dead widget ever runs its body."""

import gc
import tkinter as tk

import pytest

from tests.tkinfer.ui.rig import Rig, closed, opened, plain
from tkinfer.ui.timers import Timers
from tkinfer.ui.view import Notice, Tone

pytestmark = pytest.mark.ui

CYCLES = 50


def busy(rig: Rig) -> None:
    """Bring the window into a state with as many pending timers as it can have."""
    rig.window.add_user_message("question")
    rig.window.begin_answer("Model")
    rig.window.show_running(running=True)
    for number in range(100):
        rig.draw(f"piece {number}\n")
    rig.window.draw([opened(), plain("x\n", "code"), closed()])
    rig.window.transcript.code.copy_last()
    rig.window.composer.edit("old")
    rig.window.composer.leave_edit()
    rig.window.composer.type("next")
    rig.window.composer.send()
    rig.window.show_notice(Notice(what="something", detail="more"))
    rig.box.event_generate("<<TkEndIMEMarkedText>>")


def pending(root: tk.Tk) -> list[str]:
    return [str(name) for name in root.tk.splitlist(root.tk.call("after", "info"))]


def test_t2_clearing_the_chat_ends_its_timers_fifty_times(rig: Rig) -> None:
    for _ in range(CYCLES):
        busy(rig)
        rig.show()
        rig.window.show_running(running=False)
        assert rig.shown() == ""
        rig.window.add_user_message("other chat")
        assert "other chat" in rig.shown()
        rig.show()
    rig.wait(lambda: not pending(rig.root), "all timers have ended")
    assert rig.shown() == ""


@pytest.mark.usefixtures("display")
def test_t2_windows_with_pending_timers_die_silently(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(CYCLES // 5):
        rig = Rig()
        busy(rig)
        rig.close()
        assert rig.errors == []
        del rig
        gc.collect()
    assert capfd.readouterr().err == ""


def test_t2_views_created_drawn_and_destroyed_in_one_program(
    rig: Rig, capfd: pytest.CaptureFixture[str]
) -> None:
    from tkinfer.ui.transcript import Transcript

    actions = rig.window._last_answer.row_actions(tokens=lambda: None)

    for _ in range(CYCLES):
        view = Transcript(rig.root, rig.window._theme, typed=lambda _: None, actions=actions)
        view.frame.place(relwidth=1, relheight=1)
        view.begin_answer("Model")
        view.draw([plain("text\n"), opened(), plain("x\n"), closed()])
        view.code.copy_last()
        rig.settle()
        view.draw([plain("more")])
        view.frame.destroy()
        rig.settle()
    rig.wait(lambda: not pending(rig.root), "all timers have ended")
    rig.answer("the window's own transcript works")
    assert "own transcript works" in rig.shown()
    assert capfd.readouterr().err == ""


def test_timers_of_a_destroyed_widget_never_run(rig: Rig) -> None:
    frame = tk.Frame(rig.root)
    timers = Timers(frame)
    ran: list[str] = []
    timers.start("late", 1, lambda: ran.append("late"))
    timers.soon("idle", lambda: ran.append("idle"))
    frame.destroy()
    rig.wait(lambda: not pending(rig.root), "nothing is pending")
    assert ran == []


def test_a_timer_started_again_runs_once(rig: Rig) -> None:
    timers = Timers(rig.root)
    ran: list[int] = []
    for number in range(3):
        timers.start("same", 1, lambda number=number: ran.append(number))
    rig.wait(lambda: bool(ran), "the timer runs")
    rig.wait(lambda: not pending(rig.root), "nothing is pending")
    assert ran == [2]


def test_an_answer_ended_twice_or_never_begun_does_no_harm(rig: Rig) -> None:
    rig.window.end_answer(figures="1 token", note="", tone=Tone.PLAIN)
    rig.answer("x")
    rig.window.end_answer(figures="1 token", note="", tone=Tone.PLAIN)
    rig.window.end_answer(figures="1 token", note="", tone=Tone.PLAIN)
    rig.window.show_running(running=False)
    assert rig.shown().count("1 token") == 1
