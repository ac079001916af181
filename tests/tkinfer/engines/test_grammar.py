import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.engine import ChatMessage, EngineFailed, EngineFinished
from actors.sampling import BAN, Sampling, TokenBias
from actors.turn import EndReason
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.rig import Rig, user
from tests.tkinfer.engines.test_sampling import probe
from tkinfer.engines.llama import gbnf
from tkinfer.errors import EngineError, PromptError

GREEDY = Sampling(temperature=0, max_tokens=200)
VARIED = Sampling(temperature=1.5, top_k=0, top_p=1, min_p=0, max_tokens=600)


@pytest.fixture(scope="module")
def noisy(tiny: Path) -> Iterator[Rig]:
    with Rig() as rig:
        rig.load(tiny)
        yield rig


def follow(rig: Rig, grammar: str, sampling: Sampling = GREEDY, **changes: Any) -> str:
    return rig.answer("Hello", replace(sampling, grammar=grammar, **changes))


def refusal(rig: Rig, sampling: Sampling) -> PromptError:
    failed = rig.failed(rig.start("Hello", sampling))
    assert isinstance(failed.error, PromptError), failed
    assert not failed.model_lost
    return failed.error


# Following a grammar.


@pytest.mark.parametrize("seed", range(6))
def test_yes_or_no(noisy: Rig, seed: int) -> None:
    turn = noisy.start("Hello", replace(VARIED, grammar='root ::= "yes" | "no"', seed=seed))
    assert noisy.finished(turn).reason == EndReason.END_OF_TEXT
    assert noisy.text(turn) in ("yes", "no")


def test_the_end_comes_when_nothing_else_is_allowed(noisy: Rig) -> None:
    turn = noisy.start("Hello", replace(GREEDY, grammar='root ::= "Q"'))
    assert noisy.finished(turn).reason == EndReason.END_OF_TEXT
    assert noisy.text(turn) == "Q"


@pytest.mark.parametrize("text", ["日本é", "🙂", "\\x41\\n"])
def test_characters_of_several_tokens(noisy: Rig, text: str) -> None:
    assert follow(noisy, f'root ::= "{text}"') == text.replace("\\x41\\n", "A\n")


def test_a_grammar_that_the_model_follows_by_itself_changes_nothing(noisy: Rig) -> None:
    plain = noisy.answer("Hello", replace(GREEDY, max_tokens=30))
    assert follow(noisy, "root ::= .*", max_tokens=30) == plain


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"mirostat": True},
        {"xtc_probability": 1, "xtc_threshold": 0.001},
        {"typical_p": 0.5, "top_n_sigma": 1},
        {"repeat_penalty": 1.3, "dry_multiplier": 1},
        {"top_k": 40, "top_p": 0.9, "min_p": 0.05},
        {"temperature": 0},
    ],
    ids=str,
)
def test_it_is_followed_with_every_sampler_and_the_seed_brings_it_back(
    noisy: Rig, changes: dict[str, Any]
) -> None:
    grammar = 'root ::= ([0-9]{2} [A-C]){5,} "." '
    once = follow(noisy, grammar, VARIED, seed=4, **changes)
    assert once == follow(noisy, grammar, VARIED, seed=4, **changes)
    groups, end = once[:-1], once[-1]
    if end == ".":  # else it came to max_tokens
        assert len(groups) % 3 == 0
        assert len(groups) >= 15
    for number, character in enumerate(groups):
        assert character in ("ABC" if number % 3 == 2 else "0123456789")


def test_control_tokens_are_no_text(noisy: Rig) -> None:
    # llama.cpp would take `<|im_start|>` for twelve characters, of which none is shown.
    bias = (TokenBias(text="<|im_start|>", bias=100),)
    assert noisy.answer("Hello", replace(GREEDY, logit_bias=bias, max_tokens=20)) == ""
    assert len(follow(noisy, "root ::= .*", logit_bias=bias, max_tokens=20)) >= 20


def test_the_unknown_token_is_no_text_either(rig: Rig, tmp_path: Path) -> None:
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", spm=True))
    bias = (TokenBias(text="<unk>", bias=100),)
    assert len(follow(rig, "root ::= .*", logit_bias=bias, max_tokens=20)) >= 20


def test_a_grammar_may_ask_for_tokens(noisy: Rig) -> None:
    assert follow(noisy, 'root ::= "Q" <|im_start|> "Z"') == "QZ"


def test_a_dead_end_is_told(noisy: Rig) -> None:
    ban = (TokenBias(text="Q", bias=BAN),)
    turn = noisy.start("Hello", replace(GREEDY, grammar='root ::= "ZQ"', logit_bias=ban))
    failed = noisy.failed(turn)
    assert isinstance(failed.error, EngineError)
    assert "grammar allows no token" in failed.error.what
    assert not failed.model_lost
    assert noisy.text(turn) == "Z"
    assert noisy.answer("Hello", replace(GREEDY, max_tokens=3))


def test_mirostat_learns_only_from_what_the_grammar_allows(tiny: Path) -> None:
    found = probe(tiny, "mirostat")
    assert found["grammar"] == found["banned"]


def test_an_answer_is_gone_on_with_where_the_grammar_was(tiny: Path) -> None:
    found = probe(tiny, "continued")
    assert found["next"] == found["expected"]
    assert found["wrong"].startswith("PromptError: The answer so far does not follow")


# Grammars that can't be used.


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        ("root := x", "expecting ::= in line 1, column 6 (:= x)"),
        ('root ::= "a"\n  foo bar', "expecting ::= in line 2"),
        ("root ::= foo", "Undefined rule identifier 'foo'"),
        ('start ::= "x"', "does not contain a 'root' symbol"),
        ('root ::= "x', "unexpected end of input"),
        (r'root ::= "\d"', r"unknown escape in line 1, column 11 (\d"),
        ('root ::= ("a"', "expecting ')' in line 1, column 14, at the end"),
        ("root ::= *", "expecting preceding item"),
        ("  # nothing", "failed to parse grammar"),
        ("root ::= <nowhere>", "invalid token '<nowhere>'"),
        ('root ::= root "a" | "b"', "left recursion"),
    ],
)
def test_it_is_refused_in_the_words_of_llama_cpp(noisy: Rig, grammar: str, words: str) -> None:
    error = refusal(noisy, replace(GREEDY, grammar=grammar))
    assert error.what.startswith("The grammar can't be used: ")
    assert words in error.what
    assert noisy.answer("Hello", replace(GREEDY, max_tokens=3))


HIDDEN_RECURSION = 'root ::= e root "a" | "b"\ne ::= f\nf ::= "x" |'
LEADING = "\n".join(f"r{number} ::= r{number + 1}" for number in range(5000))
UNSAFE = {
    "hidden left recursion": (HIDDEN_RECURSION, "rule 'root' leads back to itself"),
    "in a group": ('root ::= ("a"? b)+\nb ::= "b"? (root | "x")', "leads back to itself"),
    "deep parentheses": (f"root ::= {'(' * 20_000}", "parentheses more than"),
    "a long chain": (f'root ::= r0\n{LEADING}\nr5000 ::= "x"', "leads through more than"),
    "least above most": ('root ::= b\nb ::= "a"{5,2}', "line 2 repeats something at least 5"),
    "too many copies": (f'root ::= "{"x" * 5000}"{{1999}}', "repeats too much"),
    "too many times": ('root ::= "a"{99999999999999999999}', "repeats too much"),
    "too long": ("root ::= " + '"a" ' * 60_000, "has 240009 characters"),
    "a NUL": ('root ::= "a"\n | "\0"', "line 2 holds a NUL"),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_what_llama_cpp_would_not_survive_is_refused(noisy: Rig, name: str) -> None:
    grammar, words = UNSAFE[name]
    with pytest.raises(gbnf.UnsafeGrammarError, match=words):
        gbnf.check(grammar)
    assert words in refusal(noisy, replace(GREEDY, grammar=grammar)).what


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "yes" | "no"',
        'root ::= ("a"*)* "b"',
        'root ::= f* "x"\nf ::= g\ng ::= "a" |',
        'root ::= e "x"\ne ::= | f\nf ::= "(" root ")" |',
        '# comment with "quotes (\nroot ::= item+ # and ( here\nitem ::= "- " [^\\n"(]+ "\\n"',
        'root ::=\n  "a" |\n  ("b"\n  | "c" {2 , 3})\n\n',
        'root ::= "\\"(" [\\]"(] "a"{0,5} "b"{3,} "c"{4} . rule-2?\nrule-2 ::= "\\x41"',
        "root ::= " + "(" * 1000 + '"a"' + ")" * 1000,
        'root ::= "b"' + '("a" ' * 1000 + ")?" * 1000,
    ],
)
def test_good_grammars_pass(noisy: Rig, grammar: str) -> None:
    assert not gbnf.check(grammar).names_tokens
    assert noisy.finished(
        noisy.start("Hello", replace(GREEDY, grammar=grammar, max_tokens=4))
    ).figures.answer_tokens


def test_tokens_in_a_grammar_are_seen() -> None:
    assert gbnf.check('root ::= "a" <|im_end|>').names_tokens
    assert gbnf.check('root ::= !<[7]> "a"').names_tokens
    assert not gbnf.check('root ::= "<a>" [<>] # <a>').names_tokens


# JSON.

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer"},
        "size": {"enum": ["small", "big", 3, None]},
        "code": {"type": "string", "pattern": r"^[A-C]\d{2,3}(-x|\.)$"},
        "born": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "minItems": 1, "maxItems": 3},
        "more": {"anyOf": [{"type": "null"}, {"const": {"a": [1]}}]},
    },
    "required": ["name", "age", "size", "code", "born", "tags", "more"],
    "$defs": {"tag": {"type": "string", "minLength": 2, "maxLength": 5}},
}


@pytest.mark.parametrize("seed", range(8))
def test_noise_becomes_json_that_fits_the_schema(noisy: Rig, seed: int) -> None:
    sampling = replace(VARIED, json_schema=json.dumps(SCHEMA), seed=seed)
    turn = noisy.start("Hello", sampling)
    assert noisy.finished(turn).reason == EndReason.END_OF_TEXT
    found = json.loads(noisy.text(turn))
    assert list(found) == SCHEMA["required"]
    assert len(found["name"]) <= 12
    assert isinstance(found["age"], int)
    assert found["size"] in ("small", "big", 3, None)
    assert found["code"][0] in "ABC"
    assert found["code"].endswith(("-x", "."))
    assert [part.isdigit() for part in found["born"].split("-")] == [True] * 3
    assert 1 <= len(found["tags"]) <= 3
    assert all(2 <= len(tag) <= 5 for tag in found["tags"])
    assert found["more"] in (None, {"a": [1]})


@pytest.mark.parametrize("seed", range(4))
def test_a_line_break_in_a_string_is_escaped(noisy: Rig, seed: int) -> None:
    # The binding's own grammar lets it through as it is, and JSON forbids that.
    bias = (TokenBias(text="\n", bias=6), TokenBias(text="\t", bias=6))
    schema = '{"type": "string", "minLength": 5, "maxLength": 20}'
    sampling = replace(VARIED, json_schema=schema, seed=seed, logit_bias=bias)
    assert isinstance(json.loads(noisy.answer("Hello", sampling)), str)


@pytest.mark.parametrize(
    "text",
    ['say "x"', "C:\\dir\\n", "two\nlines\t.", "\U0001f600 日本é", "*", "", "date_time", "\ud83d"],
)
def test_any_text_may_be_a_name_or_a_value(noisy: Rig, text: str) -> None:
    # The binding's converter writes backslashes and quotes as if GBNF had no escapes of its own.
    value = {text: [text, 1]}
    schema: dict[str, Any] = {
        "properties": {
            text: {"enum": [value]},
            "date-time": {"type": "string", "format": "date-time"},
        },
        "required": [text, "date-time"],
    }
    answer = json.loads(noisy.answer("Hello", replace(GREEDY, json_schema=json.dumps(schema))))
    assert list(answer) == schema["required"]
    assert answer[text] == value


def test_a_stand_in_is_no_text_of_the_schema(noisy: Rig) -> None:
    schema = {"const": ["text1", "a b", "textx2", "text2"]}
    answer = noisy.answer("Hello", replace(GREEDY, json_schema=json.dumps(schema)))
    assert json.loads(answer) == schema["const"]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"a":1,"z":3', True),
        ('{"a":1,"b":2,"z":3', True),
        ('{"b":2,"y":3,"z":3', True),
        ('{"z":3', True),
        ('{"a":1"z":3', False),
    ],
)
def test_other_properties_behind_those_that_may_be_left_out(
    noisy: Rig, text: str, *, fits: bool
) -> None:
    # The binding's converter forgets the comma.
    schema: dict[str, Any] = {
        "properties": {"a": {"const": 1}, "b": {"const": 2}},
        "additionalProperties": {"const": 3},
    }
    messages = (*user("Hello"), ChatMessage(role="assistant", content=text))
    sampling = replace(GREEDY, json_schema=json.dumps(schema), max_tokens=1)
    turn = noisy.start(messages, sampling, resume=True)
    end = noisy.wait(EngineFinished | EngineFailed, lambda event: event.turn == turn)
    assert isinstance(end, EngineFinished) is fits, end


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("{", "it is no JSON: Expecting property name"),
        ('{"type": "integer", "minimum": 3}', "# uses 'minimum'"),
        ('{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}', "left recursion"),
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused(noisy: Rig, schema: str, words: str) -> None:
    error = refusal(noisy, replace(GREEDY, json_schema=schema))
    assert error.what.startswith("The JSON schema can't be used: ")
    assert words in error.what


@pytest.mark.model
def test_the_starter_model_answers_as_json(rig: Rig, starter: Path) -> None:
    rig.load(starter)
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 40},
            "born": {"type": "integer"},
            "for": {"enum": ["maths", "ships", "cats"]},
        },
        "required": ["name", "born", "for"],
    }
    for seed, temperature in ((1, 0.0), (2, 0.7), (3, 1.0)):
        sampling = Sampling(
            temperature=temperature, seed=seed, json_schema=json.dumps(schema), max_tokens=200
        )
        found = json.loads(rig.answer("Who was Ada Lovelace?", sampling))
        assert set(found) == {"name", "born", "for"}
        assert found["for"] in schema["properties"]["for"]["enum"]
