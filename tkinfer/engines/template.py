"""Chat templates: Jinja source out of the model file, rendered in a sandbox within limits."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tkinfer.engines.rendering import (
    Limits,
    TemplateBrokenError,
    TemplateError,
    TemplateLimitError,
    TemplateRefusedError,
    run_limited,
)

if TYPE_CHECKING:
    from tkinfer.engines.sandbox import BoundedEnvironment

MOST_SOURCE: Final = 1_000_000
"""Characters of a template; the longest in use have some 30,000."""
_MOST_REASON: Final = 200
_SWITCHES: Final = ("enable_thinking", "thinking", "reasoning_effort", "thinking_budget")
_NONE_WORD: Final = re.compile(r"""["']none["']""")

Variables = Mapping[str, Any]


class ChatTemplate:
    """A compiled template.

    Raises:
        TemplateBrokenError: it can't be compiled.
    """

    def __init__(self, source: str, limits: Limits | None = None) -> None:
        self.source = source
        self._limits = limits or Limits()
        if len(source) > MOST_SOURCE:
            what = f"is broken: it has more than {MOST_SOURCE} characters"
            raise TemplateBrokenError(what)
        try:
            self._template, asked = run_limited(self._compile, self._limits)
        except TemplateLimitError as error:
            raise TemplateBrokenError(str(error)) from error
        except Exception as error:  # untrusted code: also SyntaxError, RecursionError …
            what = f"is broken: {_words(error)}"
            raise TemplateBrokenError(what) from error
        self._switches = tuple(name for name in _SWITCHES if name in asked)

    def _compile(self) -> tuple[Any, set[str]]:
        from jinja2 import meta

        environment = _environment(self._limits.characters)
        asked = meta.find_undeclared_variables(environment.parse(self.source))
        if "enable_thinking" in self.source:
            asked = asked | {"enable_thinking"}
        return environment.compile_bounded(self.source), set(asked)

    @property
    def can_think(self) -> bool:
        """It asks whether the model is to think first, or how much."""
        return bool(self._switches)

    def thinking(self, wanted: bool | None) -> Variables:  # noqa: FBT001  a tristate
        """The variables that tell this template whether the model is to think.

        `enable_thinking` (Qwen 3, SmolLM3, GLM) and `thinking` (DeepSeek, Granite) are plain
        switches. gpt-oss knows only how much: `reasoning_effort`, of which some templates have a
        value "none"; Seed-OSS counts tokens.
        """
        if wanted is None:
            return {}
        variables: dict[str, Any] = {"enable_thinking": wanted}
        if "thinking" in self._switches:
            variables["thinking"] = wanted
        if "enable_thinking" in self._switches or "thinking" in self._switches:
            return variables
        if "reasoning_effort" in self._switches:
            least = "none" if _NONE_WORD.search(self.source) else "low"
            variables["reasoning_effort"] = "high" if wanted else least
        if "thinking_budget" in self._switches and not wanted:
            variables["thinking_budget"] = 0
        return variables

    def render(self, messages: Sequence[Mapping[str, str]], variables: Variables) -> str:
        """The prompt for these messages, up to where the answer begins.

        Raises:
            TemplateRefusedError: it doesn't want this conversation.
            TemplateLimitError: it takes too long, or gets too large.
        """
        given: dict[str, Any] = {
            "messages": [dict(message) for message in messages],
            "add_generation_prompt": True,
            "tools": None,
            "documents": None,
            # Llama 3's templates name the day when the model's knowledge ended, if they get none.
            "date_string": datetime.now().astimezone().strftime("%d %b %Y"),
            **variables,
        }
        try:
            return run_limited(lambda: self._collect(given), self._limits)
        except TemplateRefusedError as error:
            raise TemplateRefusedError(_refusal(error)) from error
        except TemplateError:
            raise
        except RecursionError as error:
            what = "calls itself without end"
            raise TemplateLimitError(what) from error
        except MemoryError as error:
            what = "takes too much memory"
            raise TemplateLimitError(what) from error
        except Exception as error:  # a template may run into any error of Python
            raise TemplateRefusedError(_refusal(error)) from error

    def _collect(self, given: dict[str, Any]) -> str:
        most, total = self._limits.characters, 0
        parts: list[str] = []
        for part in self._template.generate(given):
            total += len(part)
            if total > most:
                what = f"writes more than {most} characters"
                raise TemplateLimitError(what)
            parts.append(part)
        return "".join(parts)


@cache
def _environment(characters: int) -> "BoundedEnvironment":
    from tkinfer.engines.sandbox import BoundedEnvironment

    return BoundedEnvironment(characters)


def _refusal(error: Exception) -> str:
    return f"refuses this conversation: {_words(error)}"


def _words(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= _MOST_REASON else words[: _MOST_REASON - 1] + "…"
