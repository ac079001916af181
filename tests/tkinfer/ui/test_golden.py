"""Golden drawings: a page of every construct in each palette, as text with colours and fonts.

A change of the look changes the files in `golden/`: run with TKINFER_GOLDEN=write, and read what
git says has changed.
"""

import os
from pathlib import Path

import pytest

from actors.turn import Channel
from tests.tkinfer.markdown.texts import PAGE
from tests.tkinfer.ui.rig import Rig, plain
from tkinfer.ui.view import Appearance, Tone

pytestmark = pytest.mark.ui

FOLDER = Path(__file__).parent / "golden"
OPTIONS = ("foreground", "background", "font", "underline", "overstrike")


def look(rig: Rig, tags: frozenset[str]) -> list[str]:
    """What a stretch with these tags looks like; of two tags that say it, the higher one counts."""
    order = [tag for tag in rig.text.tag_names() if tag in tags]
    looks: list[str] = []
    for option in OPTIONS:
        values = [str(rig.text.tag_cget(tag, option)) for tag in order]
        value = next((value for value in reversed(values) if value), "")
        if not value and option in {"foreground", "background", "font"}:
            value = str(rig.text.cget(option))
        looks.append(value.removeprefix("tkinfer."))
    lines = zip(OPTIONS[3:], looks[3:], strict=True)
    return [*looks[:3], *(option for option, on in lines if on == "1")]


def drawing(rig: Rig) -> str:
    lines: list[str] = []
    for text, tags in rig.picture():
        kinds = sorted(tag for tag in tags if not tag.startswith(("as", "to:", "stops:")))
        data = sorted(tag for tag in tags if tag.startswith(("as", "to:")))
        lines += [repr(text), f"    {' '.join(look(rig, tags))}"]
        lines += [f"    {' '.join(kinds)}"] * bool(kinds)
        lines += [f"    {tag!r}" for tag in data]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_the_page_of_everything(rig: Rig, name: str) -> None:
    rig.window.show_appearance(Appearance(name))
    rig.window.add_user_message("Show all.\nOn two lines.")
    rig.window.begin_answer("Model")
    rig.window.show_left_out("One message has no room.")
    rig.window.draw([plain("First this.", "reasoning")], Channel.REASONING)
    rig.window.show_thinking(2.0, over=True)
    rig.window.transcript.toggle_thoughts(rig.text.search("Thought", "1.0"))
    rig.stream(*PAGE)
    rig.window.end_answer(figures="9 tokens", note="Stopped.", tone=Tone.WARNING)
    drawn, file = drawing(rig), FOLDER / f"page-{name}.txt"
    if os.environ.get("TKINFER_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(drawn, encoding="utf-8")
    assert drawn == file.read_text(encoding="utf-8")
