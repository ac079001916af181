"""Which chat format is in use, in the engine's own words."""

from dataclasses import dataclass

from actors.engine import ModelInfo, PromptFormat, PromptReady

_BECAUSE = ", because "
"""In the engine's words for a format, where it isn't the one asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """In which format the last prompt was written, and with what that was asked for."""

    path: str
    asked: PromptFormat
    ready: PromptReady


class FormatWords:
    """Remembers what the last prompt has told: a template may show only then that it fails."""

    def __init__(self) -> None:
        self._prompt: _Prompt | None = None

    def prompt_ready(self, path: str, asked: PromptFormat, ready: PromptReady) -> None:
        """A prompt was written for the model of this file, in a format that the engine names."""
        self._prompt = _Prompt(path=path, asked=asked, ready=ready)

    def of(self, path: str, asked: PromptFormat, info: ModelInfo | None) -> tuple[str, bool]:
        """The words, and whether it is another format than the one asked for. The words are empty
        while nothing is known.
        """
        prompt = self._prompt
        if prompt is not None and (prompt.path, prompt.asked) == (path, asked):
            return prompt.ready.format, prompt.ready.fell_back
        if info is None or info.path != path or asked.override or asked.template:
            return "", False
        return info.format, _BECAUSE in info.format
