import json
from typing import Any

import pytest

from tkinfer.engines.llama.pattern import UnusablePatternError, json_safe
from tkinfer.engines.llama.schema import UnusableSchemaError, to_gbnf

ANY = {"type": ["object", "array", "string", "number", "boolean", "null"]}
TEXT = {"type": "string"}


def plain(schema: Any) -> Any:
    """What the binding's converter is given."""
    return json.loads(to_gbnf(json.dumps(schema), lambda text: text))


def test_notes_are_left_out_and_unknown_formats_too() -> None:
    assert plain({"title": "T", "description": "d", "type": "string", "format": "email"}) == TEXT


@pytest.mark.parametrize("schema", [{}, True, {"description": "anything"}])
def test_no_condition_is_any_value(schema: Any) -> None:
    assert plain(schema) == ANY


def test_the_type_follows_from_the_keywords() -> None:
    assert plain({"properties": {"a": {"type": "null"}}})["type"] == "object"
    assert plain({"items": {"type": "null"}}) == {
        "type": "array",
        "items": {"type": "null"},
        "minItems": 0,
    }
    assert plain({"maxLength": 3}) == {"type": "string", "minLength": 0, "maxLength": 3}


def test_definitions_get_names_of_their_own() -> None:
    node = {"properties": {"next": {"$ref": "#/definitions/node"}, "node": TEXT}}
    schema = {"$ref": "#/definitions/node", "definitions": {"node": node}}
    found = plain(schema)
    assert found["anyOf"] == [{"$ref": "#/$defs/shared-1"}]
    (definition,) = found["$defs"].values()
    assert definition["properties"]["next"] == {"$ref": "#/$defs/shared-1"}


def test_a_pointer_may_lead_anywhere() -> None:
    schema = {"prefixItems": [TEXT, {"$ref": "#/prefixItems/0"}, {"$ref": "#/$defs/a~1b"}]}
    found = plain({**schema, "$defs": {"a/b": {"type": "null"}}})
    assert found["$defs"] == {"shared-1": TEXT, "shared-2": {"type": "null"}}


def test_one_of_is_any_of_and_one_all_of_is_that_one() -> None:
    assert plain({"oneOf": [TEXT, {"type": "null"}]}) == {"anyOf": [TEXT, {"type": "null"}]}
    assert plain({"allOf": [TEXT], "description": "d"}) == TEXT


def test_other_properties_may_be_allowed() -> None:
    assert plain({"type": "object", "additionalProperties": True})["additionalProperties"] == ANY
    closed = plain({"properties": {"a": TEXT}, "additionalProperties": False})
    assert "additionalProperties" not in closed


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ([], "# must be an object, not []"),
        (False, "# must be an object, not false"),
        ({"type": "text"}, '#/type is "text"'),
        ({"type": "integer", "minimum": 1}, "# uses 'minimum'"),
        ({"properties": {"a": {"not": {}}}}, "#/properties/a uses 'not'"),
        ({"enum": []}, "#/enum must be a list with something in it"),
        ({"anyOf": [TEXT], "properties": {}}, "# uses 'properties'"),
        ({"allOf": [TEXT, TEXT]}, "# uses 'allOf'"),
        ({"type": "object", "required": ["a"]}, "requires 'a', which is none of its properties"),
        ({"type": "string", "maxLength": 5, "pattern": "^a$"}, "# uses 'maxLength'"),
        ({"type": "string", "maxLength": 5000}, "#/maxLength is 5000; it must be 0 to 1000"),
        ({"type": "string", "minLength": "a"}, '#/minLength is "a"'),
        ({"items": TEXT, "minItems": 3, "maxItems": 2}, "#/maxItems is 2, less than minItems, 3"),
        ({"prefixItems": [TEXT], "minItems": 2}, "# has 1 items"),
        ({"$ref": "http://example.org/s.json"}, "#/$ref must begin with '#/'"),
        ({"$ref": "#/nowhere"}, "#/nowhere is nowhere in it"),
        ({"type": "string", "pattern": "a"}, "#/pattern must begin with ^ and end with $"),
        ({"type": ["string", "null"], "maxLength": 3}, "# uses 'maxLength'"),
    ],
)
def test_what_cannot_be_made_sure_is_refused_with_its_place(schema: Any, words: str) -> None:
    with pytest.raises(UnusableSchemaError) as caught:
        plain(schema)
    assert words in str(caught.value)


def test_a_schema_nested_without_end_is_refused() -> None:
    text = '{"items":' * 3000 + "{}" + "}" * 3000
    with pytest.raises(UnusableSchemaError, match="nested too deep"):
        to_gbnf(text, lambda text: text)


def test_what_the_converter_raises_is_named() -> None:
    def convert(_: str) -> str:
        return {}["cause"]

    with pytest.raises(UnusableSchemaError, match=r"into a grammar \(KeyError: 'cause'\)"):
        to_gbnf("{}", convert)


@pytest.mark.parametrize(
    ("pattern", "safe"),
    [
        ("^abc$", "^(abc)$"),
        ("^a|b$", "^(a|b)$"),
        (r"^\d{4}-\w+\s$", "^([0-9]{4}-[a-zA-Z0-9_]+[ ])$"),
        (r"^a\.b\+$", r"^(a[\x2E]b[\x2B])$"),
        ("^(?:x|y)?$", "^((x|y)?)$"),
        (r"^[\d.\-]+$", r"^([0-9.\x2D]+)$"),
        ("^[^,]*$", r'^([^"\\\x00-\x1F\x7F\uD800-\uDFFF\U00110000-\U001FFFFF,]*)$'),
        ("^.*$", "^(.*)$"),
    ],
)
def test_a_pattern_in_the_words_of_gbnf(pattern: str, safe: str) -> None:
    assert json_safe(pattern) == safe


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("^a(b$", "is no regular expression"),
        ("abc", "must begin with ^"),
        (r"^a\$", "must begin with ^"),
        ("^a$|^b$", "in its middle"),
        ('^"$', "another way"),
        (r"^\\$", r"uses \\"),
        (r"^a\b$", r"uses \b"),
        ("^[ -~]+$", "asks with [ -~]"),
        ("^a\tb$", "another way"),
        (7, "must be a text"),
    ],
)
def test_a_pattern_that_cannot_be_followed_in_a_json_string(pattern: object, words: str) -> None:
    with pytest.raises(UnusablePatternError) as caught:
        json_safe(pattern)
    assert words in str(caught.value)
