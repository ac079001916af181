import pytest

from tests.tkinfer.ui.rig import Rig
from tkinfer.ui import composer as composer_module
from tkinfer.ui.linebreaks import MAX_LINE

pytestmark = pytest.mark.ui


def height(rig: Rig) -> int:
    return int(str(rig.box.cget("height")))


def paste(rig: Rig, text: str) -> None:
    rig.root.clipboard_clear()
    rig.root.clipboard_append(text)
    rig.press(rig.box, "<Control-v>")


def test_enter_sends_what_was_typed_and_empties_the_box(rig: Rig) -> None:
    rig.type(rig.box, "hello you")
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send", "hello you")]
    assert rig.window.composer.draft() == ""


def test_shift_enter_breaks_the_line(rig: Rig) -> None:
    rig.type(rig.box, "one")
    rig.press(rig.box, "<Shift-Return>")
    rig.type(rig.box, "two")
    assert rig.actions.calls == []
    assert rig.window.composer.draft() == "one\ntwo"


def test_a_text_that_is_not_taken_stays(rig: Rig) -> None:
    rig.actions.takes = False
    rig.type(rig.box, "hello")
    rig.press(rig.box, "<Return>")
    assert rig.window.composer.draft() == "hello"


def test_nothing_but_spaces_is_not_sent(rig: Rig) -> None:
    rig.press(rig.box, "<space>", "<Return>", "<KP_Enter>")
    assert rig.actions.calls == []


@pytest.mark.parametrize("end", ["<<TkEndIMEMarkedText>>", "<<TkClearIMEMarkedText>>"])
def test_enter_during_or_ending_an_ime_composition_does_not_send(rig: Rig, end: str) -> None:
    rig.type(rig.box, "kanji")
    box = rig.box
    box.insert("end", " marked")
    box.tag_add("IMEmarkedtext", "1.5", "end-1c")  # as Tk does on macOS
    box.event_generate("<<TkStartIMEMarkedText>>")
    box.event_generate("<Return>")
    box.event_generate(end)
    box.event_generate("<Return>")  # the key that ended it, still on its way
    assert rig.actions.calls == []
    rig.settle()
    draft = rig.window.composer.draft()
    assert draft.startswith("kanji")
    assert "\n" not in draft
    rig.press(box, "<Return>")
    assert rig.actions.calls == [("send", draft)]


@pytest.mark.parametrize(("platform", "keycode"), [("win32", 229), ("linux", 0)])
def test_keys_taken_by_an_input_method_are_known_by_their_code(
    rig: Rig, platform: str, keycode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    event = type("Key", (), {"keycode": keycode})()
    assert rig.window.composer._composing.takes(event)
    event.keycode = 36
    assert not rig.window.composer._composing.takes(event)


def test_the_box_grows_to_eight_lines_then_scrolls(rig: Rig) -> None:
    heights = [height(rig)]
    for number in range(12):
        rig.window.composer.type(f"{number}\n")
        rig.settle()
        heights.append(height(rig))
    assert heights == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8]
    rig.press(rig.box, "<Control-a>", "<Delete>")
    assert height(rig) == 1


def test_wrapped_lines_count_as_lines(rig: Rig) -> None:
    rig.window.composer.type("word " * 40)
    rig.settle()
    assert 2 <= height(rig) <= 4


def test_t1_control_characters_of_a_paste_are_visible_and_lose_nothing(rig: Rig) -> None:
    rig.root.clipboard_clear()
    # As other programs' NUL arrives; tkinter's own clipboard_append would cut the text there.
    rig.root.tk.eval(r'clipboard append "ab\0cd\r\nef\x1b"')
    rig.press(rig.box, "<Control-v>")
    assert rig.window.composer.draft() == "ab␀cd\nef␛"
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send", "ab␀cd\nef␛")]


def test_a_huge_paste_is_sent_as_it_is_and_never_one_long_line(rig: Rig) -> None:
    text = "x" * 500_000 + " two words"
    paste(rig, text)
    assert max(map(len, rig.box.get("1.0", "end").split("\n"))) <= MAX_LINE + 1
    assert rig.window.composer.draft() == text
    rig.press(rig.box, "<Control-z>")
    assert rig.window.composer.draft() == ""
    rig.press(rig.box, "<Control-y>")
    assert rig.window.composer.draft() == text
    rig.press(rig.box, "<Control-z>", "<Control-Shift-Z>", "<Control-a>", "<Control-x>")
    assert rig.clipboard() == text
    assert rig.window.composer.draft() == ""


def longest_line(rig: Rig) -> int:
    return max(len(line.removesuffix("\u2028")) for line in rig.box.get("1.0", "end").split("\n"))


PASTES = ["word " * 340, "x" * 1_700, "\N{GRINNING FACE}" * 1_700, "\N{GRINNING FACE} a" * 566]


@pytest.mark.parametrize("text", PASTES, ids=["words", "one word", "emoji", "mixed"])
@pytest.mark.parametrize("where", ["end-1c", "1.0", "1.8"])
def test_pastes_that_add_up_are_never_one_long_line(rig: Rig, text: str, where: str) -> None:
    expected = ""
    for count in range(12):
        rig.box.mark_set("insert", where)
        before = rig.box.get("1.0", "insert").replace("\u2028\n", "")
        paste(rig, text)
        expected = before + text + expected[len(before) :]
        assert longest_line(rig) <= MAX_LINE
        assert rig.window.composer.draft() == expected, count
    for left in range(11, -1, -1):
        rig.press(rig.box, "<Control-z>")
        assert len(rig.window.composer.draft()) == left * len(text)
        assert longest_line(rig) <= MAX_LINE
    for _ in range(12):
        rig.press(rig.box, "<Control-y>")
    assert longest_line(rig) <= MAX_LINE
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send", expected)]


def type_keys(rig: Rig, text: str) -> None:
    for character in text:
        rig.root.tk.call("tk::TextInsert", rig.box, character)  # as every key does


def test_one_long_typed_line_is_cut_too(rig: Rig) -> None:
    text = "ab \N{GRINNING FACE}c" * 1_000
    type_keys(rig, text)
    assert rig.box.compare("insert", "==", "end-1c")
    assert longest_line(rig) <= MAX_LINE
    assert rig.window.composer.draft() == text
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == [("send", text)]


def test_a_break_is_undone_together_with_the_keys_that_needed_it(rig: Rig) -> None:
    text = "x" * 1_990
    paste(rig, text)
    type_keys(rig, "\N{GRINNING FACE}" * 60)
    assert longest_line(rig) <= MAX_LINE
    rig.press(rig.box, "<Control-z>")
    assert rig.window.composer.draft() == text
    assert longest_line(rig) <= MAX_LINE
    rig.press(rig.box, "<Control-y>")
    assert rig.window.composer.draft() == text + "\N{GRINNING FACE}" * 60
    assert longest_line(rig) <= MAX_LINE


def test_text_put_in_front_of_a_long_line_is_cut_too(rig: Rig) -> None:
    rig.window.composer.type("y" * 1_900)
    rig.window.set_draft("x" * 1_900)
    assert longest_line(rig) <= MAX_LINE
    assert rig.window.composer.draft() == "x" * 1_900 + "y" * 1_900


@pytest.mark.parametrize(
    ("start", "keys", "expected"),
    [
        ("2.0", ["<BackSpace>"], "x" * 1_949 + "y" * 1_950),
        ("1.1950", ["<BackSpace>"], "x" * 1_949 + "y" * 1_950),
        ("1.1951", ["<BackSpace>"], "x" * 1_949 + "y" * 1_950),
        ("1.1950", ["<Delete>"], "x" * 1_950 + "y" * 1_949),
        ("1.1951", ["<Delete>"], "x" * 1_950 + "y" * 1_949),
        ("1.0", ["<Control-k>"], "y" * 1_950),
        ("1.1951", ["<z>"], "x" * 1_950 + "z" + "y" * 1_950),
        ("1.1951", ["<Shift-Return>"], "x" * 1_950 + "\n" + "y" * 1_950),
        ("2.1", ["<BackSpace>"] * 3, "x" * 1_948 + "y" * 1_949),
    ],
)
def test_keys_at_a_soft_break_treat_it_as_not_there(
    rig: Rig, start: str, keys: list[str], expected: str
) -> None:
    text = "x" * 1_950 + "y" * 1_950
    paste(rig, text)
    assert rig.box.get("1.1950", "2.1") == "\u2028\ny"
    rig.box.mark_set("insert", start)
    rig.press(rig.box, *keys)
    assert rig.window.composer.draft() == expected
    assert longest_line(rig) <= MAX_LINE
    for _ in keys:
        if rig.window.composer.draft() != text:
            rig.press(rig.box, "<Control-z>")
            assert longest_line(rig) <= MAX_LINE
    assert rig.window.composer.draft() == text


def test_enter_while_an_answer_runs_keeps_the_draft(rig: Rig) -> None:
    rig.window.show_running(running=True)
    rig.type(rig.box, "next")
    rig.press(rig.box, "<Return>")
    assert rig.actions.calls == []
    assert rig.window.composer.draft() == "next"


def test_send_turns_into_stop_in_the_same_place(rig: Rig) -> None:
    button = rig.window.composer.button
    assert button.instate(["disabled"])
    rig.window.composer.type("x")
    rig.settle()
    assert button.instate(["!disabled"])
    right = button.winfo_rootx() + button.winfo_width()
    rig.window.show_running(running=True)
    rig.settle()
    assert str(button.cget("text")).split() == ["Stop", "Esc"]
    assert button.winfo_rootx() + button.winfo_width() == right
    button.invoke()
    assert rig.actions.calls == [("stop",)]


def test_the_second_click_of_a_double_click_on_stop_sends_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(composer_module.time, "monotonic", lambda: now[0])
    rig.window.composer.type("draft")
    rig.window.show_running(running=True)
    rig.window.composer.button.invoke()
    rig.window.show_running(running=False)
    rig.window.composer.button.invoke()
    assert rig.actions.calls == [("stop",)]
    now[0] += 1
    rig.window.composer.button.invoke()
    assert rig.actions.calls == [("stop",), ("send", "draft")]


def test_set_draft_puts_text_in_front_of_the_draft(rig: Rig) -> None:
    rig.window.composer.type("rest")
    rig.window.set_draft("first\n")
    assert rig.window.composer.draft() == "first\nrest"


def test_tab_leaves_the_box(rig: Rig) -> None:
    rig.window.composer.type("x")
    rig.press(rig.box, "<Tab>")
    assert rig.root.focus_get() is rig.window.composer.button
    assert rig.window.composer.draft() == "x"
