"""A model's vocabulary: text to tokens and back. Its methods may be called on any thread."""

import ctypes
from typing import TYPE_CHECKING, Any, Final

from actors.engine import Template
from tkinfer.engines.llama.api import C
from tkinfer.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN: Final = C.LLAMA_TOKEN_ATTR_CONTROL | C.LLAMA_TOKEN_ATTR_UNKNOWN
"""Attributes of tokens that add no text. llama.cpp reads `<unk>` as the unknown token, just as it
reads the texts of control tokens as these; so here it counts as one."""
_TEMPLATE_KEY: Final = "tokenizer.chat_template."
_PIECE_BYTES: Final = 512  # of today's vocabularies, no piece is longer
_MAX_KEY_BYTES: Final = 256


class Vocabulary:
    """Reads the vocabulary of a loaded model, which must outlive it."""

    def __init__(self, model: Any) -> None:
        self.pointer: Any = C.llama_model_get_vocab(model)
        self.size: int = C.llama_vocab_n_tokens(self.pointer)
        self.bos: int = C.llama_vocab_bos(self.pointer)
        self.add_bos: bool = C.llama_vocab_get_add_bos(self.pointer)
        self._pieces: dict[int, bytes] = {}
        self._attributes = [C.llama_vocab_get_attr(self.pointer, i) for i in range(self.size)]
        self._control = {
            token: self._text(token, special=True).decode("utf-8", "replace")
            for token, attributes in enumerate(self._attributes)
            if attributes & HIDDEN
        }
        self.control: Mapping[str, int] = {
            text: token for token, text in self._control.items() if text
        }
        self.bos_text = self._written(self.bos)
        self.eos_text = self._written(C.llama_vocab_eos(self.pointer))
        self.templates = tuple(_templates(model))

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Token ids, with nothing put in front; the texts of control tokens become these only
        where `special`.

        Raises:
            EngineError: llama.cpp could not do it.
        """
        raw = text.encode("utf-8", "replace")  # a lone surrogate becomes a question mark
        room = len(raw) + 16
        while True:
            tokens = (C.llama_token * room)()
            count = C.llama_tokenize(self.pointer, raw, len(raw), tokens, room, False, special)
            if count >= 0:
                return list(tokens[:count])
            if -count <= room:
                what = "llama.cpp could not read the prompt."
                raise EngineError(what)
            room = -count

    def piece(self, token: int) -> bytes:
        """The bytes that a token adds to the text: none for control tokens."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._text(token, special=False)
        return known

    def control_text(self, token: int) -> str:
        """How a control token is written; empty for all others."""
        return self._control.get(token, "")

    def ends(self, token: int) -> bool:
        """Whether the model says with it that its turn is over: EOS, EOT and their like."""
        return C.llama_vocab_is_eog(self.pointer, token)

    def strips(self, token: int) -> tuple[bool, bool]:
        """Whether white space to the left, and to the right, of a control token belongs to it."""
        attributes = self._attributes[token]
        return (
            bool(attributes & C.LLAMA_TOKEN_ATTR_LSTRIP),
            bool(attributes & C.LLAMA_TOKEN_ATTR_RSTRIP),
        )

    def _written(self, token: int) -> str:
        return self._text(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def _text(self, token: int, *, special: bool) -> bytes:
        if not 0 <= token < self.size:  # llama.cpp would end the process
            return b""
        room = _PIECE_BYTES
        while True:
            buffer = ctypes.create_string_buffer(room)
            size = C.llama_token_to_piece(self.pointer, token, buffer, room, 0, special)
            if size >= 0:
                return buffer.raw[:size]
            room = -size


def _templates(model: Any) -> list[Template]:
    """The default template, with an empty name, and those that have one."""
    found: list[Template] = []
    default = C.llama_model_chat_template(model, None)
    if default:
        found.append(Template(name="", source=default.decode("utf-8", "replace")))
    key = ctypes.create_string_buffer(_MAX_KEY_BYTES)
    for index in range(C.llama_model_meta_count(model)):
        if C.llama_model_meta_key_by_index(model, index, key, _MAX_KEY_BYTES) < 0:
            continue
        name = key.value.decode("utf-8", "replace")
        if name.startswith(_TEMPLATE_KEY) and len(key.value) < _MAX_KEY_BYTES - 1:
            short = name.removeprefix(_TEMPLATE_KEY)
            source = C.llama_model_chat_template(model, short.encode())
            if source:
                found.append(Template(name=short, source=source.decode("utf-8", "replace")))
    return found
