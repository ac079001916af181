"""What is remembered of a model: sampling, chat format and load options, by its file's path.

In the settings file each model is a table of an array, with its path as a value: a path of any
script, with dots, quotes or braces, is never part of a key. Only what differs from the defaults is
written. What a file holds that can't be used is left out when it is read, value by value.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, TypeVar, cast

from actors.engine import PromptFormat
from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Lora, Switch
from actors.sampling import BAN, Sampling, TokenBias
from tkinfer.tables import MAX_MODELS, MAX_TEXT, Table, encodable
from tkinfer.tuning import load_fields, sampling_fields
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.sampling_checks import (
    BIAS,
    MAX_TEXTS,
    check_grammar,
    check_schema,
    check_texts,
)

_Data = TypeVar("_Data", Sampling, PromptFormat, LoadSpec)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Everything that is tuned per model. The path of `load` is empty."""

    sampling: Sampling = field(default_factory=Sampling)
    preset: str = ""
    """The preset chosen last; empty for none."""
    format: PromptFormat = field(default_factory=PromptFormat)
    template_draft: str = ""
    """A template that was typed and can't be used, or not yet."""
    load: LoadSpec = field(default_factory=lambda: LoadSpec(path=""))


DEFAULTS = ModelSettings()


class ModelMemory:
    """The settings of many models, newest first, in a list that belongs to the settings file."""

    def __init__(self, tables: list[Table]) -> None:
        self._tables = tables
        self._known: dict[str, ModelSettings] = {}
        """Those used since the program began; also of paths that UTF-8 can't hold, and of none."""

    def get(self, path: str) -> ModelSettings:
        """What is remembered of this file; the defaults if nothing is."""
        if path not in self._known:
            empty: Table = {}
            tables = (table for table in self._tables if table.get("path") == path)
            self._known[path] = from_table(next(tables, empty))
        return self._known[path]

    def put(self, path: str, settings: ModelSettings) -> bool:
        """Remember; False if that is only until the program ends."""
        self._known[path] = settings
        if not path or not encodable(path):
            return False
        others = [table for table in self._tables if table.get("path") != path]
        newest = [] if settings == DEFAULTS else [{"path": path, **to_table(settings)}]
        self._tables[:] = [*newest, *others][:MAX_MODELS]
        return True


def to_table(settings: ModelSettings) -> Table:
    """As it is written; `from_table` gives it back."""
    table: Table = {}
    for name, data, default in (
        ("sampling", settings.sampling, DEFAULTS.sampling),
        ("format", settings.format, DEFAULTS.format),
        ("load", settings.load, DEFAULTS.load),
    ):
        if part := differing(data, default):
            table[name] = part
    if settings.preset:
        table["preset"] = settings.preset
    if settings.template_draft:
        table["template_draft"] = settings.template_draft
    return table


def from_table(table: Mapping[str, object]) -> ModelSettings:
    """What can be used of a table."""
    return ModelSettings(
        sampling=read_sampling(table.get("sampling")),
        preset=_text(table.get("preset")) or "",
        format=_read(DEFAULTS.format, table.get("format"), _FORMAT_READERS),
        template_draft=(_text(table.get("template_draft")) or "")[:MAX_TEXT],
        load=_read(DEFAULTS.load, table.get("load"), _LOAD_READERS),
    )


def read_sampling(value: object) -> Sampling:
    """What can be used of a table of sampling."""
    sampling = _read(DEFAULTS.sampling, value, _SAMPLING_READERS)
    return replace(sampling, json_schema="") if sampling.grammar else sampling


def differing(data: Sampling | PromptFormat | LoadSpec, default: object) -> Table:
    """The values that differ from the default's, as TOML can hold them."""
    return {
        one.name: _plain(getattr(data, one.name))
        for one in fields(data)
        if getattr(data, one.name) != getattr(default, one.name)
    }


def complete(sampling: Sampling) -> Table:
    """All the values but those that are None, which TOML has no word for."""
    values = {one.name: getattr(sampling, one.name) for one in fields(sampling)}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: object) -> object:
    """TOML's form of a value; an enumeration is a text already."""
    if isinstance(value, TokenBias):
        return {"text": _plain(value.text), "bias": value.bias}
    if isinstance(value, Lora):
        return {"path": value.path, "scale": value.scale}
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        return [_plain(part) for part in parts if not _unwritable(part)]
    if isinstance(value, str):  # enumerations too; TOML is UTF-8, which has no lone surrogates
        return str(value).encode("utf-8", "replace").decode("utf-8")
    return value


def _unwritable(value: object) -> bool:
    """A file whose name UTF-8 can't hold: with another letter in it, it would be another file."""
    return isinstance(value, Lora) and not encodable(value.path)


_Reader = Callable[[Any], Any]
"""Turns a value of the file into one of the data class. Raises if it can't be used."""


def _read(default: _Data, value: object, readers: Mapping[str, _Reader]) -> _Data:
    if not isinstance(value, dict):
        return default
    table = cast("Mapping[str, object]", value)
    usable: dict[str, Any] = {}
    for name, reader in readers.items():
        if name in table:
            with contextlib.suppress(FieldError, ValueError, TypeError):
                usable[name] = reader(table[name])
    return replace(default, **usable)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _needed_text(value: object) -> str:
    if not isinstance(value, str):
        msg = "no text"
        raise TypeError(msg)
    return value


def _limited(value: object) -> str:
    text = _needed_text(value)
    if len(text) > MAX_TEXT:
        msg = "too long"
        raise ValueError(msg)
    return text


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        msg = "neither on nor off"
        raise TypeError(msg)
    return value


def _texts(value: object) -> tuple[str, ...]:
    return check_texts(tuple(filter(None, map(_needed_text, _items(value)))))


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        msg = "no array"
        raise TypeError(msg)
    return cast("list[object]", value)


def _rows(value: object, most: int) -> Iterable[Mapping[str, object]]:
    rows = [cast("Mapping[str, object]", row) for row in _items(value) if isinstance(row, dict)]
    return rows[:most]


def _biases(value: object) -> tuple[TokenBias, ...]:
    biases: list[TokenBias] = []
    for row in _rows(value, MAX_TEXTS):
        with contextlib.suppress(FieldError, TypeError):
            (text,) = check_texts((_needed_text(row.get("text")),))
            bias = row.get("bias")
            number = BAN if bias == BAN else BIAS.accept(bias)
            if text and number is not None:
                biases.append(TokenBias(text=text, bias=number))
    return tuple(biases)


def _loras(value: object) -> tuple[Lora, ...]:
    loras: list[Lora] = []
    for row in _rows(value, load_fields.MAX_LORAS):
        with contextlib.suppress(FieldError, TypeError):
            path = _needed_text(row.get("path"))
            scale = load_fields.LORA_SCALE.accept(row.get("scale", 1.0))
            if path and scale is not None:
                loras.append(Lora(path=path, scale=scale))
    return tuple(loras)


def _layers(value: object) -> int | None:
    if value == ALL_LAYERS:
        return ALL_LAYERS
    layers = load_fields.GPU_LAYERS.accept(value)
    return None if layers is None else int(layers)


def _readers(data: type[Sampling | LoadSpec], known: Mapping[str, _Reader]) -> dict[str, _Reader]:
    """Those given, and for all other fields that are on or off the one for a flag."""
    flags = {one.name: _flag for one in fields(data) if isinstance(one.default, bool)}
    missing = {one.name for one in fields(data) if one.default is not MISSING}
    missing -= known.keys() | flags.keys()
    assert not missing, missing
    return {**flags, **known}


_SAMPLING_READERS: Mapping[str, _Reader] = _readers(
    Sampling,
    {
        **{name: number.accept for name, number in sampling_fields.NUMBERS.items()},
        "dry_sequence_breakers": _texts,
        "stop": _texts,
        "logit_bias": _biases,
        "grammar": lambda value: check_grammar(_needed_text(value)),
        "json_schema": lambda value: check_schema(_needed_text(value)),
    },
)
_FORMAT_READERS: Mapping[str, _Reader] = {
    "template": _limited,
    "override": _limited,
    "thinking": _flag,
}
_LOAD_READERS: Mapping[str, _Reader] = _readers(
    LoadSpec,
    {
        **{name: number.accept for name, number in load_fields.NUMBERS.items()},
        "gpu_layers": _layers,
        "device": _limited,
        "cache_type": CacheType,
        "flash_attention": Switch,
        "repack": Switch,
        "swa_full": Switch,
        "loras": _loras,
    },
)
