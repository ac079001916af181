import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tkinfer.ui.rig import CountingTk, Rig, closed, opened, plain
from tkinfer.ui.clipping import clip
from tkinfer.ui.linebreaks import MAX_LINE
from tkinfer.ui.sanitise import NO_TEXT
from tkinfer.ui.view import Tone

pytestmark = pytest.mark.ui

PROSE = "Both live on one thread, so that the event loop never runs while a token is made. "


def answer_text(rig: Rig) -> str:
    """What Copy takes of the last answer."""
    heading = rig.text.tag_prevrange("heading", "end")
    return clip(rig.text, str(heading[1]), "end-1c")


def select_lines(rig: Rig, first: str, lines: int) -> str:
    rig.text.tag_remove("sel", "1.0", "end")
    rig.text.tag_add("sel", first, f"{first} +{lines} lines linestart")
    return rig.text.get("sel.first", "sel.last")


def test_t1_control_characters_are_visible_and_what_follows_them_is_there(rig: Rig) -> None:
    rig.answer("ab", "\0", "cd", "\x1b", "\x07", "\r", "\u2028", "end")
    assert rig.shown().endswith("ab␀cd␛␇␍\u2424end")
    rig.text.tag_add("sel", "1.0", "end")
    rig.press(rig.text, "<Control-c>")
    assert rig.clipboard().endswith("abcd\x1b\x07\r\u2028end")


def test_a_crlf_cut_in_two_is_one_line_end(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    rig.stream("one\r", "\ntwo\r\nthree\r", "four")
    assert rig.shown().endswith("one\ntwo\nthree␍four")
    assert answer_text(rig) == "one\ntwo\nthree\rfour"


def test_s4_spaces_at_the_start_of_pieces_are_kept(rig: Rig) -> None:
    rig.answer(" Once", " upon", " a", " time")
    assert answer_text(rig) == " Once upon a time"
    rig.window.begin_answer("Model")
    for piece in ("if x:\n", "    ", "return", " 1\n"):
        ops = [opened()] if piece == "if x:\n" else []
        rig.window.draw([*ops, plain(piece, "code")])
    rig.window.draw([closed()])
    assert answer_text(rig) == "if x:\n    return 1\n"


def test_b2_an_endless_line_is_broken_for_tk_only(rig: Rig) -> None:
    prose = (PROSE * 1_250)[:100_000]
    pieces = [prose[at : at + 12] for at in range(0, len(prose), 12)]
    rig.window.begin_answer("Model")
    counter = CountingTk(rig.text.tk)
    rig.text.tk = counter
    for piece in pieces[:200]:
        rig.draw(piece)
    early, counter.commands = len(counter.commands), []
    for piece in pieces[200:-200]:
        rig.draw(piece)
    counter.commands = []
    for piece in pieces[-200:]:
        rig.draw(piece)
    assert len(counter.commands) == early
    assert max(map(len, rig.shown().split("\n"))) <= MAX_LINE
    assert answer_text(rig) == prose
    rig.settle()


def test_b3_late_lines_of_a_code_block_ask_tk_no_more_than_early_ones(rig: Rig) -> None:
    lines = [f"value_{number} = compute({number})\n" for number in range(5_000)]
    rig.window.begin_answer("Model")
    rig.window.draw([opened()])
    counter = CountingTk(rig.text.tk)
    rig.text.tk = counter
    asked: list[int] = []
    for number, line in enumerate(lines):
        if number % 500 == 0:
            asked.append(len(counter.commands))
        rig.window.draw([plain(line, "code")])
    asked.append(len(counter.commands))
    assert len({late - early for early, late in itertools.pairwise(asked)}) == 1
    rig.window.draw([closed(), plain("prose below")])
    header = str(rig.text.tag_nextrange("code.copy", "1.0")[0])
    assert rig.window.transcript.code.block_text(header) == "".join(lines)
    assert "code.block" not in rig.text.tag_names("end-2c")


def test_one_draw_is_one_insert_however_many_operations(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    counter = CountingTk(rig.text.tk)
    rig.text.tk = counter
    rig.draw(*["some ", "text\n"] * 50)
    inserts = [command for command in counter.commands if "insert" in command[1]]
    assert len(inserts) == 1


def test_the_picture_is_the_same_in_one_piece_and_in_many(rig: Rig) -> None:
    ops = [plain(PROSE * 60), opened(), plain("x = 1\n" * 5, "code"), closed(), plain("end\n")]
    rig.window.begin_answer("Model")
    rig.window.draw(ops)
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    whole = rig.dump()
    rig.show()
    rig.window.begin_answer("Model")
    for op in ops:
        parts = [op] if not hasattr(op, "text") else [plain(char, *op.tags) for char in op.text]
        for part in parts:
            rig.window.draw([part])
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert rig.dump() == whole


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.text(alphabet=st.characters(codec=None), max_size=40),
            st.sampled_from(["x" * 2_500, "word " * 500, "👩‍💻" * 800, "\r", "\n", "\r\n", "\0"]),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_copy_gives_the_text_however_it_was_cut(
    rig: Rig, parts: list[str], chance: random.Random
) -> None:
    text = "".join(parts)
    rig.show()
    rig.window.begin_answer("Model")
    at = 0
    while at < len(text):
        end = at + chance.choice((1, 3, 12, 700))
        rig.draw(text[at:end])
        at = end
    copied = answer_text(rig).replace("\r", "")
    assert copied == NO_TEXT.sub("", text).replace("\r", "")
    assert max(map(len, rig.shown().split("\n"))) <= MAX_LINE


def test_t3_reading_and_copying_while_text_arrives(rig: Rig) -> None:
    rig.window.add_user_message("go on")
    rig.answer(*[f"line {number}\n" for number in range(200)])
    rig.settle()
    rig.text.yview_moveto(0.3)
    rig.settle()
    first = rig.first_visible()
    expected = select_lines(rig, "@0,60 linestart", 3)
    for number in range(100):
        rig.draw(f"more {number}\n")
    rig.settle()
    assert rig.first_visible() == first
    assert rig.text.get("sel.first", "sel.last") == expected
    rig.press(rig.text, "<Control-c>")
    assert rig.clipboard() == expected

    rig.root.clipboard_clear()
    x, y, _, _ = rig.text.bbox("sel.first") or (0, 0, 0, 0)
    rig.text.event_generate("<Button-3>", x=x + 2, y=y + 2, rootx=x + 200, rooty=y + 200)
    rig.settle()
    rig.press(rig.root.focus_get() or rig.text, "<Return>")
    assert rig.clipboard() == expected

    before = rig.shown()
    rig.type(rig.text, "q")
    assert rig.shown() == before
    assert rig.window.composer.draft() == "q"
    assert rig.first_visible() == first

    rig.window.transcript.text.see("end")
    rig.settle()
    rig.draw("last\n")
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None


def test_the_way_back_to_the_end_is_offered_when_it_is_out_of_view(rig: Rig) -> None:
    jump = rig.window.transcript._follower._jump
    rig.answer("line\n" * 200)
    rig.settle()
    assert not jump.winfo_ismapped()
    rig.text.yview_moveto(0.0)
    rig.wait(jump.winfo_ismapped, "the button appears")
    jump.invoke()
    rig.wait(lambda: not jump.winfo_ismapped(), "the button goes")
    rig.draw("more\n" * 50)
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None


@pytest.mark.parametrize(
    "keys",
    [
        ["<Key-a>", "<BackSpace>", "<Delete>", "<Return>", "<Key-space>"],
        ["<Control-d>", "<Control-h>", "<Control-k>", "<Control-o>", "<Control-t>", "<Control-i>"],
        ["<<Cut>>", "<<Paste>>", "<<Clear>>", "<<Undo>>", "<<Redo>>", "<<PasteSelection>>"],
        ["<Control-x>", "<Control-v>", "<Control-z>", "<Meta-d>", "<Alt-d>", "<Control-y>"],
    ],
)
def test_no_key_changes_the_transcript(
    rig: Rig, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rig.window, "_open_file", lambda: None)
    rig.answer("some text")
    rig.root.clipboard_append("foreign")
    rig.text.tag_add("sel", "2.0", "2.4")
    rig.text.mark_set("insert", "2.2")
    before = rig.shown()
    dialogs = [key for key in keys if key == "<Control-o>"]  # opens a dialog, tested elsewhere
    rig.press(rig.text, *(key for key in keys if key not in dialogs))
    assert rig.shown() == before


def test_copy_leaves_out_what_the_window_added_unless_it_alone_is_selected(rig: Rig) -> None:
    rig.window.add_user_message("question")
    rig.answer("before\n")
    rig.window.draw([opened("rust"), plain("let x;\n", "code"), closed(), plain("after")])
    rig.window.end_answer(figures="7 tokens", note="Stopped", tone=Tone.PLAIN)
    rig.press(rig.text, "<Control-a>", "<Control-c>")
    assert rig.clipboard() == "question\n\nbefore\nlet x;\nafter"
    heading = rig.text.tag_nextrange("heading", "1.0")
    rig.text.tag_remove("sel", "1.0", "end")
    rig.text.tag_add("sel", *heading)
    rig.press(rig.text, "<Control-c>")
    assert rig.clipboard() == "You\t⋯\n"


def test_the_primary_selection_has_no_soft_breaks(rig: Rig) -> None:
    rig.answer("x" * 5_000)
    rig.text.tag_add("sel", "2.0", "end-1c")
    rig.settle()
    assert rig.root.selection_get(selection="PRIMARY") == "x" * 5_000


def test_copying_a_code_block_gives_its_exact_text_and_says_so(rig: Rig) -> None:
    code = "a = 1\n\n\tb = '" + "y" * 3_000 + "'\n"
    rig.answer("text\n")
    rig.window.draw([opened(""), closed(), opened(), plain(code, "code"), closed(), plain("end")])
    rig.settle()
    label = rig.text.tag_prevrange("code.copy", "end")
    rig.text.see(label[0])
    rig.settle()
    x, y, width, height = rig.text.bbox(label[0]) or (0, 0, 0, 0)
    where = {"x": x + width // 2, "y": y + height // 2}
    rig.text.event_generate("<Motion>", **where)
    rig.text.event_generate("<ButtonPress-1>", **where)
    rig.text.event_generate("<ButtonRelease-1>", **where)
    rig.settle()
    assert rig.clipboard() == code
    assert "Copied" in rig.shown()
    rig.wait(lambda: "Copied" not in rig.shown(), "the label is as before")
    first = str(rig.text.tag_nextrange("code.copy", "1.0")[0])
    assert rig.window.transcript.code.block_text(first) == ""


def test_an_answer_ends_with_its_figures_beside_the_author_and_a_note_below(rig: Rig) -> None:
    rig.answer("half of a code bl", author="SmolLM2")
    rig.window.draw([opened(), plain("x =", "code")])
    rig.window.end_answer(figures="12 tokens · 60/s", note="Reached the limit", tone=Tone.WARNING)
    assert "SmolLM2   12 tokens · 60/s\t⋯\n" in rig.shown()
    assert rig.shown().endswith("Reached the limit\n")
    assert rig.text.image_names().count("tkinfer.caret") == 0
    rig.window.add_user_message("next")
    assert rig.shown().endswith("Reached the limit\nYou\t⋯\n\nnext\n\n")


def test_a_failing_draw_leaves_the_transcript_as_it_was(rig: Rig) -> None:
    rig.answer("before ")
    shown = rig.shown()
    with pytest.raises(AssertionError):
        rig.window.draw([plain("lost"), None])  # type: ignore[list-item]
    assert rig.shown() == shown
    rig.draw("after")
    assert answer_text(rig) == "before after"


def test_the_end_is_followed_when_the_window_shrinks(rig: Rig) -> None:
    rig.answer("line\n" * 100)
    rig.settle()
    rig.root.geometry("700x420")
    rig.wait(lambda: rig.text.winfo_height() < 300, "the window is smaller")
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None


def test_the_end_is_followed_when_the_text_grows_larger(rig: Rig) -> None:
    rig.answer("a line that is long enough to be wrapped when it is larger, and more\n" * 40)
    rig.settle()
    rig.press(rig.box, *["<Control-plus>"] * 4)
    rig.wait(lambda: rig.text.dlineinfo("end-1c") is not None, "the end is in view again")
    rig.draw("next\n")
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None
