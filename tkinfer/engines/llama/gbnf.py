"""Looks through a GBNF grammar for what would crash llama.cpp, or make it take all memory.

Tried with llama-cpp-python 0.3.36, which refuses by itself what else is wrong with a grammar:

- parentheses 20,000 deep, or 100,000 rules that each begin with the next: its parser calls itself
  until the stack overflows;
- left recursion past a rule that may be empty only by way of another one (`root ::= e root "a"`,
  `e ::= f`, `f ::= "x" |`): it isn't seen, and expanded until the memory is gone;
- `"a"{5,2}`: it makes 2^64 - 3 rules;
- a long text repeated often: each repetition is a copy.

The grammar is read as llama.cpp reads it (grammars/README.md there); where it can't be read, the
reader stops, since llama.cpp will stop there too and say why.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MOST_CHARACTERS: Final = 200_000
MOST_NESTED: Final = 1100
"""A JSON schema with a maxLength of 1000 nests so deep; 12,000 were still good on an 8 MB stack."""
MOST_LEADING: Final = 3000
"""Rules that begin with the next one, in a row. 50,000 were still good on an 8 MB stack."""
MOST_ELEMENTS: Final = 1_000_000
"""Of all rules once repetitions are written out; 8 bytes each, and there are several copies."""

_NAME = re.compile(r"[a-zA-Z0-9-]+")
_COUNT = re.compile(r"\{[ \t]*([0-9]+)[ \t]*(?:(,)[ \t]*([0-9]*)[ \t]*)?\}")
_NESTED_COUNT = re.compile(r"\{\s*([0-9]+)\s*(?:(,)\s*([0-9]*)\s*)?\}")
_ESCAPE = r'\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[trn\\"\[\]])'
_LITERAL = re.compile(rf'"((?:{_ESCAPE}|[^"\\])*)"')
_CLASS = re.compile(rf"\[\^?((?:{_ESCAPE}|[^\]\\])*)\]")
_TOKEN = re.compile(r"!?<[^>]*>")
_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")


class UnsafeGrammarError(ValueError):
    """llama.cpp would not survive this grammar. The text says why, and in which rule or line."""


@dataclass(slots=True)
class _Item:
    rule: str | None
    """None for a terminal."""
    empty: bool
    """It may match nothing, whatever its rule says."""
    elements: int


@dataclass(slots=True)
class _Rule:
    name: str
    alternatives: list[list[_Item]] = field(default_factory=lambda: [[]])

    def add(self, item: _Item) -> None:
        self.alternatives[-1].append(item)


@dataclass(frozen=True, slots=True)
class Findings:
    """What else is of interest in a grammar."""

    names_tokens: bool
    """It asks for tokens by their id or name (`<|im_end|>`), not only for text."""


def check(text: str) -> Findings:
    """Read a grammar.

    Raises:
        UnsafeGrammarError: see the module.
    """
    if len(text) > MOST_CHARACTERS:
        what = f"it has {len(text)} characters, and at most {MOST_CHARACTERS} are read"
        raise UnsafeGrammarError(what)
    if "\0" in text:
        what = f"line {_line(text, text.index(chr(0)))} holds a NUL character"
        raise UnsafeGrammarError(what)
    reader = _Reader(text)
    if reader.read():
        _check_left_recursion(reader.rules)
    return Findings(names_tokens=reader.names_tokens)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._elements = 0
        self._groups = 0
        self.rules: dict[str, list[list[_Item]]] = {}
        self.names_tokens = False

    def read(self) -> bool:
        """Read all rules; False if that isn't possible."""
        self._skip(lines=True)
        while self._at < len(self._text):
            name = self._take(_NAME)
            self._skip(lines=False)
            if name is None or not self._text.startswith("::=", self._at):
                return False
            self._at += 3
            self._skip(lines=True)
            if not self._read_rule(name[0]):
                return False
            self._skip(lines=True)
        return True

    def _read_rule(self, name: str) -> bool:
        # A stack of our own: a grammar must not make this reader call itself too deep either.
        open_rules = [_Rule(name)]
        while self._at < len(self._text):
            nested = len(open_rules) > 1
            character = self._text[self._at]
            if character == "(":
                self._open_group(open_rules, name)
            elif character == ")" and nested:
                self._close_group(open_rules)
            elif character == "|":
                self._at += 1
                self._skip(lines=True)
                open_rules[-1].alternatives.append([])
            elif character in "*+?{":
                if not self._repeat(open_rules[-1].alternatives[-1], nested=nested):
                    return False
            elif not self._read_item(open_rules[-1], nested=nested):
                break
        if len(open_rules) > 1 or self._text[self._at : self._at + 1] not in ("", "\r", "\n"):
            return False
        self.rules[name] = open_rules[0].alternatives
        return True

    def _open_group(self, open_rules: list[_Rule], name: str) -> None:
        if len(open_rules) > MOST_NESTED:
            where = f"line {_line(self._text, self._at)}"
            what = f"{where} has parentheses more than {MOST_NESTED} deep"
            raise UnsafeGrammarError(what)
        self._groups += 1
        open_rules.append(_Rule(f"{name} {self._groups}"))
        self._at += 1
        self._skip(lines=True)

    def _close_group(self, open_rules: list[_Rule]) -> None:
        group = open_rules.pop()
        self.rules[group.name] = group.alternatives
        open_rules[-1].add(_Item(group.name, empty=False, elements=1))
        self._at += 1
        self._skip(lines=len(open_rules) > 1)

    def _read_item(self, rule: _Rule, *, nested: bool) -> bool:
        if found := self._take(_LITERAL) or self._take(_CLASS):
            inside = len(found[1])
            rule.add(_Item(None, empty=not inside, elements=inside))
            self._count(inside)
        elif self._take(_TOKEN):
            self.names_tokens = True
            rule.add(_Item(None, empty=False, elements=1))
        elif found := self._take(_NAME):
            rule.add(_Item(found[0], empty=False, elements=1))
        elif self._text.startswith(".", self._at):
            self._at += 1
            rule.add(_Item(None, empty=False, elements=1))
        else:
            return False
        self._skip(lines=nested)
        return True

    def _repeat(self, sequence: list[_Item], *, nested: bool) -> bool:
        least, most = 0, 1
        if self._text[self._at] == "{":
            found = self._take(_NESTED_COUNT if nested else _COUNT)
            if found is None:
                return False
            least = most = int(found[1][:9])
            if found[2]:
                most = int(found[3][:9]) if found[3] else max(least, 1)
            if most < least:
                where = f"line {_line(self._text, self._at)}"
                what = f"{where} repeats something at least {least} and at most {most} times"
                raise UnsafeGrammarError(what)
        else:
            least = int(self._text[self._at] == "+")
            self._at += 1
        self._skip(lines=nested)
        if not sequence:
            return False
        item = sequence[-1]
        self._count(item.elements * max(most, 1))
        elements = item.elements * max(least, 1)
        sequence[-1] = _Item(item.rule, empty=item.empty or least == 0, elements=elements)
        return True

    def _count(self, elements: int) -> None:
        self._elements += elements
        if self._elements > MOST_ELEMENTS:
            where = f"line {_line(self._text, self._at)}"
            what = f"{where} repeats too much: written out, the grammar is too large"
            raise UnsafeGrammarError(what)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def _skip(self, *, lines: bool) -> None:
        self._take(_SPACE_AND_LINES if lines else _SPACE)


def _check_left_recursion(rules: dict[str, list[list[_Item]]]) -> None:
    empty = _empty_rules(rules)
    edges = {name: list(_leading(alternatives, empty)) for name, alternatives in rules.items()}
    done: set[str] = set()
    for start in rules:
        path: dict[str, Iterator[str]] = {}
        name: str | None = start
        while name is not None:
            if name in path:
                what = f"rule {_spoken(name)} leads back to itself before any text (left recursion)"
                raise UnsafeGrammarError(what)
            if name not in done:
                path[name] = iter(edges.get(name, ()))
            if len(path) > MOST_LEADING:
                what = f"rule {_spoken(start)} leads through more than {MOST_LEADING} others"
                raise UnsafeGrammarError(what)
            name = _next_step(path, done)


def _next_step(path: dict[str, Iterator[str]], done: set[str]) -> str | None:
    """Where a search in depth goes next; what has no way on is done."""
    while path:
        last = next(reversed(path))
        following = next(path[last], None)
        if following is not None:
            return following
        done.add(last)
        del path[last]
    return None


def _spoken(name: str) -> str:
    return repr(name.partition(" ")[0])


def _empty_rules(rules: dict[str, list[list[_Item]]]) -> set[str]:
    """The rules that may match nothing."""
    users: dict[str, list[str]] = {}
    for name, alternatives in rules.items():
        for rule in {item.rule for items in alternatives for item in items}:
            if rule is not None:
                users.setdefault(rule, []).append(name)
    empty: set[str] = set()
    waiting = list(rules)
    while waiting:
        name = waiting.pop()
        if name in empty:
            continue
        if any(all(_is_empty(item, empty) for item in items) for items in rules[name]):
            empty.add(name)
            waiting += users.get(name, ())
    return empty


def _is_empty(item: _Item, empty: set[str]) -> bool:
    return item.empty or item.rule in empty


def _leading(alternatives: list[list[_Item]], empty: set[str]) -> Iterator[str]:
    """The rules that may come first, with nothing matched before them."""
    for items in alternatives:
        for item in items:
            if item.rule is not None:
                yield item.rule
            if not _is_empty(item, empty):
                break
