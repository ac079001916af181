"""LaTeX's words that models use in formulae and the library does not know, or shows badly."""

import re
from typing import Final

FRACTIONS: Final = ("frac", "dfrac", "tfrac", "cfrac")
CHOICES: Final = ("binom", "dbinom", "tbinom")

_PLAIN: Final = ("mathbf", "mathit", "mathcal", "mathsf", "mathtt", "mathrm", "boldsymbol", "bm")
"""Their letters are outside of the fonts that most people have."""
_FRAMES: Final = ("operatorname", "mathop", "mathrel", "mathbin", "boxed", "fbox", "cancel", "ce")
_BRACES: Final = ("underbrace", "overbrace")
_SILENT: Final = ("displaystyle", "textstyle", "limits", "nolimits", "nonumber", "notag")
_SIGNS: Final = {
    "implies": "⟹",
    "impliedby": "⟸",
    "iff": "⟺",
    "|": "‖",
    "coloneqq": "≔",
    "degree": "°",
    "bmod": " mod ",
    "gets": "←",
    "lVert": "‖",
    "rVert": "‖",
    "dotsc": "…",
    "dotsb": "⋯",
    "land": "∧",
    "lor": "∨",  # noqa: RUF001 - what formulae hold
    "lnot": "¬",
    "qed": "∎",
    "blacksquare": "■",
    "square": "□",
    "Box": "□",
    "checkmark": "✓",
    "ne": "≠",
    **{name: name for name in ("arg", "argmin", "argmax", "Pr", "tr", "rank", "sgn")},
}

SHOWN: Final[dict[str, str]] = {
    **dict.fromkeys((*_PLAIN, *_FRAMES, *_BRACES), "%s"),
    **dict.fromkeys(_SILENT, ""),
    **_SIGNS,
    "tag": " (%s)",
    "pmod": " (mod %s)",
    "label": "%.0s",
    "hspace": " %.0s",
    "color": "%.0s",
    "textcolor": "%.0s%s",
    "colorbox": "%.0s%s",
    "stackrel": "%.0s%s",
    "overset": "%.0s%s",
    "underset": "%.0s%s",
    "xrightarrow": "→%.0s",
    "xleftarrow": "←%.0s",
}
"""How each is shown: with its arguments in the places of %s, without those of %.0s."""
ARGUMENTS: Final = {name: shown.count("%") for name, shown in SHOWN.items() if "%" in shown}
_SIZES: Final = re.compile(
    r"(?<!\\)\\(?:(?:left|right)(?![a-zA-Z])\s*\.?|(?:middle|[bB]igg?[lrm]?)(?![a-zA-Z]))\s*"
)


def without_sizes(source: str) -> str:
    """The formula without the words that make brackets grow."""
    return _SIZES.sub("", source)
