"""Sampling: how the next token is chosen. Names and neutral values are llama.cpp's own."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

BAN = float("-inf")
"""As a bias: the token never comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBias:
    """Added to the logit of the tokens of this text, -100 to 100; BAN forbids them.

    These are the tokens that are the whole text, with and without a space in front. BAN also takes
    them with a capital first letter. If there is no such token, the text stands for its first one,
    with and without a space in front: other texts may begin with it too. The text of a control
    token stands for that.
    """

    text: str
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How tokens are chosen, and where an answer ends.

    A temperature of 0 always takes the likeliest. Each field's neutral value, with which its
    sampler is left out, stands beside it; RANGES holds what is allowed.
    """

    temperature: float = 0.7
    dynatemp_range: float = 0.0
    """The temperature moves so far around its value with the entropy; 0 is off."""
    dynatemp_exponent: float = 1.0
    top_k: int = 40
    """0 is off."""
    top_p: float = 0.95
    """1 is off."""
    min_p: float = 0.05
    """0 is off."""
    typical_p: float = 1.0
    """1 is off."""
    top_n_sigma: float = -1.0
    """0 and below is off."""
    xtc_probability: float = 0.0
    """0 is off."""
    xtc_threshold: float = 0.1
    """Above 0.5 is off."""
    dry_multiplier: float = 0.0
    """0 is off."""
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_penalty_last_n: int = -1
    """-1 looks back over the whole context, 0 is off."""
    dry_sequence_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    mirostat: bool = False
    """Mirostat 2 in place of all that cuts the list (top-k to XTC)."""
    mirostat_tau: float = 5.0
    mirostat_eta: float = 0.1
    repeat_penalty: float = 1.0
    """1 is off."""
    repeat_last_n: int = 64
    """For all three penalties; -1 looks back over the whole context, 0 is off."""
    presence_penalty: float = 0.0
    """0 is off."""
    frequency_penalty: float = 0.0
    """0 is off."""
    logit_bias: tuple[TokenBias, ...] = ()
    grammar: str = ""
    """GBNF; the answer follows it from its first token on."""
    json_schema: str = ""
    """JSON text; excludes `grammar`."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer, and are not part of it."""
    seed: int | None = None
    """None draws a new seed for each answer; of a number, the lowest 32 bits count."""
    max_tokens: int | None = None
    """None lets the answer grow until the context is full."""
    prompt_lookup: bool = False
    """Guess several tokens at once from what prompt and answer said before; the tokens chosen are
    the same as without. It pays where an answer copies."""
    alternatives: int = 0
    """Report the probabilities of so many likeliest tokens with each piece."""


MOST_BIAS: Final = 100.0
RANGES: Final[dict[str, tuple[float, float]]] = {
    "temperature": (0, 10),
    "dynatemp_range": (0, 10),
    "dynatemp_exponent": (0, 10),
    "top_k": (0, 1_000_000),
    "top_p": (0, 1),
    "min_p": (0, 1),
    "typical_p": (0, 1),
    "top_n_sigma": (-1, 100),
    "xtc_probability": (0, 1),
    "xtc_threshold": (0, 1),
    "dry_multiplier": (0, 100),
    "dry_base": (1, 10),
    "dry_allowed_length": (1, 1000),
    "dry_penalty_last_n": (-1, 10_000_000),
    "mirostat_tau": (0, 100),
    "mirostat_eta": (0, 1),
    "repeat_penalty": (0.01, 10),
    "repeat_last_n": (-1, 10_000_000),
    "presence_penalty": (-10, 10),
    "frequency_penalty": (-10, 10),
    "alternatives": (0, 100),
}
"""The lowest and highest value allowed of each number; what llama.cpp bears, and makes sense."""
WHOLE: Final = frozenset(
    {
        "top_k",
        "dry_allowed_length",
        "dry_penalty_last_n",
        "repeat_last_n",
        "seed",
        "max_tokens",
        "alternatives",
    }
)
"""The fields that count something, so that a fraction makes no sense."""


def problems(sampling: Sampling) -> list[str]:
    """What is wrong with these settings, each naming field, value and what is allowed.

    Whether a grammar or schema is right, only the engine can say.
    """
    return [*_out_of_range(sampling), *_unusable_texts(sampling), *_contradictions(sampling)]


def _out_of_range(sampling: Sampling) -> Iterator[str]:
    for name, (low, high) in RANGES.items():
        value = getattr(sampling, name)
        if not low <= value <= high:  # of NaN, too
            yield f"{name} is {value:g}; it must be {low:g} to {high:g}"
        elif name in WHOLE and not isinstance(value, int):
            yield f"{name} is {value:g}; it must be a whole number"
    if sampling.max_tokens is not None and not sampling.max_tokens >= 0:
        yield f"max_tokens is {sampling.max_tokens:g}; it must be 0 or more"
    for name in sorted(WHOLE - RANGES.keys()):
        value = getattr(sampling, name)
        if not isinstance(value, int | None):
            yield f"{name} is {value:g}; it must be a whole number"


def _unusable_texts(sampling: Sampling) -> Iterator[str]:
    for bias in sampling.logit_bias:
        if not bias.text:
            yield "logit_bias has an empty text; it must be the text of a token"
        if bias.bias != BAN and not -MOST_BIAS <= bias.bias <= MOST_BIAS:
            allowed = f"{-MOST_BIAS:g} to {MOST_BIAS:g}, or a ban"
            yield f"logit_bias of {bias.text!r} is {bias.bias:g}; it must be {allowed}"
    for name in ("stop", "dry_sequence_breakers"):
        if "" in getattr(sampling, name):
            yield f"{name} has an empty text; it must be at least one character"
    if any("\0" in text for text in sampling.dry_sequence_breakers):
        # C would take the text to end there.
        yield "dry_sequence_breakers has a text with a NUL character; it must be without"


def _contradictions(sampling: Sampling) -> Iterator[str]:
    if sampling.grammar and sampling.json_schema:
        yield "grammar and json_schema are both set; it must be one of them"
