"""Prompts with the tokens of answers in them, and templates that treat answers in several ways."""

from collections.abc import Sequence

from actors.engine import ChatMessage, PromptFormat, Template
from tests.tkinfer.engines.fake_vocabulary import CONTROL, FakeVocabulary
from tkinfer.engines.prompt import Prompt, PromptBuilder

THINK, END_THINK = "<|START_THINKING|>", "<|END_THINKING|>"
HARMONY = ("<|start|>", "<|end|>", "<|message|>", "<|channel|>")
VOCABULARY = FakeVocabulary([*CONTROL, THINK, END_THINK, *HARMONY])
C = VOCABULARY.control
TEXTS = ("the", " the", "he", "th", "\U0001f980")
THE, SPACE_THE, HE, TH, CRAB = (VOCABULARY.tokenize(text, special=False)[0] for text in TEXTS)
OPENER = VOCABULARY.tokenize("<think>\n", special=False)
CLOSER = VOCABULARY.tokenize("\n</think>\n\n", special=False)
BODY = "<|im_start|>{{ m.role }}\n{{ %s }}<|im_end|>\n"
KEEPING = "{% for m in messages %}" + BODY % "m.content" + "{% endfor %}<|im_start|>assistant\n"
TRIMMING = (
    "{% for m in messages %}" + BODY % "m.content | trim" + "{% endfor %}<|im_start|>assistant\n"
)
SPLITTING = (
    "{% for m in messages %}"
    + BODY
    % "(m.content.split('</think>')[-1].lstrip('\n') if m.role == 'assistant' else m.content)"
    + "{% endfor %}<|im_start|>assistant\n"
)
OPENING = KEEPING + "<think>\n"
OPENING = OPENING.replace("<think>\n", "<think>{{ '\n' }}")
CLOSING = KEEPING + "<think>{{ '\n\n' }}</think>{{ '\n\n' }}"


def build(
    messages: Sequence[ChatMessage],
    source: str = KEEPING,
    *,
    resume: bool = False,
    vocabulary: FakeVocabulary = VOCABULARY,
    **form: str,
) -> Prompt:
    maker = PromptBuilder(vocabulary, [Template(name="", source=source)])
    return maker.build(
        messages,
        format=PromptFormat(**form),
        resume=resume,
        context_size=100_000,
        max_tokens=None,
        check=lambda: None,
    )


def said(content: str, tokens: Sequence[int], reasoning: str = "") -> ChatMessage:
    return ChatMessage(role="assistant", content=content, reasoning=reasoning, tokens=tuple(tokens))
