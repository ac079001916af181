"""The vocabularies of the tiny models: 512 tokens, byte-level BPE or SentencePiece with bytes."""

from gguf import GGUFWriter, TokenType

BOS, EOS, START, END, LONG = "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<long>"
THINK, END_THINK = "<think>", "</think>"
VOCABULARY = 512
_MARKS = [BOS, EOS, START, END]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PAIRS = [a + b for a in _LETTERS for b in _LETTERS]


def add_bpe(writer: GGUFWriter, *, thinking: bool) -> list[int]:
    """256 bytes, the marks, one piece of 60 bytes, pairs of letters; returns what noise avoids.

    With `thinking`, the last two tokens are control tokens that open and close reasoning.
    """
    tokens = [*_byte_symbols(), *_MARKS, "x" * 60, *_PAIRS][:VOCABULARY]
    control = set(_MARKS)
    if thinking:
        tokens[-2:] = [THINK, END_THINK]
        control |= {THINK, END_THINK}
    kinds = [TokenType.CONTROL if token in control else TokenType.NORMAL for token in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["a b"])  # none at all is refused
    _add_ends(writer, tokens)
    unreadable = [*range(0x20), *range(0x7F, 256 + len(_MARKS))]
    return [*unreadable, *(tokens.index(mark) for mark in sorted(control - set(_MARKS)))]


def add_spm(writer: GGUFWriter, *, thinking: bool) -> list[int]:
    """As `add_bpe`, in the way of SentencePiece: byte tokens, `▁` for a space, scores."""
    marks = [*_MARKS, *([THINK, END_THINK] if thinking else [])]
    spaced = ["▁", *_LETTERS, *(f"▁{letter}" for letter in _LETTERS)]
    text = [*spaced, *_PAIRS][: VOCABULARY - 257 - len(marks)]
    tokens = ["<unk>", *marks, *(f"<0x{byte:02X}>" for byte in range(256)), *text]
    kinds = [TokenType.UNKNOWN, *[TokenType.CONTROL] * len(marks), *[TokenType.BYTE] * 256]
    kinds += [TokenType.NORMAL] * len(text)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    _add_ends(writer, tokens)
    first_byte = 1 + len(marks)
    bytes_avoided = [*range(0x20), *range(0x7F, 256)]
    return [*range(first_byte), *(first_byte + byte for byte in bytes_avoided)]


def _add_ends(writer: GGUFWriter, tokens: list[str]) -> None:
    writer.add_bos_token_id(tokens.index(BOS))
    writer.add_eos_token_id(tokens.index(EOS))


def _byte_symbols() -> list[str]:
    """The stand-ins of byte-level BPE: printable bytes for themselves, others from 256 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]
