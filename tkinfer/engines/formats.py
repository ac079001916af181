"""Chat formats of our own, for models whose template is missing or can't be used.

They write no BOS: whether there is one, the model file says. Each takes any conversation.
"""

from collections.abc import Collection
from typing import Final

_SYSTEM_FIRST: Final = (
    # The system text goes in front of the next user text, or stands alone if there is none.
    "{% set ns = namespace(before='') %}{% for m in messages %}"
    "{% if m.role == 'system' %}"
    "{% set ns.before = ns.before ~ (m.content | trim) ~ '\n\n' %}"
    "{% else %}"
)

FORMATS: Final = {
    "chatml": (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    ),
    "llama3": (
        "{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
        "{{ m.content | trim }}<|eot_id|>{% endfor %}"
        "{% if add_generation_prompt %}"
        "<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
    ),
    "gemma": (
        _SYSTEM_FIRST + "<start_of_turn>{{ 'model' if m.role == 'assistant' else 'user' }}\n"
        "{% if m.role == 'user' %}{{ ns.before }}{% set ns.before = '' %}{% endif %}"
        "{{ m.content | trim }}<end_of_turn>\n"
        "{% endif %}{% endfor %}"
        "{% if ns.before %}<start_of_turn>user\n{{ ns.before | trim }}<end_of_turn>\n{% endif %}"
        "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
    ),
    "mistral": (
        _SYSTEM_FIRST + "{% if m.role == 'user' %}"
        "[INST]{{ ns.before }}{{ m.content }}[/INST]{% set ns.before = '' %}"
        "{% else %}{{ m.content }}{{ eos_token }}{% endif %}"
        "{% endif %}{% endfor %}"
        "{% if ns.before %}[INST]{{ ns.before | trim }}[/INST]{% endif %}"
    ),
    "phi": (
        "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
    ),
    "zephyr": (
        "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{{ eos_token }}\n{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
    ),
    "plain": (
        "{% for m in messages %}"
        "{% if m.role == 'user' %}User: {% elif m.role == 'assistant' %}Assistant: {% endif %}"
        "{{ m.content | trim }}\n\n"
        "{% endfor %}"
        "{% if add_generation_prompt %}Assistant:{% endif %}"
    ),
}
"""Jinja sources by name."""

_SIGNS: Final = (
    ("chatml", ("<|im_start|>", "<|im_end|>")),
    ("llama3", ("<|start_header_id|>", "<|eot_id|>")),
    ("gemma", ("<start_of_turn>", "<end_of_turn>")),
    ("mistral", ("[INST]", "[/INST]")),
    ("phi", ("<|user|>", "<|assistant|>", "<|end|>")),
    ("zephyr", ("<|user|>", "<|assistant|>")),
)
UNSURE: Final = "chatml"
"""The form that most models have seen at least."""


def format_for(control: Collection[str]) -> tuple[str, bool]:
    """The format that a vocabulary with these control tokens was made for, and whether it's sure.

    The format's first token is enough: some files don't mark the others as control tokens.
    """
    for name, signs in _SIGNS:
        if all(sign in control for sign in signs):
            return name, True
    for name, signs in _SIGNS[:4]:
        if signs[0] in control:
            return name, True
    return UNSURE, False
