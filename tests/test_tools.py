"""The tools that the tests share do what they promise."""

import logging
import os
import subprocess
import sys
import threading
import tkinter as tk

import pytest

from tests.fake_clock import FakeClock, FakeTkScheduler
from tests.leaks import Bystanders, captured_errors, unexpected
from tests.waiting import wait_until


def test_waiting_returns_what_the_condition_gave() -> None:
    answers = iter([None, "", "now"])
    assert wait_until(lambda: next(answers)) == "now"


def test_waiting_in_vain_says_for_what() -> None:
    with pytest.raises(AssertionError, match="in vain for: rain"):
        wait_until(lambda: False, "rain", limit_s=0.0)


def test_fake_timers_run_in_order_at_their_own_time() -> None:
    clock = FakeClock(0.0)
    seen: list[tuple[str, float]] = []
    clock.call_later(2.0, lambda: seen.append(("b", clock.now())))
    clock.call_later(1.0, lambda: clock.call_later(0.5, lambda: seen.append(("a", clock.now()))))
    clock.call_later(1.0, lambda: seen.append(("never", clock.now()))).cancel()
    clock.advance(1.75)
    assert seen == [("a", 1.5)]
    assert clock.pending == 1
    clock.advance(0.25)
    assert seen == [("a", 1.5), ("b", 2.0)]


def test_time_spent_makes_timers_late_but_loses_none() -> None:
    clock = FakeClock(0.0)
    seen: list[float] = []
    clock.call_later(1.0, lambda: clock.spend(5.0))
    clock.call_later(2.0, lambda: seen.append(clock.now()))
    clock.advance(3.0)
    assert seen == [6.0]
    assert clock.now() == 6.0


def test_fake_tk_timers_can_be_cancelled_and_re_armed() -> None:
    scheduler = FakeTkScheduler(FakeClock())
    beats: list[float] = []

    def beat() -> None:
        beats.append(scheduler.now())
        scheduler.after(16, beat)

    scheduler.after_cancel(scheduler.after(5, beat))
    scheduler.after(16, beat)
    scheduler.run_for(170)
    assert len(beats) == 10
    assert scheduler.pending == 1


def test_a_timer_that_re_arms_itself_without_delay_is_caught() -> None:
    scheduler = FakeTkScheduler(FakeClock())

    def spin() -> None:
        scheduler.after(0, spin)

    spin()
    with pytest.raises(AssertionError, match="calls fell due"):
        scheduler.run_for(1)


def test_a_thread_left_behind_is_named() -> None:
    bystanders = Bystanders()
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="straggler")
    thread.start()
    assert "straggler" in bystanders.left_behind(limit_s=0.0)
    end.set()
    thread.join()
    assert not bystanders.left_behind()


def test_a_process_left_behind_is_named() -> None:
    bystanders = Bystanders()
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert str(child.pid) in bystanders.left_behind(limit_s=0.0)
        child.kill()
    assert not bystanders.left_behind()


@pytest.mark.errors_logged("engine died")
def test_log_records_are_matched_with_what_was_declared() -> None:
    with captured_errors() as errors:
        logging.getLogger("tkinfer.some").error("engine %s", "died")
        logging.getLogger("tkinfer.some").warning("not counted")
    assert not unexpected(errors.texts, ["engine died"])
    assert "unexpected" in unexpected(errors.texts, [])
    assert "no log record" in unexpected([], ["engine died"])


def test_headless_tests_see_no_display() -> None:
    assert "DISPLAY" not in os.environ


@pytest.mark.ui
def test_a_window_takes_the_focus_on_the_virtual_display() -> None:
    root = tk.Tk()
    try:
        entry = tk.Entry(root)
        entry.pack()
        entry.focus_force()
        wait_until(lambda: root.focus_displayof() == entry, between=root.update)
    finally:
        root.destroy()
