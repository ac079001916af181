"""One prompt: messages → a template's text → token ids, perhaps several times until it fits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from actors.engine import ChatMessage, PromptFormat
from tkinfer.engines.conversing import Rendering, Templates, converse
from tkinfer.engines.fitting import Chat
from tkinfer.engines.kept import Kept, kept_in_history, kept_to_resume
from tkinfer.engines.markers import opened_by
from tkinfer.engines.marks import Marks
from tkinfer.engines.probing import Traits
from tkinfer.engines.rendering import TemplateError
from tkinfer.engines.resuming import ReasoningMarkers
from tkinfer.engines.tokens import PromptTokenizer, Vocabulary
from tkinfer.engines.variants import Turn, Turns
from tkinfer.errors import PromptError

_TAIL: Final = 512  # of a rendered prompt, in which a marker of reasoning may stand at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What all prompts of a model have in common."""

    vocabulary: Vocabulary
    tokenizer: PromptTokenizer
    templates: Templates
    control_texts: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A prompt's tokens; the last of them, `answered`, are those of the answer gone on with."""

    tokens: list[int]
    answered: list[int]
    rendering: Rendering
    reasoning_open: str


class Job:
    """One prompt to be built.

    Args:
        kit: The model's.
        history: The messages but for an answer that is gone on with.
        answer: That answer.
        form: What the user has chosen.
        check: Raises if the turn was stopped; called before each rendering.
    """

    def __init__(
        self,
        kit: Kit,
        history: tuple[ChatMessage, ...],
        answer: ChatMessage | None,
        form: PromptFormat,
        check: Callable[[], None],
    ) -> None:
        self.chat = Chat.of(history)
        self._kit = kit
        self._history = history
        self._answer = answer
        self._form = form
        self._check = check
        texts = (text for message in history for text in (message.content, message.reasoning))
        self._marks = Marks(kit.tokenizer.controls, texts)
        self.build = cache(self._build)
        """The prompt without so many of the oldest turns.

        Raises:
            PromptError: no template can write it.
        """
        self._turn = cache(self._write_turn)
        self._kept = cache(self._find_kept)

    def size(self, turns: int) -> int:
        """How many tokens the prompt has without so many of the oldest turns."""
        return len(self.build(turns).tokens)

    def render(self, turns: int) -> Rendering:
        """The text of the prompt without so many of the oldest turns, with marks.

        Raises:
            PromptError: no template can write it.
        """
        places = self.chat.without(turns, len(self._history))

        def write(traits: Traits) -> Turns:
            return tuple(self._turn(place, traits) for place in places)

        try:
            return converse(
                self._kit.templates.choices(self._form),
                write,
                self._marks,
                thinking=self._form.thinking,
                check=self._check,
            )
        except TemplateError as error:
            what = f"The prompt can't be written: {error}."
            raise PromptError(what, "Shorten it, or start a new chat.") from error

    def _build(self, turns: int) -> Built:
        rendering = self.render(turns)
        tokenizer = self._kit.tokenizer
        tokens = tokenizer.tokens(rendering.text, self._marks, self._kept)
        opened = opened_by(rendering.text[-_TAIL:])
        begin = len(tokens)
        opened = self._go_on(tokens, rendering.usable.template.source, opened)
        return Built(
            tokens=tokens, answered=tokens[begin:], rendering=rendering, reasoning_open=opened
        )

    def _write_turn(self, place: int, traits: Traits) -> Turn:
        message, marks = self._history[place], self._marks
        content = message.content
        if message.role == "assistant" and message.tokens:
            content = traits.stripped(content)
            if content:
                content = marks.around(place, marks.protect(content))
        else:
            content = marks.protect(content)
        return Turn(role=message.role, content=content, reasoning=marks.protect(message.reasoning))

    def _find_kept(self, place: int, text: str) -> tuple[Sequence[int], int]:
        message = self._history[place]
        kept = kept_in_history(
            message.tokens,
            self._kit.vocabulary.piece,
            self._kit.control_texts,
            message.reasoning,
            text,
        )
        return kept.tokens, kept.characters

    def _go_on(self, tokens: list[int], source: str, opened: str) -> str:
        """Put the answer so far behind the prompt; say what reasoning is open then."""
        answer = self._answer
        if answer is None or not (answer.reasoning or answer.content):
            return opened
        markers = ReasoningMarkers(source, opened)
        kept = self._kept_answer(answer, opened)
        if kept.tokens and (kept.thinking or kept.characters >= len(answer.reasoning)):
            thinking = self._go_on_kept(tokens, answer, kept, markers)
        else:
            thinking = self._go_on_text(tokens, answer, markers)
        return opened or thinking

    def _kept_answer(self, answer: ChatMessage, opened: str) -> Kept:
        return kept_to_resume(
            answer.tokens,
            self._kit.vocabulary.piece,
            self._kit.control_texts,
            (answer.reasoning, answer.content),
            opened,
        )

    def _go_on_kept(
        self, tokens: list[int], answer: ChatMessage, kept: Kept, markers: ReasoningMarkers
    ) -> str:
        append = self._kit.tokenizer.append
        tokens += kept.tokens
        append(tokens, answer.reasoning[kept.characters :])
        said = answer.content[max(0, kept.characters - len(answer.reasoning)) :]
        if said and kept.thinking:
            append(tokens, markers.closer, special=True)
        append(tokens, said)
        return "" if said else kept.thinking

    def _go_on_text(self, tokens: list[int], answer: ChatMessage, markers: ReasoningMarkers) -> str:
        append = self._kit.tokenizer.append
        if not answer.reasoning:
            append(tokens, markers.before_answer, special=True)
            append(tokens, answer.content)
            return ""
        append(tokens, markers.before_reasoning, special=True)
        append(tokens, answer.reasoning)
        if not answer.content:
            return markers.opener
        append(tokens, markers.closer, special=True)
        append(tokens, answer.content)
        return ""
