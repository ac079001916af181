import threading

import pytest

from tests.tkinfer.ui.rig import Rig
from tkinfer.ui.appearance import SystemAppearance, linux_is_dark


@pytest.mark.parametrize(
    ("portal", "scheme", "gtk", "dark"),
    [
        ("(<<uint32 1>>,)", "", "", True),
        ("(<<uint32 2>>,)", "'prefer-dark'", "", False),
        ("(<<uint32 0>>,)", "'prefer-dark'", "", True),
        ("", "'prefer-light'", "'Adwaita-dark'", False),
        ("", "'default'", "'Adwaita-dark'", True),
        ("", "'default'", "'Adwaita'", False),
        ("", "", "", None),
    ],
)
def test_linux_desktops_are_asked_best_source_first(
    portal: str, scheme: str, gtk: str, dark: bool | None
) -> None:
    def ask(command: tuple[str, ...]) -> str:
        if command[0] == "gdbus":
            return portal
        return scheme if command[-1] == "color-scheme" else gtk

    assert linux_is_dark(ask) is dark


@pytest.mark.ui
def test_the_window_does_not_wait_for_the_system(rig: Rig) -> None:
    may_answer = threading.Event()
    threads: list[str] = []
    answers: list[bool] = []

    def ask() -> bool:
        threads.append(threading.current_thread().name)
        may_answer.wait(10)
        return True

    system = SystemAppearance(rig.root, answers.append, ask)
    system.check()
    system.check()  # a moment later: not asked again
    rig.settle()
    assert answers == []
    may_answer.set()
    rig.wait(lambda: answers, "the answer arrives")
    assert answers == [True]
    assert threads == ["tkinfer-appearance"]
