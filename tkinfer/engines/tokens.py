"""From rendered text to token ids: what the template wrote is parsed for control tokens, what
people and models wrote is not.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from tkinfer.engines.controls import ControlTexts
from tkinfer.engines.marks import Marks

_SPACES: Final = " \t\n\v\f\r"
"""What llama.cpp takes away beside a control token that says so."""
_ANCHORS: Final = ("\n", "a", ".")


class Vocabulary(Protocol):
    """What a prompt needs to know of a model."""

    bos: int
    """-1 if the model has none."""
    bos_text: str
    eos_text: str
    add_bos: bool
    """Whether the model file asks for a BOS in front of every text."""
    control: Mapping[str, int]
    """The control tokens by their texts."""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Token ids, with nothing put in front. `special`: the texts of control tokens become
        these.
        """
        ...

    def piece(self, token: int) -> bytes:
        """The bytes that a token adds to the text: none for control tokens."""
        ...

    def strips(self, token: int) -> tuple[bool, bool]:
        """Whether white space left and right of a control token belongs to it."""
        ...


class PromptTokenizer:
    """Makes prompts of rendered texts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.controls = ControlTexts(vocabulary.control)
        self._control_ids = frozenset(vocabulary.control.values())
        first = vocabulary.tokenize("a", special=False)
        self._puts_space = bool(first) and vocabulary.piece(first[0]).startswith(b" ")

    def tokens(
        self, rendered: str, marks: Marks, kept: Callable[[int, str], tuple[Sequence[int], int]]
    ) -> list[int]:
        """The ids of a rendered prompt, with one BOS where there should be one (case S-5).

        Args:
            rendered: With marks.
            marks: That were put into its messages.
            kept: For the number and text of a marked range, the ids that stand for it in place
                of its first characters, and how many these are.
        """
        places: list[Sequence[int]] = []

        def put(number: int, inner: str) -> str:
            text = marks.restore(inner)
            ids, characters = kept(number, text)
            if not ids:
                return inner
            places.append(ids)
            return marks.place(len(places) - 1) + marks.protect(text[characters:])

        text = marks.replace_ranges(rendered, put)
        if not places and not marks.holds_typed(text):
            # As llama.cpp itself does it.
            return self._with_bos(self._vocabulary.tokenize(text, special=True))
        tokens: list[int] = []
        for part in self._parts(text):
            if isinstance(part, int):
                tokens.append(part)
            else:
                self._add_raw(tokens, part, marks, places)
        return self._with_bos(tokens)

    def _parts(self, text: str) -> list[str | int]:
        """Control tokens and the texts between them, without the white space that is theirs."""
        parts: list[str | int] = []
        at, strip = 0, False
        for found in self.controls.find(text):
            left, right = self._vocabulary.strips(found.token)
            raw = text[at : found.start]
            raw = raw.lstrip(_SPACES) if strip else raw
            parts += (raw.rstrip(_SPACES) if left else raw, found.token)
            at, strip = found.end, right
        raw = text[at:]
        parts.append(raw.lstrip(_SPACES) if strip else raw)
        return [part for part in parts if part != ""]

    def _add_raw(
        self, tokens: list[int], raw: str, marks: Marks, places: Sequence[Sequence[int]]
    ) -> None:
        inside = False
        for part in marks.split_places(raw):
            if isinstance(part, int):
                tokens += places[part]
                inside = True
            elif part:
                text = marks.restore(part)
                tokens += self._inside(text) if inside else self._raw(text)

    def append(self, tokens: list[int], text: str, *, special: bool = False) -> None:
        """Let a prompt go on with a text; with `special`, one of our own, such as a marker."""
        at = 0
        for found in self.controls.find(text) if special else ():
            self._go_on(tokens, text[at : found.start])
            tokens.append(found.token)
            at = found.end
        self._go_on(tokens, text[at:])

    def _go_on(self, tokens: list[int], text: str) -> None:
        if text:
            inside = tokens and tokens[-1] not in self._control_ids
            tokens += self._inside(text) if inside else self._raw(text)

    def _raw(self, text: str) -> list[int]:
        return self._vocabulary.tokenize(text, special=False)

    def _inside(self, text: str) -> list[int]:
        """The ids of a text that goes on from another: without the space that many vocabularies
        put in front of a text at the beginning and behind control tokens.
        """
        if not self._puts_space:
            return self._raw(text)
        for anchor in _ANCHORS:
            before = self._raw(anchor)
            both = self._raw(anchor + text)
            if both[: len(before)] == before:
                return both[len(before) :]
        return self._raw(text)

    def _with_bos(self, tokens: list[int]) -> list[int]:
        bos = self._vocabulary.bos
        if not self._vocabulary.add_bos or bos < 0:
            return tokens
        begin = 0
        while begin < len(tokens) and tokens[begin] == bos:
            begin += 1
        return [bos, *tokens[begin:]]
