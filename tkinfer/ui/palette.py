"""Palettes: the colours of each appearance, read from assets/palettes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast

from tkinfer.paths import asset


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by use, each as `#rrggbb`; the groups are those of the TOML files."""

    name: str
    dark: bool
    ground: Mapping[str, str]
    text: Mapping[str, str]
    line: Mapping[str, str]
    accent: Mapping[str, str]
    danger: Mapping[str, str]
    code: Mapping[str, str]
    """What the highlighter tells apart."""


@cache
def load(name: str) -> Palette:
    """Read `assets/palettes/NAME.toml`."""
    table = tomllib.loads(asset(f"palettes/{name}.toml").read_text(encoding="utf-8"))

    def group(key: str) -> Mapping[str, str]:
        return cast("Mapping[str, str]", table[key])

    return Palette(
        name=name,
        dark=bool(table["dark"]),
        ground=group("ground"),
        text=group("text"),
        line=group("line"),
        accent=group("accent"),
        danger=group("danger"),
        code=group("code"),
    )
