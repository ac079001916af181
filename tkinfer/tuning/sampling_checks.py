"""What the longer values of Sampling may be: biases, stop strings, grammars and JSON schemas."""

import json

from actors.sampling import BAN
from tkinfer.tuning.fields import FieldError, NumberField

MAX_TEXTS = 64
"""Stop strings, sequence breakers or biases: each is compared with every token."""
MAX_TEXT = 1_000
MAX_GRAMMAR = 100_000
MOST_BIAS = 100.0

BIAS = NumberField(name="bias", label="Bias", help="", low=-MOST_BIAS, high=MOST_BIAS)
BAN_WORD = "ban"


def read_bias(text: str) -> float:
    """A bias as it is typed: a number, or the word that forbids the token.

    Raises:
        FieldError: it is neither.
    """
    if text.strip().casefold() in (BAN_WORD, "-inf"):
        return BAN
    try:
        value = BIAS.read(text)
    except FieldError as error:
        msg = f"Use a number from -{MOST_BIAS:.0f} to {MOST_BIAS:.0f}, or “{BAN_WORD}”."
        raise FieldError(msg) from error
    assert value is not None
    return value


def shown_bias(bias: float) -> str:
    """The text of a bias, which `read_bias` gives back."""
    return BAN_WORD if bias == BAN else BIAS.shown(bias)


def check_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Stop strings or breakers that can be used.

    Raises:
        FieldError: there are too many, or one is too long.
    """
    if len(texts) > MAX_TEXTS:
        msg = f"At most {MAX_TEXTS} lines can be used; these are {len(texts):,}."
        raise FieldError(msg)
    if max(map(len, texts), default=0) > MAX_TEXT:
        msg = f"A line has at most {MAX_TEXT:,} characters."
        raise FieldError(msg)
    return texts


def check_grammar(text: str) -> str:
    """A grammar that is worth sending; the engine itself says whether it can be used.

    Raises:
        FieldError: it is too long, or has no rule to begin with.
    """
    _check_length(text)
    if text.strip() and not any(
        line.partition("::=")[0].strip() == "root" for line in text.splitlines() if "::=" in line
    ):
        msg = "A grammar begins with its rule “root ::= …”."
        raise FieldError(msg)
    return text


def check_schema(text: str) -> str:
    """A JSON schema, as far as it can be told without the engine.

    Raises:
        FieldError: it is no JSON, or no schema.
    """
    _check_length(text)
    if not text.strip():
        return text
    try:
        schema: object = json.loads(text)
    except RecursionError as error:
        msg = "This is nested too deeply."
        raise FieldError(msg) from error
    except json.JSONDecodeError as error:
        msg = f"No JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        raise FieldError(msg) from error
    except ValueError as error:  # a number of thousands of digits
        msg = f"No JSON: {error}."
        raise FieldError(msg) from error
    if not isinstance(schema, dict | bool):
        msg = 'A JSON schema is an object, such as {"type": "object"}.'
        raise FieldError(msg)
    return text


def _check_length(text: str) -> None:
    if len(text) > MAX_GRAMMAR:
        msg = f"At most {MAX_GRAMMAR:,} characters can be used; these are {len(text):,}."
        raise FieldError(msg)
