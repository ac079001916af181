"""The fields of Sampling as the user meets them: standard names, plain words, limits."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from actors.sampling import Sampling
from tkinfer.tuning.fields import NumberField

_MOST_TOKENS = 10_000_000
_LAST_SEED = 2**32 - 2
"""llama.cpp takes 2^32 - 1 for "draw one"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchField:
    """A value that is on or off."""

    name: str
    label: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsField:
    """Short texts, one a line."""

    name: str
    label: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Fields that belong together."""

    label: str
    fields: tuple[NumberField | SwitchField | TextsField, ...]


def _number(
    name: str,
    label: str,
    text: str,
    low: float,
    high: float,
    *,
    slider: tuple[float, float] | None = None,
    empty: str = "",
) -> NumberField:
    whole = all(isinstance(end, int) for end in (low, high))
    return NumberField(
        name=name,
        label=label,
        help=text,
        low=low,
        high=high,
        whole=whole,
        slider=slider,
        empty=empty,
    )


TEMPERATURE = _number(
    "temperature",
    "Temperature",
    "Higher is more varied; 0 always takes the likeliest token.",
    0.0,
    10.0,
    slider=(0, 2),
)
MAX_TOKENS = _number(
    "max_tokens",
    "Max tokens",
    "The longest answer. Empty: until the context is full.",
    1,
    _MOST_TOKENS,
    empty="no limit",
)
SEED = _number(
    "seed",
    "Seed",
    "The same seed and settings give the same answer. Empty: new each time.",
    0,
    _LAST_SEED,
    empty="random",
)
STOP = TextsField(
    name="stop",
    label="Stop strings",
    help="One a line. Each ends the answer and is left out of it; \\n is a line end.",
)
LOOKUP = SwitchField(
    name="prompt_lookup",
    label="Prompt lookup",
    help="Guesses several tokens at once from the prompt: faster where text is copied. "
    "Only at temperature 0.",
)
ALTERNATIVES = _number(
    "alternatives",
    "Top alternatives",
    "Keep so many of the likeliest tokens for each place; Tokens under the answer shows them. "
    "0 is off.",
    0,
    20,
    slider=(0, 20),
)

_LIST = (
    _number(
        "top_k", "Top-k", "Keep only the k likeliest tokens. 0 is off.", 0, 100_000, slider=(0, 200)
    ),
    _number(
        "top_p",
        "Top-p",
        "Keep the likeliest tokens that together reach p. 1 is off.",
        0.0,
        1.0,
        slider=(0, 1),
    ),
    _number(
        "min_p",
        "Min-p",
        "Drop tokens less likely than this share of the likeliest one. 0 is off.",
        0.0,
        1.0,
        slider=(0, 1),
    ),
    _number(
        "typical_p",
        "Typical-p",
        "Keep tokens that are about as surprising as usual. 1 is off.",
        0.0,
        1.0,
        slider=(0, 1),
    ),
    _number(
        "top_n_sigma",
        "Top-n-sigma",
        "Keep tokens within n standard deviations of the best. -1 is off.",
        -1.0,
        100.0,
        slider=(-1, 5),
    ),
)
_DYNATEMP = (
    _number(
        "dynatemp_range",
        "Dynatemp range",
        "The temperature moves so far around its value, with how sure the model is. 0 is off.",
        0.0,
        10.0,
        slider=(0, 2),
    ),
    _number(
        "dynatemp_exponent",
        "Dynatemp exponent",
        "How uncertainty turns into temperature. 1 is even.",
        0.0,
        10.0,
        slider=(0, 4),
    ),
)
_XTC = (
    _number(
        "xtc_probability",
        "XTC probability",
        "How often the likeliest choices are skipped, for less usual text. 0 is off.",
        0.0,
        1.0,
        slider=(0, 1),
    ),
    _number(
        "xtc_threshold",
        "XTC threshold",
        "Only tokens at least this likely are skipped. Above 0.5 does nothing.",
        0.0,
        1.0,
        slider=(0, 0.5),
    ),
)
_MIROSTAT = (
    SwitchField(
        name="mirostat",
        label="Mirostat 2",
        help="Holds the surprise of the text even. Takes the place of top-k to XTC.",
    ),
    _number(
        "mirostat_tau",
        "Mirostat tau",
        "The surprise to hold. Lower is more focused.",
        0.0,
        100.0,
        slider=(0, 10),
    ),
    _number(
        "mirostat_eta",
        "Mirostat eta",
        "How fast it follows. 0.1 is usual.",
        0.0,
        1.0,
        slider=(0, 1),
    ),
)
_PENALTIES = (
    _number(
        "repeat_penalty",
        "Repeat penalty",
        "Makes tokens of the recent text less likely. 1 is off.",
        0.01,
        10.0,
        slider=(1, 2),
    ),
    _number(
        "repeat_last_n",
        "Repeat last n",
        "The penalties look back so many tokens; -1: the whole context. 0 is off.",
        -1,
        _MOST_TOKENS,
        slider=(0, 512),
    ),
    _number(
        "presence_penalty",
        "Presence penalty",
        "Against tokens that have come at all. 0 is off.",
        -10.0,
        10.0,
        slider=(-2, 2),
    ),
    _number(
        "frequency_penalty",
        "Frequency penalty",
        "Against tokens by how often they have come. 0 is off.",
        -10.0,
        10.0,
        slider=(-2, 2),
    ),
)
_DRY = (
    _number(
        "dry_multiplier",
        "DRY multiplier",
        "Against repeating whole sequences. 0 is off; 0.8 is usual.",
        0.0,
        100.0,
        slider=(0, 5),
    ),
    _number(
        "dry_base", "DRY base", "How steeply longer repeats cost more.", 1.0, 10.0, slider=(1, 4)
    ),
    _number(
        "dry_allowed_length",
        "DRY allowed length",
        "Repeats up to so many tokens are free.",
        1,
        1_000,
        slider=(1, 20),
    ),
    _number(
        "dry_penalty_last_n",
        "DRY last n",
        "Looks back so many tokens; -1: the whole context. 0 is off.",
        -1,
        _MOST_TOKENS,
    ),
    TextsField(
        name="dry_sequence_breakers",
        label="DRY sequence breakers",
        help="One a line; a repeat is not followed across them. \\n is a line end.",
    ),
)

GROUPS = (
    Group(label="Which tokens come into question", fields=_LIST),
    Group(label="Dynamic temperature", fields=_DYNATEMP),
    Group(label="Exclude top choices (XTC)", fields=_XTC),
    Group(label="Penalties", fields=_PENALTIES),
    Group(label="Don't repeat yourself (DRY)", fields=_DRY),
    Group(label="Mirostat", fields=_MIROSTAT),
)
"""All that stands in the fold of all samplers, but for the parts with an editor of their own."""

SAMPLER_FIELDS = frozenset(
    ["temperature", *(field.name for group in GROUPS for field in group.fields)]
)
"""How a token is chosen. The other fields say where an answer ends and what form it has."""

NUMBERS: Mapping[str, NumberField] = {
    field.name: field
    for field in (
        *(TEMPERATURE, MAX_TOKENS, SEED, ALTERNATIVES),
        *(field for group in GROUPS for field in group.fields),
    )
    if isinstance(field, NumberField)
}


def changed(sampling: Sampling) -> frozenset[str]:
    """The names of the fields that differ from the defaults."""
    default = Sampling()
    return frozenset(
        field.name
        for field in fields(Sampling)
        if getattr(sampling, field.name) != getattr(default, field.name)
    )
