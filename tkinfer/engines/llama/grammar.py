"""A grammar that an answer must follow: GBNF, or made from a JSON schema."""

import ctypes
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tkinfer.engines.llama import gbnf, schema
from tkinfer.engines.llama.api import C
from tkinfer.engines.llama.vocabulary import HIDDEN
from tkinfer.errors import EngineError, PromptError

TOKEN_DATA: Final = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""llama.cpp's `llama_token_data`."""
Candidates = npt.NDArray[np.void]
"""An array of TOKEN_DATA."""
MOST_STEP_S: Final = 5.0
"""CPU time for one token. A grammar that can be read in many ways (`s ::= "a" s "b" | "a" s "c"`)
takes twice the time and memory with each one."""

_SCHEMA: Final = "JSON schema"
_MOST_WORDS: Final = 200
_MOST_LOGGED: Final = 4000
_CORRECT: Final = "Correct it in the settings for answers, or leave it empty."


class Grammar:
    """Tells which tokens may come next. Frees its memory with `close`.

    Raises:
        PromptError: the grammar can't be used; with llama.cpp's words, if they are its own.
    """

    def __init__(self, vocab: Any, text: str, *, what: str = "grammar") -> None:
        self._native: Any = None
        try:
            findings = gbnf.check(text)
        except gbnf.UnsafeGrammarError as error:
            raise _unusable(what, str(error)) from error
        native, said = _native_grammar(vocab, text)
        if not native:  # NULL is an object, and false
            raise _unusable(what, _cause(said, text), said)
        self._native = native
        self._one = np.zeros(1, TOKEN_DATA)
        self._one_list = token_list(self._one)
        self.hidden = _hidden_tokens(vocab) if not findings.names_tokens else _none()
        """Control tokens: llama.cpp would take their names, which nobody sees, for text."""

    def allows(self, token: int) -> bool:
        """Whether it may come next."""
        self._one["id"] = token
        self._one["logit"] = 0.0
        with _bounded():
            C.llama_sampler_apply(self._native, self._one_list)
        return bool(self._one["logit"][0] == 0.0)

    def allowed(self, candidates: Candidates) -> Candidates:
        """A copy of those that may come next: none at a dead end."""
        with _bounded():
            C.llama_sampler_apply(self._native, token_list(candidates))
        return candidates[np.isfinite(candidates["logit"])]

    def accept(self, token: int) -> None:
        """Go on behind a token that was allowed. Any other one would end the process."""
        with _bounded():
            C.llama_sampler_accept(self._native, token)

    def close(self) -> None:
        """Free its memory. It can't be used any more."""
        native, self._native = self._native, None
        if native:
            C.llama_sampler_free(native)


def from_settings(vocab: Any, grammar: str, json_schema: str) -> Grammar | None:
    """The grammar that these two fields of `Sampling` ask for; at most one is set.

    Raises:
        PromptError: it can't be used.
    """
    if json_schema:
        try:
            text = schema.to_gbnf(json_schema, _convert)
        except schema.UnusableSchemaError as error:
            raise _unusable(_SCHEMA, str(error)) from error
        return Grammar(vocab, text, what=_SCHEMA)
    return Grammar(vocab, grammar) if grammar else None


def token_list(candidates: Candidates) -> Any:
    """llama.cpp's view of an array, which must live as long. Samplers change both."""
    return C.llama_token_data_array(
        data=ctypes.cast(candidates.ctypes.data, C.llama_token_data_p),
        size=len(candidates),
        selected=-1,
        sorted=False,
    )


def _convert(json_schema: str) -> str:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    return json_schema_to_gbnf(json_schema)


@contextmanager
def _bounded() -> Generator[None]:
    began = time.thread_time()
    yield
    if time.thread_time() - began > MOST_STEP_S:
        what = f"The grammar took more than {MOST_STEP_S:g} s for one token."
        raise EngineError(what, "Write it so that a text can be read in one way only.")


def _hidden_tokens(vocab: Any) -> npt.NDArray[np.int64]:
    # 36 ms for 49,152 tokens, once an answer that has a grammar.
    attributes, ends = C.llama_vocab_get_attr, C.llama_vocab_is_eog
    every = range(C.llama_vocab_n_tokens(vocab))
    hidden = [t for t in every if attributes(vocab, t) & HIDDEN and not ends(vocab, t)]
    return np.array(hidden, np.int64)


def _none() -> npt.NDArray[np.int64]:
    return np.array([], np.int64)


def _native_grammar(vocab: Any, text: str) -> tuple[Any, str]:
    """The sampler, NULL if llama.cpp refuses the text; and what llama.cpp said."""
    raw = text.encode("utf-8", "replace")
    with tempfile.TemporaryFile() as file:
        # Its parser doesn't log: it prints to C's stderr, which has no buffer of its own.
        usual = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            native = C.llama_sampler_init_grammar(vocab, raw, b"root")
        finally:
            os.dup2(usual, 2)
            os.close(usual)
        file.seek(0)
        said = file.read()
    if said:
        os.write(2, said[:_MOST_LOGGED])
    return native, said.decode("utf-8", "replace")


def _cause(said: str, text: str) -> str:
    """llama.cpp's own words, with the line in place of all the text from there on."""
    parser, _, behind = said.partition("error parsing grammar: ")
    words = behind.partition(f"\n\n{text}\n")[0] if behind else parser
    before, at, rest = words.partition(" at ")
    if at and text.endswith(rest):
        position = len(text) - len(rest)
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        shown = rest.split("\n")[0][:40]
        words = f"{before} in line {line}, column {column}"
        words += f" ({shown})" if shown else ", at the end"
    return words.strip().split("\n")[0][:_MOST_WORDS] or "llama.cpp gave no cause"


def _unusable(what: str, cause: str, detail: str = "") -> PromptError:
    return PromptError(f"The {what} can't be used: {cause}.", _CORRECT, detail)
