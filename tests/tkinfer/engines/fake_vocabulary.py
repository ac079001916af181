"""A vocabulary without a model: 256 bytes, some longer pieces, and control tokens."""

from collections.abc import Iterable, Mapping, Sequence

SPACES = " \t\n\v\f\r"
PIECES = ("th", "the", " the", "he", "in", "ing", "\n\n", "  ", "é", "\U0001f980")
FIRST_PIECE, FIRST_CONTROL = 256, 1000
BOS, EOS, START, END = "<s>", "</s>", "<|im_start|>", "<|im_end|>"
CONTROL = (BOS, EOS, START, END)


class FakeVocabulary:
    """Tokenises as llama.cpp does: control tokens first, the longest before others, then greedily.

    Args:
        control: Texts of control tokens, from id 1000 on.
        add_bos: Whether the model wants a BOS.
        strips: For the texts of some control tokens, whether they take white space beside them.
        puts_space: Put a space in front of texts, as SentencePiece does.
        pieces: Texts longer than a byte that are one token.
    """

    def __init__(
        self,
        control: Sequence[str] = CONTROL,
        *,
        add_bos: bool = False,
        strips: Mapping[str, tuple[bool, bool]] | None = None,
        puts_space: bool = False,
        pieces: Sequence[str] = PIECES,
    ) -> None:
        self.control = {text: FIRST_CONTROL + at for at, text in enumerate(control)}
        self.add_bos = add_bos
        self.bos = self.control.get(BOS, -1)
        self.bos_text = BOS if BOS in self.control else ""
        self.eos_text = EOS if EOS in self.control else ""
        self._strips = strips or {}
        self._puts_space = puts_space
        self._texts = {token: text for text, token in self.control.items()}
        self._pieces = {piece.encode(): FIRST_PIECE + at for at, piece in enumerate(pieces)}
        self._bytes = {token: raw for raw, token in self._pieces.items()}
        self._longest = max(map(len, self._pieces), default=1)
        self.tokenized = 0
        """Characters that `tokenize` was given."""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        self.tokenized += len(text)
        parts: list[str | int] = [text]
        for mark in sorted(self.control, key=len, reverse=True) if special else ():
            parts = [part for whole in parts for part in self._split(whole, mark)]
        tokens: list[int] = []
        for part in self._stripped(parts):
            tokens += [part] if isinstance(part, int) else self._raw(part)
        return tokens

    def _split(self, whole: str | int, mark: str) -> Iterable[str | int]:
        if isinstance(whole, int):
            return [whole]
        found: list[str | int] = []
        for part in whole.split(mark):
            found += (self.control[mark], part)
        return found[1:]

    def _stripped(self, parts: list[str | int]) -> list[str | int]:
        parts = list(parts)
        for at, part in enumerate(parts):
            if isinstance(part, int):
                left, right = self.strips(part)
                before, after = parts[at - 1 : at], parts[at + 1 : at + 2]
                if left and before and isinstance(before[0], str):
                    parts[at - 1] = before[0].rstrip(SPACES)
                if right and after and isinstance(after[0], str):
                    parts[at + 1] = after[0].lstrip(SPACES)
        return [part for part in parts if part != ""]

    def _raw(self, text: str) -> list[int]:
        raw = text.encode("utf-8", "replace")
        if self._puts_space:
            raw = b" " + raw
        tokens: list[int] = []
        while raw:
            for length in range(self._longest, 1, -1):
                if piece := self._pieces.get(raw[:length]):
                    tokens.append(piece)
                    raw = raw[length:]
                    break
            else:
                tokens.append(raw[0])
                raw = raw[1:]
        return tokens

    def piece(self, token: int) -> bytes:
        if token in self._texts:
            return b""
        return bytes([token]) if token < FIRST_PIECE else self._bytes.get(token, b"")

    def strips(self, token: int) -> tuple[bool, bool]:
        return self._strips.get(self._texts[token], (False, False))

    def written(self, tokens: Iterable[int]) -> str:
        """All tokens as text, control tokens too."""
        raw = b"".join(
            self._texts[token].encode() if token in self._texts else self.piece(token)
            for token in tokens
        )
        return raw.decode("utf-8", "replace")

    def controls_in(self, tokens: Iterable[int]) -> list[str]:
        """The texts of the control tokens among these."""
        return [self._texts[token] for token in tokens if token in self._texts]
