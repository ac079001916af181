"""From messages to the token ids that the model is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from actors.engine import ChatMessage, PromptFormat, Template
from tkinfer.engines.building import Job, Kit
from tkinfer.engines.conversing import Templates
from tkinfer.engines.fitting import TokenRate, choose_cut, room_for_answer
from tkinfer.engines.rendering import Limits
from tkinfer.engines.tokens import PromptTokenizer, Vocabulary
from tkinfer.errors import PromptError

__all__ = ["Prompt", "PromptBuilder", "Vocabulary"]

_SAMPLE: Final = (
    "The quick brown fox jumps over the lazy dog; then, at 7:45, it sleeps.\n"
    'for index, value in enumerate(values):\n    print(f"{index}: {value!r}")\n'
)
_SAMPLE_OTHER: Final = (
    "我想知道明天的天气怎么样。Где находится библиотека? 図書館はどこですか。¿Dónde está él?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the model is to read before it answers."""

    tokens: list[int]
    """At least one, and fewer than the context has room for."""
    left_out: int = 0
    """So many of the oldest messages are not in it; system texts don't count."""
    format: str = ""
    """Which chat format was used, and why if it isn't the one asked for; in words."""
    fell_back: bool = False
    """It isn't the one asked for."""
    reasoning_open: str = ""
    """The marker with which the template's own text behind the messages opens the reasoning, or,
    of an answer that is gone on with, that which its tokens have opened and not closed. Empty if
    there is none.
    """
    answered: list[int] = field(default_factory=list[int])
    """The last of `tokens`: those of the answer that is gone on with."""


class PromptBuilder:
    """Makes prompts for one model. Used on one thread.

    Args:
        vocabulary: The model's.
        templates: Those that its file brings. The default one is compiled and tried at once.
        limits: For each rendering.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        templates: Sequence[Template],
        *,
        limits: Limits | None = None,
    ) -> None:
        tokenizer = PromptTokenizer(vocabulary)
        texts = {"bos_token": vocabulary.bos_text, "eos_token": vocabulary.eos_text}
        self._kit = Kit(
            vocabulary=vocabulary,
            tokenizer=tokenizer,
            templates=Templates(templates, vocabulary.control, texts, limits or Limits()),
            control_texts={token: text for text, token in vocabulary.control.items()},
        )
        self._rate = TokenRate(_rate(vocabulary, _SAMPLE), _rate(vocabulary, _SAMPLE_OTHER))
        question = ChatMessage(role="user", content="?")
        rendering = Job(self._kit, (question,), None, PromptFormat(), lambda: None).render(0)
        self.format = rendering.format
        """Which chat format is used where nothing else is asked for, and why if it isn't the
        model's own; in words for the user.
        """
        self.can_think = rendering.usable.template.can_think
        """The template asks whether the model is to think first."""

    def build(
        self,
        messages: Sequence[ChatMessage],
        *,
        format: PromptFormat,  # noqa: A002  the request's own word
        resume: bool,
        context_size: int,
        max_tokens: int | None,
        check: Callable[[], None],
    ) -> Prompt:
        """The prompt for these messages, with as many of the newest turns as there is room for.

        Args:
            messages: The conversation; not changed.
            format: What the user has chosen.
            resume: The last message is an answer to go on with.
            context_size: In tokens.
            max_tokens: Of the answer; None if it has no limit.
            check: Raises if the turn was stopped; called before each rendering.

        Raises:
            PromptError: there is nothing to answer, or the newest message is too long.
        """
        history, answer = tuple(messages), None
        if resume and history and history[-1].role == "assistant":
            history, answer = history[:-1], history[-1]
        if not messages:
            _refuse_empty()
        job = Job(self._kit, history, answer, format, check)
        cut = self._cut(job, history, answer, context_size, max_tokens)
        built = job.build(cut)
        _check_size(len(built.tokens), context_size)
        return Prompt(
            tokens=built.tokens,
            left_out=job.chat.left_out(cut),
            format=built.rendering.format,
            fell_back=built.rendering.fell_back,
            reasoning_open=built.reasoning_open,
            answered=built.answered,
        )

    def _cut(
        self,
        job: Job,
        history: Sequence[ChatMessage],
        answer: ChatMessage | None,
        context_size: int,
        max_tokens: int | None,
    ) -> int:
        """How many of the oldest turns have no room; never the newest."""
        estimates = self._rate.turns(history, job.chat)
        if answer is not None:
            estimates[-1] += self._rate.message(answer)
        limit = context_size - room_for_answer(context_size, max_tokens)
        cut = choose_cut(estimates, max(1, context_size // 4), limit, job.size)
        return job.chat.last if cut is None else cut


def _rate(vocabulary: Vocabulary, sample: str) -> float:
    return len(vocabulary.tokenize(sample, special=False)) / len(sample.encode())


def _refuse_empty() -> NoReturn:
    what = "There is nothing to answer."
    raise PromptError(what, "Write a message first.")


def _check_size(tokens: int, context_size: int) -> None:
    if not tokens:
        _refuse_empty()
    if tokens >= context_size:
        what = f"The prompt has {tokens} tokens, the context only {context_size}."
        raise PromptError(what, "Shorten it, or start a new chat.")
