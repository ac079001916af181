"""What a template does with messages, found by having it render a few."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tkinfer.engines.rendering import TemplateRefusedError
from tkinfer.engines.variants import Turn

Render = Callable[[Sequence[Turn]], str]
"""Raises a TemplateError."""

_SYSTEM: Final = "qsystemq"
_ANSWER: Final = "qanswerq"
_PAD: Final = "\n\n\n\n\n \n"  # more line ends than a template writes by itself
_STRIPS: Final = ((_PAD, ""), (_PAD.lstrip("\n"), "\n"), ("", " \t\n\r\f\v"))
"""What is left of the padding, and the characters that the template must have taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a template does with messages."""

    drops_system: bool = False
    """It renders a system message without a word of it, and without a complaint."""
    strip_left: str = ""
    strip_right: str = ""
    """Characters that it takes from the ends of an answer in the history."""

    def stripped(self, answer: str) -> str:
        """An answer as the template will write it."""
        return answer.lstrip(self.strip_left).rstrip(self.strip_right)


def probe(render: Render) -> Traits:
    """See what a template does.

    Raises:
        TemplateError: it can't even take a single question.
    """
    question = Turn(role="user", content="qquestionq")
    system = Turn(role="system", content=_SYSTEM)
    try:
        render((question,))
    except TemplateRefusedError:
        render((system, question))  # a few want nothing else
    answer = Turn(role="assistant", content=_PAD + _ANSWER + _PAD[::-1])
    before, found, after = _try(render, (question, answer, question)).partition(_ANSWER)
    padded = Traits()
    if found:
        padded = Traits(
            strip_left=_taken(before.endswith), strip_right=_taken(after.startswith, backwards=True)
        )
    with_system = _try(render, (system, question))
    return Traits(
        drops_system=bool(with_system) and _SYSTEM not in with_system,
        strip_left=padded.strip_left,
        strip_right=padded.strip_right,
    )


def _taken(stands: Callable[[str], bool], *, backwards: bool = False) -> str:
    for left, taken in _STRIPS:
        if stands(left[::-1] if backwards else left):
            return taken
    return ""


def _try(render: Render, turns: Sequence[Turn]) -> str:
    try:
        return render(turns)
    except TemplateRefusedError:
        return ""
