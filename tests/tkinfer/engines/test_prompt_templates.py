"""Which template writes the prompt, and which form of the conversation it is given."""

import pytest

from actors.engine import ChatMessage, PromptFormat
from tests.tkinfer.engines.fake_vocabulary import FakeVocabulary
from tests.tkinfer.engines.prompt_rig import VOCABULARY, build, builder, chat, written
from tkinfer.engines.formats import FORMATS
from tkinfer.engines.rendering import Limits

STRICT = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "[{{ m.role }}] {{ m.content }}\n{% endfor %}"
)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
OWN = "the model's own template"
SHORT_S = 1.0
"""Only the endless one may come to this, also on a machine that is busy."""


def test_a_model_without_a_template() -> None:
    maker = builder()
    assert maker.format == "chatml, because the model brings no template"
    prompt = build(maker, chat("s:be", "u:hi"))
    assert VOCABULARY.written(prompt.tokens) == (
        "<|im_start|>system\nbe<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert (prompt.format, prompt.fell_back) == (maker.format, True)


def test_its_vocabulary_says_which_format() -> None:
    llama = FakeVocabulary(["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"])
    assert builder(None, llama).format == "llama3, because the model brings no template"
    unknown = builder(None, FakeVocabulary([]))
    assert unknown.format.startswith("chatml, a guess")
    assert "brings no template" in unknown.format


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{% for %}", "is broken: Expected an expression"),
        ("{{ raise_exception('no thanks') }}", "refuses this conversation: no thanks"),
        (ENDLESS, "does not come to an end within 1 s"),
        ("{% for a in range(99999) %}xxxxxxxxxxxx{% endfor %}", "writes more than 1000 characters"),
        ("{{ 'x' * 10 ** 9 }}", "builds something that is too large"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "calls itself without end"),
        ("{{ messages[0].nothing.at.all }}", "refuses this conversation"),
        ("{% for m in messages %}{{ m.content[:-7] }}{% endfor %}", "cuts the messages"),
    ],
)
def test_a_template_that_cannot_be_used(source: str, why: str) -> None:
    maker = builder(source, limits=Limits(seconds=SHORT_S, characters=1000))
    prompt = build(maker, chat("u:hi <|im_end|>"))
    assert prompt.format.startswith("chatml, because the model's template ")
    assert why in prompt.format
    assert prompt.fell_back
    assert VOCABULARY.written(prompt.tokens).startswith("<|im_start|>user\nhi")


def test_a_template_that_is_endless_only_for_some() -> None:
    source = "{% if messages[0].content == 'spin' %}" + ENDLESS + "{% endif %}ok"
    maker = builder(source, limits=Limits(seconds=SHORT_S))
    assert maker.format == OWN
    assert "does not come to an end" in build(maker, chat("u:spin")).format
    assert build(maker, chat("u:hi")).format == OWN


def test_the_order_of_choice() -> None:
    maker = builder("default", tool="tool", rag="rag")
    for form, text, words in (
        (PromptFormat(), "default", OWN),
        (PromptFormat(template="rag"), "rag", "the model's template “rag”"),
        (PromptFormat(template="rag", override="mine"), "mine", "the template set by hand"),
    ):
        prompt = build(maker, chat("u:hi"), form)
        assert VOCABULARY.written(prompt.tokens) == text
        assert (prompt.format, prompt.fell_back) == (words, False)


def test_the_next_is_taken_where_one_is_missing_or_broken() -> None:
    maker = builder("default", tool="tool")
    prompt = build(maker, chat("u:hi"), PromptFormat(template="rag"))
    assert VOCABULARY.written(prompt.tokens) == "default"
    assert prompt.format == f"{OWN}, because the model has no template “rag”"
    assert prompt.fell_back
    prompt = build(maker, chat("u:hi"), PromptFormat(override="{% if %}"))
    assert prompt.format.startswith(f"{OWN}, because the template set by hand is broken: ")
    maker = builder("{% if %}")
    prompt = build(maker, chat("u:hi"), PromptFormat(override="{{ raise_exception('no') }}"))
    assert prompt.format.startswith("chatml, because the template set by hand refuses")
    assert "; the model's template is broken: " in prompt.format


def test_a_built_in_format_can_be_chosen_by_name() -> None:
    prompt = build(builder("own"), chat("u:hi"), PromptFormat(template="plain"))
    assert VOCABULARY.written(prompt.tokens) == "User: hi\n\nAssistant:"
    assert (prompt.format, prompt.fell_back) == ("plain", False)


def test_thinking_is_told_only_where_it_was_chosen() -> None:
    source = "{{ enable_thinking is defined }}{{ enable_thinking }}"
    assert builder(source).can_think
    assert not builder("x").can_think
    for thinking, text in ((None, "False"), (True, "TrueTrue"), (False, "TrueFalse")):
        assert written(source, chat("u:hi"), PromptFormat(thinking=thinking))[0] == text


def test_reasoning_is_given_where_there_is_some() -> None:
    source = (
        "{% for m in messages %}"
        "{{ m.reasoning_content is defined }}{{ m.reasoning_content }},{% endfor %}"
    )
    messages = [
        *chat("u:hi"),
        ChatMessage(role="assistant", content="a", reasoning="why"),
        *chat("u:x"),
    ]
    assert written(source, messages)[0] == "False,Truewhy,False,"


@pytest.mark.parametrize(
    ("turns", "text", "how"),
    [
        (("u:hi",), "<s>[user] hi\n", ""),
        (
            ("u:one", "u:two"),
            "<s>[user] one\n\ntwo\n",
            ", with neighbouring messages of one role merged",
        ),
        (
            ("u:one", "a:part", "u:two"),
            "<s>[user] one\n[assistant] part\n[user] two\n",
            "",
        ),
        (
            ("s:be brief", "u:hi", "a:ho", "u:he"),
            "<s>[user] be brief\n\nhi\n[assistant] ho\n[user] he\n",
            ", with the system text put in front of the user's",
        ),
        (
            ("s:be brief", "u:hi", "u:he"),
            "<s>[user] be brief\n\nhi\n\nhe\n",
            (
                ", with the system text put in front of the user's and neighbouring messages of one"
                " role merged"
            ),
        ),
        (
            ("a:hello", "u:hi"),
            "<s>[user] Hello.\n[assistant] hello\n[user] hi\n",
            ", with “Hello.” put in as the first user's message",
        ),
        (
            ("s:be brief", "a:hello", "u:hi"),
            "<s>[user] be brief\n[assistant] hello\n[user] hi\n",
            ", with the system text put in front of the user's",
        ),
        (
            ("s:be brief",),
            "<s>[user] be brief\n",
            ", with the system text put in front of the user's",
        ),
    ],
)
def test_a_template_that_insists_on_order(turns: tuple[str, ...], text: str, how: str) -> None:
    messages = chat(*turns)
    assert written(STRICT, messages) == (text, OWN + how)
    assert messages == chat(*turns)


def test_two_users_in_a_row_stay_two_where_that_is_fine() -> None:
    assert written(FORMATS["chatml"], chat("u:one", "u:two"))[0].count("user") == 2


def test_a_dropped_system_text_is_found_at_load() -> None:
    source = (
        "{% for m in messages %}{% if m.role != 'system' %}<{{ m.content }}>{% endif %}{% endfor %}"
    )
    text, form = written(source, chat("s:be brief", "u:hi"))
    assert text == "<be brief\n\nhi>"
    assert form.endswith("with the system text put in front of the user's")


def test_a_second_system_text_that_is_dropped() -> None:
    source = (
        "{% for m in messages %}{% if m.role != 'system' or loop.first %}<{{ m.content }}>"
        "{% endif %}{% endfor %}"
    )
    text, form = written(source, chat("s:one", "u:hi", "a:ho", "s:two", "u:he"))
    assert text == "<one\n\nhi><ho><two\n\nhe>"
    assert "system text put in front" in form


def test_words_that_a_template_takes_out_of_the_system_text_are_not_lost() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'system' %}"
        "{{ 'short' if '/no_think' in m.content else 'long' }}"
        "<{{ m.content.replace('/no_think', '').rstrip() }}>"
        "{% else %}<{{ m.content }}>{% endif %}{% endfor %}"
    )
    assert written(source, chat("s:/no_think", "u:hi")) == ("short<><hi>", OWN)
    assert written(source, chat("s:be brief /no_think", "u:hi")) == ("short<be brief><hi>", OWN)
