"""The settings panel's longer values: texts, biases, grammars, and the chat template."""

from typing import TYPE_CHECKING

import pytest

from actors.engine import ModelInfo, PromptReady, Template
from actors.sampling import BAN, Sampling, TokenBias
from actors.turn import TurnId
from tests.tkinfer.ui.panels import (
    MODEL,
    choose,
    generation,
    load,
    note,
    resets,
    texts,
)
from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import button, labels
from tkinfer.ui.panel.pairlist import PairList

if TYPE_CHECKING:
    import tkinter as tk
    from collections.abc import Callable

    from tkinfer.tuning.tuning import Tuning

pytestmark = pytest.mark.ui


# ---- texts and lists


def test_the_system_prompt_is_used_and_kept_short_for_tk(rig: Rig) -> None:
    page = generation(rig)
    assert page.system is not None
    text = "You are 模型.\n" + "x" * 9000
    page.system.text.insert("1.0", text)
    rig.wait(lambda: rig.actions.tuned.system_prompt == text, "used")
    lines = page.system.text.get("1.0", "end").split("\n")
    assert max(map(len, lines)) <= 2001


def test_a_text_is_used_at_once_when_the_panel_closes(rig: Rig) -> None:
    page = generation(rig)
    assert page.system is not None
    page.system.text.insert("1.0", "Be brief.")
    rig.settle()
    rig.window.panel.close()
    assert rig.actions.tuned.system_prompt == "Be brief."


def test_a_list_is_used_at_once_when_the_window_closes(rig: Rig) -> None:
    row = biases(rig)
    row.add("x", "1")
    row._lines[0].text.insert("end", "y")
    rig.window.close()
    assert rig.actions.tuned.sampling.logit_bias == (TokenBias(text="xy", bias=1.0),)


def test_stop_strings_one_a_line(rig: Rig) -> None:
    row = texts(generation(rig, fold=True), "stop")
    row.text.insert("1.0", "\\n\\n\nUser:\n\nUser:")
    rig.wait(lambda: rig.actions.tuned.sampling.stop == ("\n\n", "User:"), "used")
    row.text.insert("1.0", "\n".join(map(str, range(100))) + "\n")
    rig.wait(lambda: row.error, "the mark")
    assert "102" in note(row)
    assert rig.actions.tuned.sampling.stop == ("\n\n", "User:")


def biases(rig: Rig) -> PairList:
    page = generation(rig, fold=True)
    assert page.samplers is not None
    row = page.samplers.fields.rows["logit_bias"]
    assert isinstance(row, PairList)
    return row


def test_biases_and_bans(rig: Rig) -> None:
    row = biases(rig)
    button(rig, "+ Ban").invoke()
    rig.type(row._lines[0].text, "no")
    row.add(r" the\n", "-2,5")
    row.add("", "much")  # no text: no bias yet
    expected = (TokenBias(text="no", bias=BAN), TokenBias(text=" the\n", bias=-2.5))
    rig.wait(lambda: rig.actions.tuned.sampling.logit_bias == expected, "used")
    row._lines[2].text.insert(0, "x")
    rig.wait(lambda: row.error, "the mark")
    assert [line.number.instate(["invalid"]) for line in row._lines] == [False, False, True]
    assert rig.actions.tuned.sampling.logit_bias == expected
    row._remove(row._lines[2])
    row._remove(row._lines[0])
    assert not row.error
    assert rig.actions.tuned.sampling.logit_bias == expected[1:]


def test_biases_are_shown_and_reset(rig: Rig) -> None:
    row = biases(rig)
    rig.actions.tuned.change(logit_bias=(TokenBias(text="a\tb", bias=BAN),))
    rig.wait(lambda: row.typed() == (("a\\tb", "ban"),), "shown")
    rig.wait(lambda: resets(rig) == 1, "Reset")
    button(rig, "Reset").invoke()
    rig.settle()
    assert row.typed() == ()
    assert rig.actions.tuned.sampling.logit_bias == ()


def test_a_grammar_or_a_schema(rig: Rig) -> None:
    page = generation(rig, fold=True)
    assert page.samplers is not None
    form = page.samplers._form
    assert form is not None
    form._choose("Grammar (GBNF)")
    grammar, schema = form._boxes["Grammar (GBNF)"], form._boxes["JSON schema"]
    grammar.text.insert("1.0", "answer")
    rig.wait(lambda: grammar.error, "the mark")
    assert "root" in note(grammar)
    grammar.text.insert("1.0", 'root ::= "a"\n')
    rig.wait(lambda: rig.actions.tuned.sampling.grammar, "used")
    form._choose("JSON schema")
    assert rig.actions.tuned.sampling.grammar == ""
    schema.text.insert("1.0", "{}")
    rig.wait(lambda: rig.actions.tuned.sampling.json_schema == "{}", "used")
    form._choose("Free text")
    assert rig.actions.tuned.sampling == Sampling()
    form._choose("Grammar (GBNF)")  # what was typed is still there
    assert rig.actions.tuned.sampling.grammar == 'root ::= "a"\nanswer'
    load(rig)
    rig.wait(lambda: form._form == "Free text", "the form of the other model")


# ---- chat format


def test_thinking_is_shown_only_where_it_can_be_asked(rig: Rig) -> None:
    page = generation(rig)
    assert page.thinking is not None
    assert not page.thinking.frame.winfo_manager()
    tuning = load(rig)
    rig.wait(lambda: page.thinking is not None and page.thinking.frame.winfo_ismapped(), "shown")
    page.thinking.choice.open()
    choose(rig, "Off")
    assert tuning.format.thinking is False
    load(rig, ModelInfo(path="/b.gguf", name="b"))
    rig.wait(lambda: page.thinking is not None and not page.thinking.frame.winfo_manager(), "gone")


def test_the_format_in_use_is_said_and_a_template_chosen(rig: Rig) -> None:
    page = generation(rig)
    tuning = load(rig)
    rig.wait(lambda: "The model's own template." in labels(rig), "the engine's words")
    assert page.format is not None
    assert str(page.format._said.cget("style")) == "Small.TLabel"
    page.format.template.choice.open()
    choose(rig, "tool_use")
    assert tuning.format.template == "tool_use"
    words = "the default template, because “tool_use” refuses"
    tuning.prompt_ready(PromptReady(turn=TurnId(1), tokens=1, format=words, fell_back=True))
    rig.wait(lambda: "The default template, because “tool_use” refuses." in labels(rig), "said")
    assert str(page.format._said.cget("style")) == "Caution.TLabel"


def editor_of(rig: Rig) -> "tuple[Tuning, tk.Text, Callable[[], str]]":
    page = generation(rig)
    tuning = load(rig)
    rig.settle()
    assert page.format is not None
    page.format.edit.invoke()
    panel = rig.window.panel.panel
    assert panel is not None
    assert panel.editor is not None
    editor = panel.editor
    rig.settle()
    return tuning, editor.text, lambda: str(editor._note.cget("text"))


def test_a_template_is_edited_and_saved(rig: Rig) -> None:
    tuning, text, _ = editor_of(rig)
    assert text.get("1.0", "end-1c") == MODEL.templates[0].source
    text.delete("1.0", "end")
    text.insert("1.0", "{{ mine }}")
    rig.settle()
    button(rig, "Save").invoke()
    rig.settle()
    assert tuning.format.override == "{{ mine }}"
    assert not text.winfo_ismapped()
    rig.wait(lambda: any("Your own template" in words for words in labels(rig)), "said")
    button(rig, "Use the model's own").invoke()
    assert tuning.format.override == ""


def test_an_error_is_shown_with_its_line_and_the_text_kept(rig: Rig) -> None:
    tuning, text, note = editor_of(rig)
    text.delete("1.0", "end")
    text.insert("1.0", "x" * 5000 + "\n{{ wrong }\n")
    rig.settle()
    button(rig, "Save").invoke()
    rig.settle()
    assert "Line 2" in note()
    assert "{{ wrong }" in text.get("wrong.first", "wrong.last")
    assert tuning.format.override == ""
    rig.press(text, "<Escape>")
    assert not text.winfo_ismapped()
    assert rig.window.panel.panel is not None
    assert rig.window.panel.panel.is_open
    button(rig, "Edit template").invoke()
    rig.settle()
    assert "wrong" in text.get("1.0", "end")
    assert "draft" in note()
    button(rig, "Reset to the model's own").invoke()
    rig.settle()
    assert text.get("1.0", "end-1c") == MODEL.templates[0].source
    button(rig, "Close").invoke()
    assert tuning.template_text == MODEL.templates[0].source


def test_looking_at_a_template_makes_no_draft(rig: Rig) -> None:
    odd = ModelInfo(path="/c.gguf", name="c", templates=(Template(name="", source="a\r\nb\x00"),))
    _, text, _ = editor_of(rig)
    rig.press(text, "<Escape>")
    tuning = load(rig, odd)
    button(rig, "Edit template").invoke()
    rig.settle()
    rig.press(text, "<Escape>")
    assert tuning.template_text == "a\r\nb\x00"
