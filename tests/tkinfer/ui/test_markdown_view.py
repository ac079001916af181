"""Markdown in the window: what is drawn, copied, clicked; and that its cuts don't matter."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tkinfer.markdown.texts import PAGE, TEXTS, cut
from tests.tkinfer.ui.rig import CountingTk, Rig
from tkinfer.markdown.renderer import MarkdownRenderer
from tkinfer.ui.clipping import clip
from tkinfer.ui.linebreaks import MAX_LINE
from tkinfer.ui.popover import Item, Row
from tkinfer.ui.view import Entry, Tone

pytestmark = pytest.mark.ui


def streamed(rig: Rig, pieces: Sequence[str]) -> None:
    rig.show()
    rig.window.begin_answer("Model")
    rig.stream(*pieces)
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)


def in_one_piece(rig: Rig, text: str) -> list[tuple[str, frozenset[str]]]:
    streamed(rig, [text])
    return rig.picture()


def copied(rig: Rig) -> str:
    return clip(rig.text, "1.0", "end-1c")


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
def test_the_final_picture_is_that_of_the_text_in_one_piece(
    rig: Rig, text: str, places: list[int]
) -> None:
    whole = in_one_piece(rig, text)
    streamed(rig, cut(text, places))
    assert rig.picture() == whole


def test_the_page_of_everything_cut_into_characters(rig: Rig) -> None:
    whole = in_one_piece(rig, PAGE)
    streamed(rig, PAGE)
    assert rig.picture() == whole
    assert max(map(len, rig.shown().split("\n"))) <= MAX_LINE


def test_the_history_shows_an_answer_as_it_was_streamed(rig: Rig) -> None:
    plain = PAGE.replace("python", "")  # code of the history is coloured when it is in view
    streamed(rig, plain)
    wanted = rig.picture()
    rig.show(Entry(author="Model", text=plain))
    rig.wait(lambda: rig.picture() == wanted, "the same picture")


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TEXTS, st.integers(0, 10_000))
def test_an_answer_that_is_cut_looks_like_what_is_kept_of_it(
    rig: Rig, text: str, place: int
) -> None:
    from tkinfer.chats.drawn import DrawnText

    beginning = text[: place % (len(text) + 1)]
    rig.show()
    rig.window.begin_answer("Model")
    renderer, drawn, kept = MarkdownRenderer(), DrawnText(), ""
    for piece in beginning:
        ops = renderer.feed(piece)
        rig.window.draw(ops)
        kept += drawn.new_text(ops)
    assert beginning.startswith(kept)
    rig.chat.entries.append(Entry(author="Model", text=kept))
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    filling = rig.window.transcript.filling
    rig.wait(lambda: not filling._timers.running("fill"), "it is drawn as it is kept")
    shown = rig.shown()
    rig.show(Entry(author="Model", text=kept))
    assert shown == rig.shown()


# ---- reading and copying while it streams


def test_t3_a_selection_in_the_open_paragraph_survives(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    renderer = MarkdownRenderer()
    rig.window.draw(renderer.feed("A paragraph with **bold** words 🦀 and "))
    place = rig.text.tag_nextrange("strong", "1.0")
    rig.text.tag_add("sel", *place)
    for piece in ("more `code", "` of *it", "*, and\nanother line", " 👩‍💻", " here\n\nNext"):
        rig.window.draw(renderer.feed(piece))
        assert rig.text.get("sel.first", "sel.last") == "bold"
    rig.window.draw(renderer.finish())
    assert rig.text.get("sel.first", "sel.last") == "bold"
    assert copied(rig).endswith("words 🦀 and more code of it, and\nanother line 👩‍💻 here\n\nNext")


def test_an_open_paragraph_asks_tk_for_what_is_new_only(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    renderer = MarkdownRenderer()
    rig.window.draw(renderer.feed("word " * 200))
    counter = CountingTk(rig.text.tk)
    rig.text.tk = counter
    rig.window.draw(renderer.feed("more"))
    inserted = [command for command in counter.commands if "insert" in command[1:2]]
    assert [command[3:] for command in inserted] == [("more", ())] or len(str(inserted)) < 120
    assert not [command for command in counter.commands if "delete" in command[1:2]]


def test_copy_gives_what_was_written_in_place_of_signs(rig: Rig) -> None:
    text = "- one\n- [x] two\n  1. three\n\nEuler: $e^{i\\pi}$ and \\(x_1\\).\n\n---\n\n> said\n"
    streamed(rig, [text])
    shown = rig.shown()
    assert "•\tone" in shown
    assert "☑\ttwo" in shown
    assert "x₁" in shown
    wanted = "- one\n- [x] two\n  1. three\n\nEuler: $e^{i\\pi}$ and \\(x_1\\).\n\nsaid\n"
    assert copied(rig).replace("\n\n\n", "\n\n") == wanted


def test_half_a_formula_is_copied_whole(rig: Rig) -> None:
    streamed(rig, ["Euler: $e^{i\\pi}$ and more"])
    first, last = map(str, rig.text.tag_nextrange("maths", "1.0"))
    assert clip(rig.text, f"{first} +1c", last) == "$e^{i\\pi}$"
    assert clip(rig.text, first, f"{first} +1c") == "$e^{i\\pi}$"


@pytest.mark.parametrize("formula", ["$$E = mc^2$$", "\\[ E = mc^2 \\]", "$$\nE = mc^2\n$$"])
def test_a_display_formula_stands_on_a_line_of_its_own(rig: Rig, formula: str) -> None:
    streamed(rig, list(f"In front.\n{formula}\nBehind."))
    assert "In front.\nE = mc²\nBehind." in rig.shown()
    assert "maths.display" in rig.text.tag_names(rig.text.search("E = mc²", "1.0"))
    assert formula in copied(rig)


def test_two_formulae_in_a_line_stay_in_it(rig: Rig) -> None:
    streamed(rig, ["$$a^2$$ and $$b^2$$\n"])
    assert "a² and b²" in rig.shown()
    assert "maths.display" not in rig.text.tag_names(rig.text.search("a² and", "1.0"))


def test_equal_neighbours_are_copied_each(rig: Rig) -> None:
    streamed(rig, ["- - - x\n\n$a$$a$"])
    assert copied(rig).startswith("- - - x\n")


# ---- tables


def test_a_table_is_aligned_with_real_fonts(rig: Rig) -> None:
    streamed(
        rig, ["| a | right | mid |\n|---|--:|:-:|\n| 日本語 | 1 | 🦀 |\n| x | 1,000 | end |\n"]
    )
    ends = []
    for words in ("right", "1\t", "1,000"):
        place = rig.text.search(words, "1.0")
        last = rig.text.bbox(f"{place} +{len(words.strip()) - 1}c")
        assert last
        ends.append(last[0] + last[2])
    assert max(ends) - min(ends) <= 1
    assert clip(rig.text, "1.0", "end-1c") == "a\tright\tmid\n日本語\t1\t🦀\nx\t1,000\tend\n"


def test_the_last_row_always_appears(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    renderer = MarkdownRenderer()
    for piece in "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |":
        rig.window.draw(renderer.feed(piece))
    assert "3" in rig.shown()
    rig.window.draw(renderer.finish())
    assert rig.shown().endswith("\t3\t4\n\n")


def test_a_cell_that_is_too_wide_is_wrapped_and_copied_whole(rig: Rig) -> None:
    long = "some words that go on and on " * 12 + "X" * 300
    streamed(rig, [f"| name | text |\n|---|---|\n| one | {long} |\n| two | short |\n"])
    rig.settle()
    width = rig.text.winfo_width()
    at = "1.0"
    while rig.text.compare(at, "<", "end-1c"):
        line = rig.text.dlineinfo(at)
        assert line is None or line[2] < width
        at = rig.text.index(f"{at} +1 lines")
    assert clip(rig.text, "1.0", "end-1c") == f"name\ttext\none\t{long}\ntwo\tshort\n"


def test_many_columns_become_a_line_for_each_cell(rig: Rig) -> None:
    names = [f"column {number}" for number in range(30)]
    head, rule = "|".join(names), "|".join(["---"] * 30)
    row = "|".join(f"cell {number}" for number in range(30))
    streamed(rig, [f"|{head}|\n|{rule}|\n|{row}|\n"])
    assert "column 7: cell 7\ncolumn 8: cell 8\n" in rig.shown()
    cells = "\t".join(f"cell {number}" for number in range(30))
    assert clip(rig.text, "1.0", "end-1c") == "\t".join(names) + f"\n{cells}\n"


# ---- links and menus


def labels(rows: Sequence[Row]) -> list[str]:
    return [row.label for row in rows]


def choose(rows: Sequence[Row], label: str) -> None:
    next(row for row in rows if isinstance(row, Item) and row.label == label).action()


def click(rig: Rig, place: str) -> None:
    rig.text.see(place)
    rig.settle()
    x, y, width, height = rig.text.bbox(place) or (0, 0, 0, 0)
    at = {"x": x + width // 2, "y": y + height // 2}
    rig.text.event_generate("<Motion>", **at)
    rig.text.event_generate("<ButtonPress-1>", **at)
    rig.text.event_generate("<ButtonRelease-1>", **at)
    rig.settle()


def test_a_link_shows_its_address_before_it_is_opened(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    streamed(rig, ["See [the page](https://example.org/a?b=1), <mailto:me@example.org>."])
    click(rig, str(rig.text.tag_nextrange("link", "1.0")[0]))
    popover = rig.window._popover
    assert popover.is_open
    assert opened == []
    words = [str(child.cget("text")) for child in popover._frame.winfo_children()]
    assert words[0] == "https://example.org/a?b=1"
    rig.press(rig.root, "<Escape>")
    rows = rig.window.menus.link_rows("https://example.org/a?b=1")
    choose(rows, "Open in browser")
    rig.wait(lambda: opened == ["https://example.org/a?b=1"], "the browser is asked")
    choose(rows, "Copy address")
    assert rig.clipboard() == "https://example.org/a?b=1"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vbscript:x", "ftp://x.org"],
)
def test_other_addresses_are_no_links(rig: Rig, address: str) -> None:
    streamed(rig, [f"[click]({address}) <{address}> ![img]({address})\n\n[r]: {address}\n\n[r]\n"])
    assert not [tag for tag in rig.text.tag_names() if tag.startswith("to:")]


def test_the_menu_of_a_message(rig: Rig) -> None:
    first = Entry(author="Model", text="**One**\n", figures="5 tokens · 60/s")
    asked = Entry(author="You", text="why?", is_user=True)
    rig.show(asked, first, asked, Entry(author="Model", text="*Two*"))
    menus, rows = rig.window.menus, rig.window.transcript.rows.shown
    assert labels(menus.message_rows(rows[1])) == [
        *("5 tokens · 60/s", "Copy message", "Copy as Markdown", "Show raw text", ""),
        *("Regenerate", "Edit question", "Delete question and answer"),
    ]
    assert labels(menus.message_rows(rows[0])) == [
        *("Copy message", "", "Regenerate", "Edit question", "Delete question and answer")
    ]
    choose(menus.message_rows(rows[1]), "Copy message")
    assert rig.clipboard() == "One"
    choose(menus.message_rows(rows[1]), "Copy as Markdown")
    assert rig.clipboard() == "text of 1"
    for label in ("Regenerate", "Edit question", "Delete question and answer"):
        choose(menus.message_rows(rows[1]), label)
    assert rig.actions.calls == [
        *(("answer_again", "1"), ("edit_message", "1"), ("delete_message", "1"))
    ]


def test_raw_text_on_and_off(rig: Rig) -> None:
    asked = Entry(author="You", text="why?", is_user=True)
    entries = [asked, Entry(author="Model", text="**One**\n\n- *x*"), asked]
    rig.show(*entries, Entry(author="Model", text="*Two*"))
    before = rig.picture()
    for index, raw in ((1, "**One**\n\n- *x*\n"), (3, "*Two*\n")):
        row = rig.window.transcript.rows.shown[index]
        choose(rig.window.menus.message_rows(row), "Show raw text")
        assert raw in rig.shown()
        row = rig.window.transcript.rows.shown[index]
        choose(rig.window.menus.message_rows(row), "Show formatted")
        assert rig.picture() == before


def test_while_an_answer_is_made_its_menu_offers_to_copy(rig: Rig) -> None:
    rig.window.add_user_message("why?")
    rig.answer("Because")
    row = rig.window.transcript.rows.shown[-1]
    assert labels(rig.window.menus.message_rows(row)) == ["Copy message", "Copy as Markdown"]


def test_the_sign_beside_an_author_opens_the_menu(rig: Rig) -> None:
    streamed(rig, ["text"])
    click(rig, str(rig.text.tag_nextrange("message.menu", "1.0")[0]))
    assert rig.window._popover.is_open


def test_a_context_menu_knows_what_is_under_the_pointer(rig: Rig) -> None:
    streamed(rig, ["[a](https://example.org) b\n\n```\ncode\n```\n"])
    link = str(rig.text.tag_nextrange("link", "1.0")[0])
    assert "https://example.org" in labels(rig.window.menus.rows(link))
    assert "Copy message" in labels(rig.window.menus.rows(link))
    code = rig.text.search("code", "1.0")
    assert "Copy code block" in labels(rig.window.menus.rows(code))


# ---- hygiene


def test_odd_characters_are_shown_and_copied(rig: Rig) -> None:
    odd = "\0 \x1b[0m \ud800 \u2028 עברית ﷽ e\u0301 🏳️‍🌈 👨‍👩‍👧‍👦 🇩🇪 \u202eabc"
    for text in (odd, f"# {odd}", f"- {odd}", f"| {odd} |\n|---|\n| {odd} |\n", f"```\n{odd}\n```"):
        streamed(rig, text)
        assert "␀" in rig.shown()
        assert "👨‍👩‍👧‍👦" in copied(rig)
        assert "e\u0301" in copied(rig)
        assert "\0" not in copied(rig)


def test_a_hundred_thousand_characters_without_a_space(rig: Rig) -> None:
    text = "".join(random.Random(1).choices("abc🦀漢", k=100_000))
    streamed(rig, [text[at : at + 700] for at in range(0, len(text), 700)])
    assert max(map(len, rig.shown().split("\n"))) <= MAX_LINE
    assert copied(rig) == text


def test_a_tail_is_bounded_however_long_the_paragraph(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    renderer = MarkdownRenderer()
    for _ in range(400):
        rig.window.draw(renderer.feed("a line of a paragraph that never ends\n"))
        tail = rig.window.transcript._answer._writer._tail
        assert tail is None or sum(len(text) for text, _ in tail.runs) < 4_000
