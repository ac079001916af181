"""Sampling: how the next token is chosen. Names and neutral values are llama.cpp's own."""

from dataclasses import dataclass

BAN = float("-inf")
"""As a bias: the token never comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBias:
    """Added to the logit of every token of this text; BAN forbids them.

    A text that is one token is that token; a longer one stands for its first token, with and
    without a space in front.
    """

    text: str
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How tokens are chosen, and where an answer ends.

    A temperature of 0 always takes the likeliest. Each field's neutral value, with which its sampler is left out, stands beside it.
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
    """Below 0 is off."""
    xtc_probability: float = 0.0
    """0 is off."""
    xtc_threshold: float = 0.1
    dry_multiplier: float = 0.0
    """0 is off."""
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_penalty_last_n: int = -1
    """-1 looks back over the whole context."""
    dry_sequence_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    mirostat: bool = False
    """Mirostat 2 in place of all that cuts the list (top-k to XTC)."""
    mirostat_tau: float = 5.0
    mirostat_eta: float = 0.1
    repeat_penalty: float = 1.0
    """1 is off."""
    repeat_last_n: int = 64
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: tuple[TokenBias, ...] = ()
    grammar: str = ""
    """GBNF; the answer follows it from its first token on."""
    json_schema: str = ""
    """JSON text; excludes `grammar`."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer, and are not part of it."""
    seed: int | None = None
    """None draws a new seed for each answer."""
    max_tokens: int | None = None
    """None lets the answer grow until the context is full."""
    prompt_lookup: bool = False
    """Guess several tokens at once from what the prompt says; only with temperature 0."""
    alternatives: int = 0
    """Report the probabilities of so many likeliest tokens with each piece."""
