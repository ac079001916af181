"""Chat templates: Jinja source out of the model file, rendered in a sandbox.

A template is foreign code. The sandbox keeps it from touching anything, but can't bound its time;
so it is rendered in the child, which can be killed.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NoReturn

from actors.engine import ChatMessage
from tkinfer.errors import PromptError

if TYPE_CHECKING:
    from jinja2 import Template

CHATML: Final = (
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""For models that bring no template: the form that most of them have seen at least."""


class TemplateRefusedError(Exception):
    """The template raised: it doesn't want this conversation."""


class ChatTemplate:
    """A compiled template. `origin` is `model`, or the name of the fallback in its place."""

    def __init__(self, source: str | None, *, bos: str = "", eos: str = "") -> None:
        self._tokens = {"bos_token": bos, "eos_token": eos}
        self.origin = "model"
        if source:
            try:
                self._template = _compile(source)
            except Exception:  # noqa: BLE001  untrusted code: also SyntaxError, RecursionError …
                source = None
        if not source:
            self._template = _compile(CHATML)
            self.origin = "chatml"

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """The prompt for these messages, up to where the answer begins.

        Some templates refuse a conversation that people have all the same: two questions in a
        row (Stop before the first token makes that), or a system text. Such a conversation is
        tried again with neighbours of one role merged, then with the system text in front of the
        first question. The request itself stays as it is.

        Raises:
            PromptError: the template refuses all of these.
        """
        refusal: TemplateRefusedError | None = None
        for variant in _variants(tuple(messages)):
            try:
                return self._render(variant)
            except TemplateRefusedError as error:
                refusal = refusal or error
        what = f"The model's chat template refuses this conversation: {refusal}"
        raise PromptError(what, "Try it without a system text, or in a new chat.")

    def _render(self, messages: Sequence[ChatMessage]) -> str:
        try:
            return self._template.render(
                messages=[{"role": m.role, "content": m.content} for m in messages],
                add_generation_prompt=True,
                **self._tokens,
            )
        except Exception as error:  # a template may run into any error of Python
            raise TemplateRefusedError(str(error) or type(error).__name__) from error


def _compile(source: str) -> "Template":
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols"],
        # Off: it would write &lt; into prompts, which are no HTML.
        autoescape=False,
    )
    environment.filters["tojson"] = _to_json
    functions: Any = environment.globals  # typed for Jinja's own names only
    functions.update(raise_exception=_raise_exception, strftime_now=_strftime_now)
    return environment.from_string(source)


def _to_json(value: Any, indent: int | None = None) -> str:
    # Jinja's own filter escapes < and & for HTML.
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise_exception(message: str) -> NoReturn:
    raise TemplateRefusedError(message)


def _strftime_now(form: str) -> str:
    return datetime.now().astimezone().strftime(form)


def _variants(messages: tuple[ChatMessage, ...]) -> Iterable[tuple[ChatMessage, ...]]:
    yield messages
    merged = _merge_neighbours(messages)
    if merged != messages:
        yield merged
    if merged and merged[0].role == "system":
        yield _fold_system(merged)


def _merge_neighbours(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    return tuple(
        ChatMessage(role=role, content="\n\n".join(message.content for message in run))
        for role, run in groupby(messages, key=lambda message: message.role)
    )


def _fold_system(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    system, *rest = messages
    as_question = ChatMessage(role="user", content=system.content)
    return _merge_neighbours((as_question, *rest))
