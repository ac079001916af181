"""Find in the chat."""

import pytest

from tests.tkinfer.ui.rig import Chat, Rig
from tkinfer.ui import tagdata
from tkinfer.ui.findbar import FOUND, FOUND_NOW
from tkinfer.ui.finding import Finding
from tkinfer.ui.view import Entry

HAYSTACK = [
    Entry(author="You", text="Where is the *Needle*?", is_user=True),
    Entry(author="Model", text="The **need**le is in `needle.py`; $\\alpha$ needle\u200b."),
    Entry(author="You", text="nothing", is_user=True),
    Entry(author="Model", text="| a |\n|---|\n| NEEDLE |\n\n```\nneedle = 1\n```\n"),
]


def found(needle: str, *entries: Entry) -> dict[int, int]:
    finding = Finding(Chat(*entries), needle)
    while not finding.complete:
        finding.step()
    return finding.hits


def test_what_is_shown_is_found_and_not_what_was_written() -> None:
    assert found("needle", *HAYSTACK) == {0: 1, 1: 3, 3: 2}
    assert found("*Needle*", *HAYSTACK) == {0: 1}  # the user's text is shown as it is
    assert found("**", *HAYSTACK) == {}
    assert found("\N{GREEK SMALL LETTER ALPHA}", *HAYSTACK) == {1: 1}
    assert found("n.*e", *HAYSTACK) == {}
    assert found("absent", *HAYSTACK) == {}


def test_a_message_that_can_not_hold_it_is_not_rendered() -> None:
    class Unrendered(Chat):
        def renderer(self) -> None:  # type: ignore[override]
            raise AssertionError

    finding = Finding(Unrendered(Entry(author="Model", text="no such word")), "needle")
    finding.step()
    assert finding.hits == {}


def test_hits_are_numbered_through_the_messages() -> None:
    finding = Finding(Chat(*HAYSTACK), "needle")
    while not finding.complete:
        finding.step()
    places = [finding.place_of(number) for number in range(finding.total)]
    assert places == [(0, 0), (1, 0), (1, 1), (1, 2), (3, 0), (3, 1)]
    assert finding.first_from(2) == 4
    assert finding.first_from(99) == 5
    with pytest.raises(IndexError):
        finding.place_of(6)


def type_needle(rig: Rig, words: str) -> None:
    bar = rig.window.find
    bar.box.delete(0, "end")
    bar.box.insert(0, words)
    bar.box.event_generate("<KeyRelease>")

    def searched() -> bool:
        finding = bar._finding
        return finding is not None and finding.needle == words and finding.complete

    rig.wait(searched, "the chat is searched")
    rig.settle()


def now(rig: Rig) -> str:
    first, last = map(str, rig.text.tag_ranges(FOUND_NOW))
    return rig.text.get(f"{first} linestart", f"{last} lineend").strip()


@pytest.mark.ui
def test_from_key_to_hit_and_back(rig: Rig) -> None:
    rig.show(*HAYSTACK)
    rig.press(rig.box, "<Control-f>")
    bar = rig.window.find
    assert bar.is_open
    type_needle(rig, "needle")
    assert bar.count.cget("text") == "1 of 6"
    assert now(rig) == "Where is the *Needle*?"
    for words in ("The needle is in", "needle.py", "needle", "NEEDLE", "needle = 1", "Where is"):
        rig.press(bar.box, "<Return>")
        assert words in now(rig)
    rig.press(bar.box, "<Shift-Return>")
    assert now(rig) == "needle = 1"
    assert bar.count.cget("text") == "6 of 6"
    rig.wait(lambda: len(rig.text.tag_ranges(FOUND)) == 12, "all that is in view is marked")
    rig.press(bar.box, "<Escape>")
    assert not bar.is_open
    assert not rig.text.tag_ranges(FOUND)
    assert not rig.text.tag_ranges(FOUND_NOW)
    assert str(rig.root.focus_get()) == str(rig.box)


@pytest.mark.ui
def test_what_is_not_there_is_said(rig: Rig) -> None:
    rig.show(*HAYSTACK)
    rig.press(rig.box, "<Control-f>")
    type_needle(rig, "absent")
    assert rig.window.find.count.cget("text") == "Not found"
    rig.press(rig.window.find.box, "<Return>")  # does no harm
    type_needle(rig, "nothing")
    assert rig.window.find.count.cget("text") == "1 of 1"


@pytest.mark.ui
def test_a_hit_in_a_message_that_is_not_drawn_is_shown(rig: Rig) -> None:
    entries = [Entry(author="Model", text=f"message {number}") for number in range(4_000)]
    entries[50] = Entry(author="Model", text="some 🦀🦀 **needle**\n\nhere")
    rig.show(*entries)
    rig.press(rig.box, "<Control-f>")
    type_needle(rig, "needle")
    assert now(rig) == "some 🦀🦀 needle"
    first, last = map(str, rig.text.tag_ranges(FOUND_NOW))
    assert rig.text.get(first, last) == "needle"
    assert rig.text.dlineinfo(first) is not None


@pytest.mark.ui
def test_the_selection_is_what_is_looked_for(rig: Rig) -> None:
    rig.show(*HAYSTACK)
    place = rig.text.search("nothing", "1.0")
    rig.text.tag_add("sel", place, f"{place} +7c")
    rig.press(rig.text, "<Control-f>")
    assert rig.window.find.box.get() == "nothing"


@pytest.mark.ui
def test_the_wheel_zooms_while_control_is_held(rig: Rig) -> None:
    for widget in (rig.text, rig.box):
        widget.event_generate("<Control-Button-4>")
        rig.settle()
    assert rig.window.zoom() == 2
    rig.text.event_generate("<Control-Button-5>")
    rig.settle()
    assert rig.window.zoom() == 1


@pytest.mark.ui
def test_another_chat_is_searched_as_soon_as_it_is_shown(rig: Rig) -> None:
    rig.show(*HAYSTACK)
    rig.press(rig.box, "<Control-f>")
    type_needle(rig, "needle")
    rig.show(*HAYSTACK[:1])
    rig.wait(lambda: rig.window.find.count.cget("text") == "1 of 1", "the new chat is searched")
    rig.chat.entries += HAYSTACK[1:]
    rig.window.redraw_from(1)
    rig.press(rig.window.find.box, "<Return>")
    rig.wait(lambda: rig.window.find.count.cget("text") == "1 of 6", "so is what has come")


@pytest.mark.ui
def test_tags_that_hold_data_go_with_their_chat(rig: Rig) -> None:
    rig.show(Entry(author="Model", text="[a](https://example.org) $x^2$\n\n|a|\n|-|\n|b|\n"))
    assert any(tagdata.is_data(tag) for tag in rig.text.tag_names())
    rig.show()
    assert not any(tagdata.is_data(tag) for tag in rig.text.tag_names())
