"""Builds prompts of a vocabulary without a model."""

from collections.abc import Sequence

from actors.engine import ChatMessage, PromptFormat, Template
from tests.tkinfer.engines.fake_vocabulary import FakeVocabulary
from tkinfer.engines.prompt import Prompt, PromptBuilder
from tkinfer.engines.rendering import Limits

THINKING = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' %}"
    "{{ m.content.split('</think>')[-1] | trim }}"
    "{% else %}{{ m.content | trim }}{% endif %}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n{{ '<think>\n' if enable_thinking }}"
)
"""As templates of models that think; the switch opens the reasoning."""
VOCABULARY = FakeVocabulary()
ROLES = {"s": "system", "u": "user", "a": "assistant"}
PLENTY = 100_000


def chat(*turns: str) -> list[ChatMessage]:
    """`u:hi` is a user's message."""
    return [ChatMessage(role=ROLES[turn[0]], content=turn[2:]) for turn in turns]


def builder(
    source: str | None = None,
    vocabulary: FakeVocabulary = VOCABULARY,
    limits: Limits | None = None,
    **named: str,
) -> PromptBuilder:
    templates = [Template(name=name, source=text) for name, text in named.items()]
    if source is not None:
        templates.append(Template(name="", source=source))
    return PromptBuilder(vocabulary, templates, limits=limits)


def build(
    maker: PromptBuilder, messages: Sequence[ChatMessage], form: PromptFormat | None = None
) -> Prompt:
    return maker.build(
        messages,
        format=form or PromptFormat(),
        resume=False,
        context_size=PLENTY,
        max_tokens=None,
        check=lambda: None,
    )


def written(
    source: str, messages: Sequence[ChatMessage], form: PromptFormat | None = None
) -> tuple[str, str]:
    """The prompt as text, and which format that is."""
    prompt = build(builder(source), messages, form)
    return VOCABULARY.written(prompt.tokens), prompt.format
