"""From a JSON schema to a GBNF grammar, by the binding's converter, with its gaps closed.

The converter of llama-cpp-python 0.3.36 (`llama_cpp/llama_grammar.py`) passes over keywords that it
doesn't know, and over those beside `$ref`, `anyOf`, `enum` and their like: the answer would not fit
the schema. Such a schema is refused here, naming the keyword and its place. Besides:

- a string could hold a line break or a quote as they are, or bytes that are no characters;
- a definition and a property of the same name could be taken for each other: definitions are given
  names of their own;
- a quote, a backslash, a line break or an emoji in a name or a value came out wrong, and a name
  such as `date_time` could be taken for a rule of the converter's own: all but the plainest texts
  are spelled here, and put into the finished grammar;
- where properties that may be left out are followed by others with any name, there was no comma
  between them;
- `{}` and `true` would mean an object, where the schema means any value.

It writes the properties that are required first, then the others, each in the schema's order.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final, cast

from tkinfer.engines.llama.pattern import UnusablePatternError, json_safe

MOST_REPEATED: Final = 1000
"""For minLength to maxItems: each number is as many nested groups in the grammar."""

_ABOUT: Final = ("title", "description", "default", "example", "examples", "$comment")
_MARKS: Final = ("deprecated", "readOnly", "writeOnly")
_NAMES: Final = ("$schema", "$id", "id", "$anchor", "$defs", "definitions")
_NOTES: Final = frozenset((*_ABOUT, *_MARKS, *_NAMES))
"""Keywords that ask for nothing by themselves."""
_FORMATS: Final = frozenset(
    ("date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5")
)
_ANY: Final = {"type": ["object", "array", "string", "number", "boolean", "null"]}
_TYPES: Final = frozenset([*_ANY["type"], "integer"])
_TYPE_OF: Final = {
    **dict.fromkeys(("properties", "required", "additionalProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems"), "array"),
    **dict.fromkeys(("pattern", "minLength", "maxLength"), "string"),
}
_CHARACTER: Final = r'[^"\\] | "\\" ('
_JSON_CLASS: Final = r"[\x20-\x21\x23-\x5B\x5D-\x7E\u0080-\uD7FF\uE000-\U0010FFFF]"
_JSON_CHARACTER: Final = _JSON_CLASS + r' | "\\" ('
_DOT: Final = r"dot ::= [^\x0A\x0D]"
_JSON_DOT: Final = f"dot ::= {_JSON_CLASS}"
_OTHERS: Final = re.compile(r"^(\S+-rest\d* ::= )(\S*additional-kvs\d*)$", re.MULTILINE)
_PLAIN_TEXT: Final = re.compile(r"[A-Za-z0-9-]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Schema = dict[str, Any]


class UnusableSchemaError(ValueError):
    """This schema can't be followed. The text says why, and where in it."""


def to_gbnf(text: str, convert: Callable[[str], str]) -> str:
    """A grammar for the JSON texts that fit a schema. `convert` is the binding's converter.

    Raises:
        UnusableSchemaError: it isn't JSON, no schema, or asks for what can't be made sure.
    """
    try:
        plain = _Plain(json.loads(text))
        grammar = plain.spell(convert(json.dumps(plain.schema)))
    except UnusableSchemaError:
        raise
    except json.JSONDecodeError as error:
        what = f"it is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        raise UnusableSchemaError(what) from error
    except RecursionError as error:
        what = "it is nested too deep"
        raise UnusableSchemaError(what) from error
    except Exception as error:  # the converter raises what comes: assertions, KeyError …
        what = f"it can't be turned into a grammar ({type(error).__name__}: {error})"
        raise UnusableSchemaError(what[:300]) from error
    grammar = _OTHERS.sub(r'\1( "," space \2 )?', grammar)
    return grammar.replace(_CHARACTER, _JSON_CHARACTER).replace(_DOT, _JSON_DOT)


class _Plain:
    """A schema in the part of the language that the converter is right about."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._names: dict[str, str] = {}
        self._definitions: Schema = {}
        self._spelled: dict[str, str] = {}
        self._stand_in = _unused(root)
        self.schema = self._plain(root, "#")
        if self._definitions:
            # Below a `$ref` at the top, the converter doesn't see other ones.
            schema = {"anyOf": [self.schema]} if "$ref" in self.schema else self.schema
            self.schema = {**schema, "$defs": self._definitions}

    def spell(self, grammar: str) -> str:
        """A grammar for this schema with the true texts in place of those that stand for them."""
        stand_ins = re.compile(rf'\\"({self._stand_in}\d+)\\"')
        return stand_ins.sub(lambda found: rf"\"{self._spelled[found[1]]}\"", grammar)

    def _text(self, text: str) -> str:
        """A text for the converter: itself where that is safe, else one that stands for it."""
        if _PLAIN_TEXT.fullmatch(text):
            return text
        name = f"{self._stand_in}{len(self._spelled) + 1}"
        self._spelled[name] = _in_literal(text)
        return name

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(one) for one in cast("list[Any]", value)]
        if isinstance(value, dict):
            members = cast("Schema", value).items()
            return {self._text(name): self._value(one) for name, one in members}
        return value

    def _plain(self, schema: Any, place: str) -> Schema:
        if schema is True:
            return dict(_ANY)
        if not isinstance(schema, dict):
            what = f"{place} must be an object, not {json.dumps(schema)[:40]}"
            raise UnusableSchemaError(what)
        given = cast("Schema", schema)
        rest = {key: value for key, value in given.items() if key not in _NOTES}
        if rest.get("format") not in _FORMATS:
            rest.pop("format", None)  # without a meaning of its own, as the standard has it
        plain = self._by_kind(rest, place)
        if rest:
            what = f"{place} uses {next(iter(rest))!r}, which can't be made sure here"
            raise UnusableSchemaError(what)
        return plain

    def _by_kind(self, rest: Schema, place: str) -> Schema:
        """Takes what it uses out of `rest`."""
        if not rest:
            return dict(_ANY)
        if "$ref" in rest:
            return {"$ref": self._reference(rest.pop("$ref"), place)}
        for key in ("oneOf", "anyOf"):
            if key in rest:
                return {"anyOf": self._all(rest.pop(key), f"{place}/{key}")}
        if "allOf" in rest and len(_filled(rest["allOf"], f"{place}/allOf")) == 1:
            return self._plain(rest.pop("allOf")[0], f"{place}/allOf/0")
        for key in ("const", "enum"):
            if key in rest:
                rest.pop("type", None)
                values = rest.pop(key)
                if key == "enum":
                    values = _filled(values, f"{place}/{key}")
                return {key: self._value(values)}
        return self._typed(rest, place)

    def _typed(self, rest: Schema, place: str) -> Schema:
        implied = next((_TYPE_OF[key] for key in rest if key in _TYPE_OF), None)
        kind = rest.pop("type", implied)
        kinds = _filled(kind, f"{place}/type") if isinstance(kind, list) else [kind]
        for name in kinds:
            if name is not None and name not in _TYPES:
                what = f"{place}/type is {json.dumps(name)[:40]}, which JSON doesn't have"
                raise UnusableSchemaError(what)
        if isinstance(kind, list):
            return {"type": kind}
        match kind:
            case "object":
                return self._object(rest, place)
            case "array":
                return self._array(rest, place)
            case "string":
                return self._string(rest, place)
            case None:
                return {}
            case _:
                return {"type": kind}

    def _object(self, rest: Schema, place: str) -> Schema:
        if not rest:
            return {"type": "object"}
        properties: Schema = rest.pop("properties", {})
        names = {name: self._text(name) for name in properties}
        plain: Schema = {
            "type": "object",
            "properties": {
                names[name]: self._plain(value, f"{place}/properties/{name}")
                for name, value in properties.items()
            },
        }
        required = rest.pop("required", [])
        for name in required:
            if name not in properties:
                what = f"{place} requires {name!r}, which is none of its properties"
                raise UnusableSchemaError(what)
        plain["required"] = [names[name] for name in required]
        others = rest.pop("additionalProperties", not properties)
        if others is not False:
            plain["additionalProperties"] = self._plain(others, f"{place}/additionalProperties")
        return plain

    def _array(self, rest: Schema, place: str) -> Schema:
        first = rest.pop("prefixItems", None)
        if first is None and isinstance(rest.get("items"), list):
            first = rest.pop("items")
        least, most = _counts(rest, "minItems", "maxItems", place)
        if first is not None:
            if not least <= len(first) <= (len(first) if most is None else most):
                what = f"{place} has {len(first)} items, which minItems or maxItems forbids"
                raise UnusableSchemaError(what)
            if rest.get("items") is False:
                del rest["items"]
            return {"type": "array", "prefixItems": self._all(first, f"{place}/prefixItems")}
        items = self._plain(rest.pop("items", True), f"{place}/items")
        plain: Schema = {"type": "array", "items": items, "minItems": least}
        return plain if most is None else {**plain, "maxItems": most}

    def _string(self, rest: Schema, place: str) -> Schema:
        if "pattern" in rest:
            try:
                return {"type": "string", "pattern": json_safe(rest.pop("pattern"))}
            except UnusablePatternError as error:
                what = f"{place}/pattern {error}"
                raise UnusableSchemaError(what) from error
        if "format" in rest:
            return {"type": "string", "format": rest.pop("format")}
        if "minLength" not in rest and "maxLength" not in rest:
            return {"type": "string"}
        least, most = _counts(rest, "minLength", "maxLength", place)
        plain: Schema = {"type": "string", "minLength": least}
        return plain if most is None else {**plain, "maxLength": most}

    def _all(self, schemas: Any, place: str) -> list[Schema]:
        return [
            self._plain(one, f"{place}/{number}")
            for number, one in enumerate(_filled(schemas, place))
        ]

    def _reference(self, reference: Any, place: str) -> str:
        if not isinstance(reference, str) or not (reference + "/").startswith("#/"):
            what = f"{place}/$ref must begin with '#/'; other files are not read"
            raise UnusableSchemaError(what)
        if reference not in self._names:
            name = self._names[reference] = f"shared-{len(self._names) + 1}"
            self._definitions[name] = self._plain(self._find(reference), reference)
        return f"#/$defs/{self._names[reference]}"

    def _find(self, reference: str) -> Any:
        """The part of the schema that a JSON pointer (RFC 6901) names."""
        found: Any = self._root
        for part in reference.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key) if isinstance(found, list) else key]
            except (KeyError, IndexError, ValueError, TypeError) as error:
                what = f"{reference} is nowhere in it"
                raise UnusableSchemaError(what) from error
        return found


def _unused(root: Any) -> str:
    """A word that is nowhere in the schema."""
    word, everything = "text", json.dumps(root)
    while word in everything:
        word += "x"
    return word


def _in_literal(text: str) -> str:
    """A text as JSON writes it between its quotes, and that as GBNF writes it between its own."""
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    written = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", written)
    return written.replace("\\", "\\\\").replace('"', '\\"')


def _filled(values: Any, place: str) -> list[Any]:
    if not isinstance(values, list) or not values:
        what = f"{place} must be a list with something in it"
        raise UnusableSchemaError(what)
    return cast("list[Any]", values)


def _counts(rest: Schema, least: str, most: str, place: str) -> tuple[int, int | None]:
    low, high = rest.pop(least, 0), rest.pop(most, None)
    for name, value in ((least, low), (most, high)):
        if value is not None and not (isinstance(value, int) and 0 <= value <= MOST_REPEATED):
            what = f"{place}/{name} is {json.dumps(value)}; it must be 0 to {MOST_REPEATED}"
            raise UnusableSchemaError(what)
    if high is not None and high < low:
        what = f"{place}/{most} is {high}, less than {least}, {low}"
        raise UnusableSchemaError(what)
    return low, high
