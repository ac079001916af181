"""The words of the status line, the receipts and the notes."""

from actors.messages import Stopped
from actors.telemetry import Telemetry
from actors.turn import EndReason, Figures, Phase

PHASE_WORDS = {
    Phase.IDLE: "Ready",
    Phase.QUEUED: "Waiting",
    Phase.LOADING: "Loading the model",
    Phase.PREFILL: "Reading the prompt",
    Phase.DECODE: "Answering",
    Phase.DRAWING: "Drawing",
    Phase.STOPPING: "Stopping",
}

STOPPED = "Stopped."
NO_MODEL = "No model loaded"
UNLOADED = "Model unloaded"
"""There is one all the same that the next message loads."""
MAX_QUOTE = 40

_STOPPED_WHILE = {
    Phase.IDLE: "",
    Phase.QUEUED: " while waiting",
    Phase.LOADING: " while loading",
    Phase.PREFILL: " while reading the prompt",
    Phase.DECODE: " while answering",
    Phase.DRAWING: " while drawing",
    Phase.STOPPING: "",
}

END_NOTES = {
    EndReason.END_OF_TEXT: "",
    EndReason.STOP_STRING: "",
    EndReason.LENGTH: "The answer was cut at its token limit.",
    EndReason.CONTEXT_FULL: "The context is full, so the answer ends here.",
}


def phase_words(phase: Phase, sample: Telemetry) -> str:
    """What is going on, with the share done where there is one."""
    words = PHASE_WORDS[phase]
    if phase is Phase.LOADING and sample.load_fraction:
        return f"{words} · {sample.load_fraction:.0%}"
    if phase is Phase.PREFILL and sample.prefill_total:
        return f"{words} · {sample.prefill_done / sample.prefill_total:.0%}"
    return words


def run_figures(sample: Telemetry, context_size: int) -> tuple[str, ...]:
    """The figures of an answer that is being made, as far as they are known."""
    used = sample.prefill_done + sample.answer_tokens
    return _figures(sample.tokens_per_s, sample.first_token_s, used, context_size)


def final_figures(figures: Figures) -> tuple[str, ...]:
    """The figures of a complete answer, as the engine itself counted."""
    return _figures(
        figures.tokens_per_s, figures.first_token_s, figures.context_used, figures.context_size
    )


def _figures(speed: float, first_token_s: float | None, used: int, size: int) -> tuple[str, ...]:
    parts: list[str] = []
    if speed:
        parts.append(f"{speed:.1f} tokens/s")
    if first_token_s:
        parts.append(f"first token {first_token_s:.2f} s")
    if used and size:
        parts.append(f"context {used:,} of {size:,}")
    return tuple(parts)


def message_figures(figures: Figures, tokens: int = 0) -> str:
    """The small line beside an answer's author.

    `tokens` is how many the whole answer has, if it was gone on with and the figures are those of
    its last part.
    """
    total = max(figures.answer_tokens, tokens)
    count = _count(total, "token")
    if figures.reasoning_tokens:
        count += f", {figures.reasoning_tokens:,} of them thinking"
    parts = [count]
    if figures.tokens_per_s:
        parts.append(f"{figures.tokens_per_s:.1f}/s")
    if figures.first_token_s:
        parts.append(f"first token {figures.first_token_s:.2f} s")
    if figures.accepted_tokens and figures.answer_tokens:
        share = min(figures.accepted_tokens / figures.answer_tokens, 1.0)
        parts.append(f"{share:.0%} by prompt lookup")
    return " · ".join(parts)


def left_out(messages: int, last_words: str, context_size: int) -> str:
    """What a prompt has no room for. `last_words` begin the last message that is left out."""
    context = f"the context of {context_size:,} tokens" if context_size else "the context"
    which = "message, " if messages == 1 else f"{messages:,} messages, up to "
    verbs = ("has", "is") if messages == 1 else ("have", "are")
    return (
        f"The first {which}“{last_words}”, {verbs[0]} no room in {context} and {verbs[1]} left out."
    )


def left_out_figure(messages: int) -> str:
    """The same for the status bar."""
    return f"{_count(messages, 'message')} left out"


def format_used(chat_format: str) -> str:
    """In which format a prompt was written, in the engine's words, which tell why."""
    return f"The chat format in use is {chat_format.rstrip('.')}."


def draft_tokens(tokens: int, context_size: int) -> str:
    """How large the draft is."""
    size = f" of {context_size:,}" if context_size else ""
    return _count(tokens, "token") + size


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def receipt(stopped: Stopped) -> str:
    """The receipt of a Stop."""
    if stopped.overdue:
        return (
            f"last stop: the engine did not answer, so it was ended after "
            f"{stopped.latency_ms:.0f} ms{_STOPPED_WHILE[stopped.phase]}"
        )
    ended = "engine ended" if stopped.killed else "engine idle"
    return f"last stop: {stopped.latency_ms:.0f} ms{_STOPPED_WHILE[stopped.phase]}, {ended}"
