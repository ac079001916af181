"""A chat that is too long to be drawn whole: what is drawn, and what the reader sees meanwhile."""

import re

import pytest

from tests.tkinfer.ui.rig import Rig
from tkinfer.ui import filling as filling_module
from tkinfer.ui.filling import MAX_MESSAGES, MAX_SIZE
from tkinfer.ui.messagerows import Gap
from tkinfer.ui.view import AnswerChoices, Entry, Tone

pytestmark = pytest.mark.ui

MANY = 10_000
PROSE = "It goes on for a while, so that there is something to scroll through. " * 3


def chat(messages: int, more: str = PROSE) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(messages // 2):
        entries.append(Entry(author="You", text=f"question {number}", is_user=True))
        entries.append(Entry(author="Model", text=f"**answer {number}** {more}"))
    return entries


def rest(rig: Rig) -> None:
    """Until nothing more is to be drawn for the view as it is."""
    rig.settle()  # Tk reports a scroll when it is idle
    filling = rig.window.transcript.filling
    rig.wait(lambda: not filling._timers.running("fill"), "all is drawn that is in or near view")


def drawn(rig: Rig) -> list[int]:
    return [row.index for row in rig.window.transcript.rows.shown]


def check_rows(rig: Rig) -> None:
    """What the rows say is what stands in the Text."""
    rows = rig.window.transcript.rows
    number = 0
    for row in rows.rows:
        shown = rig.text.get(row.start, rows.end_of(row))
        if isinstance(row, Gap):
            assert row.first == number
            number = row.end
            count = row.end - row.first
            assert shown == ("One message\n" if count == 1 else f"{count:,} messages\n")
        else:
            assert row.index == number
            number += 1
            words = f"{'answer' if row.index % 2 else 'question'} {row.index // 2}"
            assert re.search(rf"\b{words}\b", shown), (row.index, shown)
    assert number == len(rows)


def test_a_long_chat_opens_at_its_end_and_only_that_is_drawn(rig: Rig) -> None:
    rig.show(*chat(MANY))
    assert drawn(rig)[-1] == MANY - 1
    assert len(drawn(rig)) < 40
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None
    rest(rig)
    check_rows(rig)
    assert rig.text.dlineinfo("end-1c") is not None
    assert len(drawn(rig)) < 60


def test_opening_asks_tk_no_more_in_a_long_chat_than_in_a_short_one(rig: Rig) -> None:
    from tests.tkinfer.ui.rig import CountingTk

    counts: list[int] = []
    for size in (100, MANY):
        entries = chat(size, PROSE)
        rig.show()
        rest(rig)
        counter = CountingTk(rig.text.tk)
        real, rig.text.tk = rig.text.tk, counter
        rig.show(*entries)
        rig.text.tk = real
        counts.append(len(counter.commands))
        rest(rig)
    assert abs(counts[1] - counts[0]) <= counts[0] // 4  # how much is done at once depends on time


def test_scrolling_up_draws_earlier_messages_and_the_view_does_not_jump(rig: Rig) -> None:
    rig.show(*chat(MANY))
    rest(rig)
    before = min(drawn(rig))
    for _ in range(60):
        rig.text.yview_scroll(-9, "units")
        rig.settle()
        place = rig.text.index("@0,200")
        line = rig.text.get(f"{place} linestart", f"{place} lineend")
        rest(rig)
        rig.settle()
        now = rig.text.index("@0,200")
        assert rig.text.get(f"{now} linestart", f"{now} lineend") == line
    assert min(drawn(rig)) < before - 20
    check_rows(rig)


def test_what_is_drawn_is_bounded(rig: Rig) -> None:
    rig.show(*chat(MANY, "short"))
    rest(rig)
    for _ in range(45):
        rig.text.yview_scroll(-150, "units")
        rest(rig)
        assert len(drawn(rig)) <= MAX_MESSAGES + 40
    check_rows(rig)
    rows = rig.window.transcript.rows.rows
    assert sum(isinstance(row, Gap) for row in rows) == 2  # above the view, and below it
    assert drawn(rig)[-2:] == [MANY - 2, MANY - 1]  # the last exchange is always there
    assert rig.window.transcript.rows.size <= MAX_SIZE


def test_home_shows_the_first_message_and_end_the_last(rig: Rig) -> None:
    rig.show(*chat(MANY))
    rest(rig)
    rig.press(rig.text, "<Home>")
    rest(rig)
    rig.settle()
    assert 0 in drawn(rig)
    assert rig.text.get("1.0", "1.0 lineend").startswith("You")
    assert rig.text.yview()[0] == 0.0
    check_rows(rig)
    rig.press(rig.text, "<End>")
    rest(rig)
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None
    visible = [row.index for row in rig.window.transcript.filling.visible()]
    assert visible == list(range(visible[0], MANY))  # no gap is left in view
    check_rows(rig)


def test_an_answer_streams_at_the_end_wherever_the_reader_is(rig: Rig) -> None:
    rig.show(*chat(1_000))
    rest(rig)
    rig.window.add_user_message("question 500")
    rig.window.begin_answer("Model")
    rig.draw("answer 500 begins")
    rig.press(rig.text, "<Home>")
    rest(rig)
    first = rig.first_visible()
    for number in range(30):
        rig.draw(f" and goes on {number}\n")
        rig.settle()
    rest(rig)
    assert rig.first_visible() == first
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert rig.shown().endswith(" and goes on 29\n")
    check_rows(rig)


def test_a_giant_message_comes_in_steps_and_is_there_in_the_end(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling_module, "_FIRST_PAINT_S", 0.0)
    lines = "".join(f"value_{n} = {n}  # a comment\n" for n in range(4_000))
    code = f"```python\n{lines}```\n"
    giant = Entry(author="Model", text=f"answer 0\n\n{code}end of it")
    entries = [Entry(author="You", text="question 0", is_user=True), giant]
    rig.show(*entries)
    rig.window.show_choices(AnswerChoices())
    filling = rig.window.transcript.filling
    assert filling.paints_last
    assert "Regenerate" not in rig.shown()  # it stands below what is still to come
    rig.wait(lambda: not filling.paints_last, "the message is drawn")
    assert rig.shown().count("a comment") == 4_000
    assert rig.shown().rstrip().split("\n")[-1].startswith("Regenerate")
    label = str(rig.text.tag_nextrange("code.copy", "1.0")[0])
    assert rig.window.transcript.code.block_text(label) == code[10:-4]


def test_a_message_is_finished_before_the_next_one_begins(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling_module, "_FIRST_PAINT_S", 0.0)
    long = Entry(author="Model", text="answer 0\n\n" + "A paragraph.\n\n" * 2_000)
    rig.show(Entry(author="You", text="question 0", is_user=True), long)
    assert rig.window.transcript.filling.paints_last
    rig.window.add_user_message("question 1")
    assert rig.shown().count("A paragraph.") == 2_000
    check_rows(rig)


def test_code_of_the_history_is_coloured_when_it_is_in_view(rig: Rig) -> None:
    code = "answer 0\n\n```python\ndef f():\n    return 'x'\n```\n"
    entries = chat(60)
    entries[1] = Entry(author="Model", text=code)
    rig.show(*entries)
    rest(rig)
    assert not rig.text.tag_ranges("code.keyword")
    rig.window.transcript.filling.show(1)
    rig.wait(lambda: rig.text.tag_ranges("code.string"), "the block is coloured")
    first, last = map(str, rig.text.tag_ranges("code.keyword")[:2])
    assert rig.text.get(first, last).strip() == "def"
    first, last = map(str, rig.text.tag_ranges("code.string")[:2])
    assert rig.text.get(first, last).strip() == "'x'"


def test_colours_of_the_history_are_those_of_streaming(rig: Rig) -> None:
    lines = [
        "def f(a):",
        '    """Doc',
        '    string."""',
        f"    x = '{'y' * 4_100}' + 1",
        "    # 🦀 end",
    ]
    text = "```python\n" + "\n".join(lines) + "\n```\n"
    rig.window.begin_answer("Model")
    rig.stream(*text)
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    wanted = rig.picture()
    rig.show(Entry(author="Model", text=text))
    colours = rig.window.transcript._colours
    rig.wait(
        lambda: colours._highlighter is None and not rig.text.tag_ranges("code.plain"),
        "the block is coloured",
    )
    assert rig.picture() == wanted


def test_select_all_copies_the_whole_chat(rig: Rig) -> None:
    rig.show(*chat(2_000, "short"))
    rest(rig)
    rig.press(rig.text, "<Control-a>", "<Control-c>")
    copied = rig.clipboard()
    assert [int(n) for n in re.findall(r"question (\d+)", copied)] == list(range(1_000))
    assert [int(n) for n in re.findall(r"answer (\d+)", copied)] == list(range(1_000))


def test_redrawing_the_last_answer_leaves_the_rest_alone(rig: Rig) -> None:
    rig.show(*chat(400))
    rest(rig)
    for number in range(3):
        rig.replace(Entry(author="Model", text=f"answer 199 in version {number}"))
        rest(rig)
        check_rows(rig)
        assert f"version {number}" in rig.shown()


def test_a_table_is_set_anew_when_the_window_gets_narrower(rig: Rig) -> None:
    words = "some words that take their room " * 2
    table = f"| one | two |\n|---|---|\n| {words} | {words} |\n"
    rig.show(Entry(author="You", text="question", is_user=True), Entry(author="Model", text=table))
    rest(rig)
    lines = rig.shown().count("\n")
    rig.root.geometry("560x640")
    rig.wait(lambda: rig.shown().count("\n") > lines, "its cells are wrapped")
    rig.root.geometry("900x640")
    rig.wait(lambda: rig.shown().count("\n") == lines, "they are in one line again")
