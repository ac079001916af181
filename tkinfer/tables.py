"""Arrays of tables in the settings file, for what is remembered under names of any script."""

from typing import Any, cast

Table = dict[str, Any]
"""A table of the settings file."""

MAX_MODELS = 50
"""So many models are remembered; the one not tuned for longest goes first."""
MAX_PRESETS = 200
MAX_TEXT = 200_000
"""Characters of a system prompt or chat template. The largest templates in use have some 30,000."""


def usable_tables(value: object, key: str, most: int) -> list[Table]:
    """The tables of an array of the settings file that have a text under `key`."""
    if not isinstance(value, list):
        return []
    rows = cast("list[object]", value)
    tables = [cast("Table", row) for row in rows if isinstance(row, dict)]
    return [table for table in tables if isinstance(table.get(key), str)][:most]


def encodable(text: str) -> bool:
    """Whether TOML, which is UTF-8, can hold this text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
