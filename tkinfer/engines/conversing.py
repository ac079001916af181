"""Renders conversations with the first template that takes them, and says which that was."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from actors.engine import PromptFormat, Template
from tkinfer.engines.formats import FORMATS, format_for
from tkinfer.engines.marks import Marks
from tkinfer.engines.probing import Traits, probe
from tkinfer.engines.rendering import (
    Limits,
    TemplateError,
    TemplateRefusedError,
)
from tkinfer.engines.template import ChatTemplate
from tkinfer.engines.variants import Turn, Turns, Variant, variants_of

_OWN = "the model's own template"
_CHANGES_TEXT = "cuts the messages that it is given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usable:
    """A template that can be used, and its traits."""

    template: ChatTemplate
    traits: Traits
    variables: Mapping[str, str]

    def render(self, turns: Sequence[Turn], thinking: bool | None = None) -> str:  # noqa: FBT001
        """The prompt for these messages.

        Raises:
            TemplateError: it refuses them, or takes too much.
        """
        variables = {**self.variables, **self.template.thinking(thinking)}
        return self.template.render([turn.variables() for turn in turns], variables)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A template to try, or the reason why it can't be used."""

    name: str
    """In words, such as "the model's own template"."""
    subject: str
    """As the beginning of a reason, such as "the model's template"."""
    usable: Usable | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A conversation as one text, with marks."""

    text: str
    usable: Usable
    format: str
    """Which template wrote it, and why if it isn't the one asked for; in words."""
    fell_back: bool


class Templates:
    """The templates of a model, those set by hand, and the built-in formats.

    Compiling and probing takes some 10 ms a template, and happens once.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        control: Mapping[str, int],
        variables: Mapping[str, str],
        limits: Limits,
    ) -> None:
        self._sources = {template.name: template.source for template in templates}
        self._control = control
        self._variables = variables
        self._limits = limits
        self._known: dict[str, Usable | str] = {}

    def choices(self, form: PromptFormat) -> Iterator[Choice]:
        """What to try, best first; the last can't fail, but for its size."""
        if form.override:
            name = "the template set by hand"
            yield self._choice(name, name, form.override)
        if form.template:
            yield self._named(form.template)
        yield self._default()
        name, sure = format_for(self._control)
        unsure = "" if sure else ", a guess, since the model shows no known format"
        yield Choice(name=name + unsure, subject=name, usable=self._built_in(name))

    def _default(self) -> Choice:
        source = self._sources.get("") or self._sources.get("default")
        if source:
            return self._choice(_OWN, "the model's template", source)
        reason = "the model brings no template"
        return Choice(name=_OWN, subject="the model's template", reason=reason)

    def _named(self, name: str) -> Choice:
        words = f"the model's template “{name}”"
        if source := self._sources.get(name):
            return self._choice(words, words, source)
        if name in FORMATS:
            return Choice(name=name, subject=name, usable=self._built_in(name))
        return Choice(name=words, subject=words, reason=f"the model has no template “{name}”")

    def _built_in(self, name: str) -> Usable:
        usable = self._prepare(FORMATS[name])
        assert isinstance(usable, Usable), usable
        return usable

    def _choice(self, name: str, subject: str, source: str) -> Choice:
        found = self._prepare(source)
        if isinstance(found, Usable):
            return Choice(name=name, subject=subject, usable=found)
        return Choice(name=name, subject=subject, reason=f"{subject} {found}")

    def _prepare(self, source: str) -> Usable | str:
        if source not in self._known:
            try:
                self._known[source] = self._compile(source)
            except TemplateError as error:
                self._known[source] = str(error)
        return self._known[source]

    def _compile(self, source: str) -> Usable:
        template = ChatTemplate(source, self._limits)
        plain = Usable(template=template, traits=Traits(), variables=self._variables)
        return Usable(template=template, traits=probe(plain.render), variables=self._variables)


def converse(
    choices: Iterator[Choice],
    write: Callable[[Traits], Turns],
    marks: Marks,
    *,
    thinking: bool | None,
    check: Callable[[], None],
) -> Rendering:
    """Render with the first template that takes the conversation in any of its forms.

    Args:
        choices: Templates, best first.
        write: The conversation for a template with these traits, with marks in its texts.
        marks: These marks.
        thinking: See PromptFormat.
        check: Called before each rendering; what it raises goes through.

    Raises:
        TemplateError: none of them takes it.
    """
    reasons: list[str] = []
    for choice in choices:
        if choice.usable is None:
            reasons.append(choice.reason)
            continue
        attempt = _Attempt(choice.usable, marks, thinking, check)
        try:
            text, variant = attempt.any_form(write(choice.usable.traits))
        except TemplateError as error:
            reasons.append(f"{choice.subject} {error}")
            continue
        because = f", because {'; '.join(reasons)}" if reasons else ""
        how = f", with {' and '.join(variant.how)}" if variant.how else ""
        return Rendering(
            text=text,
            usable=choice.usable,
            format=choice.name + how + because,
            fell_back=bool(reasons),
        )
    raise TemplateRefusedError("; ".join(reasons))


class _Attempt:
    """Tries the forms of a conversation with one template."""

    def __init__(
        self,
        usable: Usable,
        marks: Marks,
        thinking: bool | None,  # noqa: FBT001
        check: Callable[[], None],
    ) -> None:
        self._usable = usable
        self._marks = marks
        self._thinking = thinking
        self._check = check

    def any_form(self, turns: Turns) -> tuple[str, Variant]:
        refusal: TemplateError | None = None
        for variant in variants_of(turns, fold=self._usable.traits.drops_system):
            try:
                text = self._render(variant.turns)
            except TemplateRefusedError as error:
                refusal = refusal or error
                continue
            if self._tells_system(variant.turns, text):
                return text, variant
        raise refusal or TemplateRefusedError("leaves the system text out")

    def _render(self, turns: Turns) -> str:
        self._check()
        text = self._usable.render(turns, self._thinking)
        if self._marks.damaged(text):
            raise TemplateRefusedError(_CHANGES_TEXT)
        return text

    def _tells_system(self, turns: Turns, text: str) -> bool:
        """Whether the system text got through, or at least the place where it stood.

        Some templates act on words in it and take them out; those must not be folded.
        """
        lost = [
            turn
            for turn in turns
            if turn.role == "system" and turn.content.strip() and turn.content.strip() not in text
        ]
        if not lost:
            return True
        marked = tuple(
            Turn(role=turn.role, content=self._marks.here(turn.content)) if turn in lost else turn
            for turn in turns
        )
        return self._marks.is_here(self._render(marked))
