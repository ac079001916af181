import pytest

from actors.engine import ChatMessage
from tkinfer.engines.template import ChatTemplate
from tkinfer.errors import PromptError


def chat(*turns: str) -> list[ChatMessage]:
    """`u:hi` is a user's message."""
    roles = {"u": "user", "a": "assistant", "s": "system"}
    return [ChatMessage(role=roles[turn[0]], content=turn[2:]) for turn in turns]


STRICT = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "[{{ m.role }}] {{ m.content }}\n{% endfor %}"
)


def test_chatml_is_the_fallback() -> None:
    template = ChatTemplate(None)
    assert template.origin == "chatml"
    assert template.render(chat("s:be", "u:hi")) == (
        "<|im_start|>system\nbe<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_template_that_cannot_be_compiled_falls_back_too() -> None:
    assert ChatTemplate("{% for %}").origin == "chatml"


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("{{ bos_token }}|{{ eos_token }}|{{ add_generation_prompt }}", "<s>|</s>|True"),
        ("{{ messages | tojson }}", '[{"role": "user", "content": "a <é>"}]'),
        ("{% for m in messages %}\n  {% if true %}\nx\n  {% endif %}\n{% endfor %}", "x\n"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{{ strftime_now('%%') }}", "%"),
        ("{{ messages[0]['content'] }}", "a <é>"),
    ],
)
def test_what_templates_rely_on(source: str, right: str) -> None:
    template = ChatTemplate(source, bos="<s>", eos="</s>")
    assert template.origin == "model"
    assert template.render(chat("u:a <é>")) == right


def test_two_questions_in_a_row_are_merged_where_the_template_insists() -> None:  # M-2 b
    messages = chat("u:one", "u:two")
    assert ChatTemplate(STRICT).render(messages) == "[user] one\n\ntwo\n"
    assert messages == chat("u:one", "u:two")
    assert ChatTemplate(None).render(messages).count("<|im_start|>user") == 2


def test_a_refused_system_text_goes_before_the_first_question() -> None:  # M-2 a
    rendered = ChatTemplate(STRICT).render(chat("s:be brief", "u:hi", "a:ho", "u:he"))
    assert rendered == "[user] be brief\n\nhi\n[assistant] ho\n[user] he\n"


def test_a_template_that_refuses_all_is_said_in_words() -> None:
    with pytest.raises(PromptError, match="no thanks"):
        ChatTemplate("{{ raise_exception('no thanks') }}").render(chat("u:hi"))


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ cycler.__init__.__globals__.os.getcwd() }}",
        "{{ 1 / 0 }}",
        "{{ nothing.at.all }}",
        "{% for i in range(10**9) %}{% endfor %}",
    ],
)
def test_what_a_template_must_not_do_is_refused(source: str) -> None:
    with pytest.raises(PromptError):
        ChatTemplate(source).render(chat("u:hi"))
