"""What is offered with the last answer: the row below it, the menu, the keys; and its versions."""

import pytest

from actors.turn import Channel
from tests.tkinfer.ui.rig import CountingTk, Rig, plain
from tkinfer.markdown.renderer import MarkdownRenderer
from tkinfer.ui.clipping import clip
from tkinfer.ui.view import AnswerChoices, Entry, Tone

pytestmark = pytest.mark.ui

LONG = "A line of an answer that goes on for a while.\n" * 80


def exchange(rig: Rig, question: str, answer: str) -> None:
    rig.window.add_user_message(question)
    rig.answer(answer)
    rig.window.end_answer(figures="12 tokens", note="", tone=Tone.PLAIN)


def click(rig: Rig, words: str) -> None:
    """Click on these words of the row, as a mouse does."""
    place = rig.text.search(words, "answer.row.first")
    assert place, words
    rig.text.see(place)
    rig.settle()
    x, y, width, height = rig.text.bbox(place) or (0, 0, 0, 0)
    at = {"x": x + width // 2, "y": y + height // 2}
    rig.text.event_generate("<Motion>", **at)
    rig.text.event_generate("<Button-1>", **at)
    rig.text.event_generate("<ButtonRelease-1>", **at)
    rig.settle()


def row(rig: Rig) -> str:
    if not rig.text.tag_ranges("answer.row"):
        return ""
    return rig.text.get("answer.row.first", "answer.row.last").strip().replace("\xa0", " ")


def test_the_row_offers_what_can_be_done_and_goes_with_the_next_message(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices())
    assert row(rig).split("     ") == ["Regenerate", "Edit question", "Copy"]
    choices = AnswerChoices(resumable=True, number=2, versions=3, tokens=True, seed=42)
    rig.window.show_choices(choices)
    words = [part for part in row(rig).split("     ") if part]
    assert words == [
        *("Continue", "Regenerate", "Edit question", "Copy", "Tokens", "‹ 2 of 3 ›", "seed 42")
    ]
    rig.window.add_user_message("And?")
    assert row(rig) == ""
    assert "Regenerate" not in rig.shown()


def test_a_click_does_what_the_word_says(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.actions.answered = "Because **so**."
    rig.window.show_choices(AnswerChoices(resumable=True, number=2, versions=3))
    for words in ("Regenerate", "Continue", "Edit", "‹", "›"):
        click(rig, words)
    assert rig.actions.calls == [
        *(("regenerate",), ("resume_answer",), ("edit_question",)),
        *(("step_version", "-1"), ("step_version", "1")),
    ]
    click(rig, "Copy")
    assert rig.clipboard() == "Because **so**."


def test_at_either_end_of_the_versions_there_is_no_step_beyond(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices(number=1, versions=2))
    click(rig, "‹")
    assert rig.actions.calls == []
    click(rig, "›")
    assert rig.actions.calls == [("step_version", "1")]


def test_the_row_is_not_copied(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices(seed=7))
    assert clip(rig.text, "1.0", "end-1c").strip() == "Why?\n\nBecause."


def test_keys_do_the_same_and_nothing_while_nothing_is_offered(rig: Rig) -> None:
    for key in ("<Control-r>", "<Control-Return>", "<Up>"):
        rig.press(rig.box, key)
    assert rig.actions.calls == []
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices(resumable=True))
    for key in ("<Control-r>", "<Control-Return>", "<Up>"):
        rig.press(rig.box, key)
    rig.press(rig.text, "<Control-r>")
    assert rig.actions.calls == [
        *(("regenerate",), ("resume_answer",), ("edit_question",), ("regenerate",))
    ]


def test_control_enter_sends_a_draft(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices(resumable=True))
    rig.type(rig.box, "hello")
    rig.press(rig.box, "<Control-Return>")
    assert rig.actions.calls == [("send", "hello")]


def test_up_in_a_draft_moves_the_cursor(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices())
    rig.window.composer.type("one\ntwo")
    rig.press(rig.box, "<Up>")
    assert rig.actions.calls == []
    assert str(rig.box.index("insert")).startswith("1.")


def test_the_menu_has_them_too(rig: Rig) -> None:
    assert rig.window._last_answer.menu_rows() == []
    exchange(rig, "Why?", "Because.")
    rig.window.show_choices(AnswerChoices(resumable=True))
    labels = [getattr(item, "label", "") for item in rig.window._last_answer.menu_rows()]
    assert labels == ["Copy answer", "Continue", "Regenerate", "Edit question"]


# ---- reasoning and what is left out


def test_reasoning_is_folded_and_not_copied(rig: Rig) -> None:
    rig.window.add_user_message("Why?")
    rig.window.begin_answer("Model")
    for piece in ("Let me", " think\n", "about ``` it"):
        rig.window.draw([plain(piece, "reasoning")], Channel.REASONING)
    rig.window.show_thinking(12.0, over=True)
    rig.draw("Because.")
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert "▸ Thought for 12 s · 25 characters\n\nBecause.\n" in rig.shown()
    folded = rig.dump()
    rig.window.transcript.toggle_thoughts(rig.text.search("Thought", "1.0"))
    assert "▾ Thought for 12 s · 25 characters\nLet me think\nabout ``` it\nBecause." in rig.shown()
    first, last = map(str, rig.text.tag_ranges("reasoning")[:2])
    assert "about ``` it" in rig.text.get(first, last)
    assert clip(rig.text, "1.0", "end-1c").strip() == "Why?\n\nBecause."
    assert clip(rig.text, first, last) == "Let me think\nabout ``` it"
    rig.window.transcript.toggle_thoughts(rig.text.search("Thought", "1.0"))
    assert rig.dump() == folded


def test_reasoning_streams_into_its_fold_while_that_is_open(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    rig.window.draw([plain("one ", "reasoning")], Channel.REASONING)
    assert "one" not in rig.shown()
    rig.window.transcript.toggle_thoughts(rig.text.search("Thinking", "1.0"))
    rig.window.draw([plain("two\r", "reasoning")], Channel.REASONING)
    rig.window.draw([plain("\nthree", "reasoning")], Channel.REASONING)
    assert "one two\nthree\n" in rig.shown()
    renderer = MarkdownRenderer()
    rig.window.draw(renderer.feed("the *ans"))
    rig.window.transcript.toggle_thoughts(rig.text.search("Thinking", "1.0"))
    rig.window.draw(renderer.feed("wer*"))
    rig.window.draw(renderer.finish())
    rig.window.transcript.toggle_thoughts(rig.text.search("Thinking", "1.0"))
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert rig.shown().endswith("one two\nthree\nthe answer\n")


def test_an_answer_cut_while_thinking_closes_its_reasoning(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    rig.window.draw([plain("Let me", "reasoning")], Channel.REASONING)
    rig.window.end_answer(figures="", note="Stopped.", tone=Tone.PLAIN)
    rig.window.add_user_message("Next")
    assert "reasoning" not in rig.text.tag_names(rig.text.search("Next", "1.0"))
    assert "reasoning" not in rig.text.tag_names(rig.text.search("Stopped.", "1.0"))


def test_what_is_left_out_stands_above_the_answer(rig: Rig) -> None:
    rig.window.begin_answer("Model")
    rig.window.show_left_out("The first 2 messages have no room.")
    rig.draw("Begun ")
    rig.draw("and ended.")
    rig.window.end_answer(figures="9 tokens", note="", tone=Tone.PLAIN)
    lines = rig.shown().splitlines()
    assert lines[0].startswith("Model   9 tokens")
    assert lines[1:3] == ["The first 2 messages have no room.", "Begun and ended."]
    assert clip(rig.text, "1.0", "end-1c").strip() == "Begun and ended."


# ---- versions


def said(text: str, figures: str = "3 tokens", note: str = "Stopped.") -> Entry:
    return Entry(author="Model", text=text, figures=figures, note=note)


def asked(text: str) -> Entry:
    return Entry(author="You", text=text, is_user=True)


CODE = "Because\n\n```\nx = 1\n```\nso."


def test_an_answer_in_the_place_of_another_looks_as_if_it_were_the_first(rig: Rig) -> None:
    rig.show(asked("Why?"), said(CODE))
    rig.window.show_choices(AnswerChoices())
    wanted = rig.dump()
    rig.show(asked("Why?"), said("Another one, without an end", figures="", note=""))
    rig.window.show_choices(AnswerChoices(versions=2))
    for _ in range(3):
        rig.replace(said(CODE))
        rig.window.show_choices(AnswerChoices())
        assert rig.dump() == wanted


def test_an_exchange_in_the_place_of_another(rig: Rig) -> None:
    exchange(rig, "First?", "First.")
    rig.replace(asked("Why?"), said(CODE))
    wanted = rig.dump()
    rig.replace(asked("How\nso?"), said("Because."))
    assert "How\nso?" in rig.shown()
    assert "Why?" not in rig.shown()
    rig.replace(asked("Why?"), said(CODE))
    assert rig.dump() == wanted


def test_an_open_answer_in_the_place_of_another_grows_on(rig: Rig) -> None:
    exchange(rig, "Why?", "Because.")
    rig.replace(Entry(author="Model", text="Because ", grows=True))
    renderer = MarkdownRenderer()
    renderer.feed("Because ")
    rig.window.draw(renderer.feed("of *that*."))
    rig.window.draw(renderer.finish())
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert rig.shown().endswith("Model\t⋯\nBecause of that.\n")


def test_stepping_through_versions_keeps_the_readers_place(rig: Rig) -> None:
    exchange(rig, "First?", LONG)
    exchange(rig, "Second?", LONG)
    rig.text.yview(rig.text.search("Second?", "1.0"))
    rig.text.yview_scroll(-16, "units")
    rig.settle()
    place = rig.text.index("@0,0")
    rig.replace(said("Short."))
    rig.window.show_choices(AnswerChoices(versions=2))
    rig.settle()
    rig.replace(said(LONG))
    rig.settle()
    assert rig.text.index("@0,0") == place


def test_within_the_answer_the_place_is_kept_to_the_pixel(rig: Rig) -> None:
    rig.show(asked("First?"), said(LONG))
    start = rig.window.transcript.rows.shown[-1].start
    rig.text.yview(f"{start} +20 lines")
    rig.text.yview_scroll(7, "pixels")
    rig.settle()
    place, line = rig.text.index("@0,0"), rig.text.dlineinfo("@0,0")
    rig.replace(said(LONG))
    rig.settle()
    assert rig.text.index("@0,0") == place
    assert (rig.text.dlineinfo("@0,0") or [0, 0])[1] == (line or [0, 1])[1]


def test_an_answer_that_is_asked_for_again_is_looked_at(rig: Rig) -> None:
    exchange(rig, "First?", LONG)
    exchange(rig, "Second?", LONG)
    rig.text.yview("1.0")
    rig.settle()
    rig.replace(Entry(author="Model", text="", grows=True))
    rig.draw("new")
    rig.settle()
    assert rig.text.dlineinfo("end-1c") is not None


def test_a_copied_label_does_not_survive_its_block(rig: Rig) -> None:
    rig.show(asked("Why?"), said(CODE))
    rig.window.transcript.code.copy_last()
    rig.replace(said("Because."))
    assert rig.window.transcript.code._timers.running("copied") is False
    assert "Cop" not in rig.shown()


def test_replacing_costs_the_same_in_a_long_chat(rig: Rig) -> None:
    counts: list[int] = []
    for messages in (4, 60):
        for number in range(messages):
            exchange(rig, f"Question {number}?", "An answer.\n" * 5)
        counter = CountingTk(rig.text.tk)
        real, rig.text.tk = rig.text.tk, counter
        rig.replace(said(CODE))
        rig.text.tk = real
        counts.append(len(counter.commands))
    assert counts[0] == counts[1]


def test_a_long_answer_goes_on_while_it_is_still_being_drawn(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkinfer.ui.filling._AT_ONCE_S", 0.0)
    text = "A paragraph.\n\n" * 2_000
    exchange(rig, "Why?", "Because.")
    rig.replace(Entry(author="Model", text=text, grows=True))
    assert rig.window.transcript.filling.paints_last
    renderer = MarkdownRenderer()
    renderer.feed(text)
    rig.window.draw(renderer.feed("And *more*"))
    rig.window.draw(renderer.finish())
    rig.window.end_answer(figures="", note="", tone=Tone.PLAIN)
    assert rig.shown().count("A paragraph.") == 2_000
    assert rig.shown().endswith("A paragraph.\n\nAnd more\n")


def test_a_stop_before_a_long_answer_is_drawn_again_loses_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkinfer.ui.filling._AT_ONCE_S", 0.0)
    exchange(rig, "Why?", "Because.")
    rig.replace(Entry(author="Model", text="A paragraph.\n\n" * 2_000, grows=True))
    rig.window.show_running(running=False)
    rig.window.end_answer(figures="", note="Stopped.", tone=Tone.PLAIN)
    assert rig.shown().count("A paragraph.") == 2_000
    assert rig.shown().endswith("Stopped.\n")


@pytest.mark.parametrize("last", [True, False])
def test_an_open_fold_stays_open_when_its_message_is_drawn_anew(
    rig: Rig,
    last: bool,
) -> None:
    thinks = Entry(author="Model", text="*so*", reasoning="hm, hm")
    rig.show(asked("Why?"), thinks, *([] if last else [asked("And?"), said("Because.")]))
    transcript = rig.window.transcript
    transcript.toggle_thoughts(rig.text.search("Thought", "1.0"))
    assert "hm, hm" in rig.shown()
    transcript.toggle_raw(transcript.rows.shown[1])
    assert "hm, hm\n*so*" in rig.shown()
    transcript.toggle_thoughts(rig.text.search("Thought", "1.0"))
    transcript.toggle_raw(transcript.rows.shown[1])
    assert "hm, hm" not in rig.shown()
