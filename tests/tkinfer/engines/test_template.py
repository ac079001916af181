from datetime import datetime
from typing import Any

import pytest

from tkinfer.engines.rendering import TemplateBrokenError, TemplateError, TemplateRefusedError
from tkinfer.engines.template import MOST_SOURCE, ChatTemplate

HI = [{"role": "user", "content": "a <é>"}]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("{{ bos_token }}|{{ eos_token }}|{{ add_generation_prompt }}", "<s>|</s>|True"),
        ("{{ messages | tojson }}", '[{"role": "user", "content": "a <é>"}]'),
        ("{% for m in messages %}\n  {% if true %}\nx\n  {% endif %}\n{% endfor %}", "x\n"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{{ strftime_now('%%') }}", "%"),
        ("{{ messages[0]['content'] }}", "a <é>"),
        ("{{ messages[0].reasoning_content is defined }}", "False"),
        ("{{ tools is none }}{{ documents is none }}{{ tools is defined }}", "TrueTrueTrue"),
        ("{{ enable_thinking is defined }}{{ thinking is defined }}", "FalseFalse"),
    ],
)
def test_what_templates_rely_on(source: str, right: str) -> None:
    assert ChatTemplate(source).render(HI, TOKENS) == right


def test_the_day_is_todays() -> None:
    rendered = ChatTemplate("{{ date_string }}|{{ strftime_now('%d %b %Y') }}").render(HI, TOKENS)
    given, now = rendered.split("|")
    assert given == now
    assert str(datetime.now().astimezone().year)[:2] in given


@pytest.mark.parametrize(
    ("source", "thinking", "right"),
    [
        ("{% if enable_thinking %}{% endif %}", None, {}),
        ("{% if enable_thinking %}{% endif %}", False, {"enable_thinking": False}),
        (
            "{% if not thinking is defined %}{% set thinking = false %}{% endif %}",
            True,
            {"enable_thinking": True, "thinking": True},
        ),
        (
            "{{ reasoning_effort }}",
            False,
            {"enable_thinking": False, "reasoning_effort": "low"},
        ),
        (
            "{% if reasoning_effort in ['none', 'high'] %}{% endif %}",
            False,
            {"enable_thinking": False, "reasoning_effort": "none"},
        ),
        (
            "{{ reasoning_effort }}",
            True,
            {"enable_thinking": True, "reasoning_effort": "high"},
        ),
        (
            "{{ reasoning_effort }}{{ enable_thinking }}",
            False,
            {"enable_thinking": False},
        ),
        ("{{ thinking_budget }}", False, {"enable_thinking": False, "thinking_budget": 0}),
        ("{{ thinking_budget }}", True, {"enable_thinking": True}),
    ],
)
def test_the_thinking_switch_in_all_its_spellings(
    source: str, thinking: bool | None, right: dict[str, Any]
) -> None:
    template = ChatTemplate(source)
    assert template.can_think
    assert template.thinking(thinking) == right


def test_templates_that_do_not_ask_about_thinking() -> None:
    source = "{% for m in messages %}{{ m.thinking }}{{ m.content }}{% endfor %}"
    assert not ChatTemplate(source).can_think


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{% for %}", "Expected an expression"),
        ("{{ 'x' | nosuchfilter }}", "nosuchfilter"),
        ("{{ 'x' | pprint }}", "pprint"),
        ("{% nosuchtag %}", "nosuchtag"),
        ("x" * (MOST_SOURCE + 1), "characters"),
        ("{% if a %}" * 200 + "{% endif %}" * 200, ""),
    ],
)
def test_what_cannot_be_compiled(source: str, why: str) -> None:
    with pytest.raises(TemplateBrokenError, match="is broken") as caught:
        ChatTemplate(source)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update(role='x') }}",
        "{{ cycler.__init__.__globals__.os.getcwd() }}",
        "{{ 1 / 0 }}",
        "{{ nothing.at.all }}",
        "{% for i in range(10**9) %}{% endfor %}",
        "{% include 'x' %}",
    ],
)
def test_what_a_template_must_not_do_is_refused(source: str) -> None:
    with pytest.raises(TemplateError):
        ChatTemplate(source).render(HI, TOKENS)


def test_a_refusal_is_told_in_the_templates_words() -> None:
    template = ChatTemplate("{{ raise_exception('no\n thanks' ~ '!' * 999) }}")
    with pytest.raises(
        TemplateRefusedError, match=r"^refuses this conversation: no thanks!"
    ) as error:
        template.render(HI, TOKENS)
    assert len(str(error.value)) < 300


def test_rendering_changes_no_message() -> None:
    messages = [{"role": "user", "content": "x"}]
    ChatTemplate("{% set m = messages[0] %}{{ m.content }}").render(messages, TOKENS)
    assert messages == [{"role": "user", "content": "x"}]
