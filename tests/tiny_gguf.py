"""Writes tiny GGUF models that llama.cpp really loads: 256 bytes and a few marks as vocabulary.

They answer with noise, the same noise each time, at some thousand tokens a second.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFWriter, TokenType

BOS, EOS, START, END, LONG = "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<long>"
VOCABULARY = 512
CONTEXT = 8192

Tweak = Callable[[GGUFWriter], None]


def _byte_symbols() -> list[str]:
    """The stand-ins of byte-level BPE: printable bytes for themselves, others from 256 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def _tokens() -> list[str]:
    symbols = _byte_symbols()
    marks = [BOS, EOS, START, END]
    # The rest of the vocabulary are pairs of letters, and one piece of 60 bytes.
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [a + b for a in letters for b in letters]
    tokens = [*symbols, *marks, "x" * 60, *pairs]
    return tokens[:VOCABULARY]


def write_tiny_gguf(
    path: Path,
    *,
    template: str | None = None,
    add_bos: bool = False,
    architecture: str = "llama",
    layers: int = 1,
    width: int = 64,
    tweak: Tweak | None = None,
) -> Path:
    """Write a model whose metadata ask for a BOS or not; `layers` and `width` make it slower."""
    writer = GGUFWriter(str(path), architecture)
    writer.add_name("Tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 2)
    writer.add_file_type(0)
    _add_vocabulary(writer, template=template, add_bos=add_bos)
    if tweak:
        tweak(writer)
    _add_weights(writer, layers, width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_vocabulary(writer: GGUFWriter, *, template: str | None, add_bos: bool) -> None:
    tokens = _tokens()
    control = {BOS, EOS, START, END}
    kinds = [TokenType.CONTROL if token in control else TokenType.NORMAL for token in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["a b"])  # none at all is refused
    writer.add_bos_token_id(tokens.index(BOS))
    writer.add_eos_token_id(tokens.index(EOS))
    writer.add_add_bos_token(add_bos)
    if template is not None:
        writer.add_chat_template(template)


def _add_weights(writer: GGUFWriter, layers: int, width: int) -> None:
    random = np.random.default_rng(7)

    def add(name: str, *shape: int) -> None:
        scale = 1 / np.sqrt(shape[-1])
        values: Any = random.standard_normal(shape, dtype=np.float32) * np.float32(scale)
        if name == "output.weight":
            # So that noise neither ends the answer nor is mostly broken UTF-8.
            values[:0x20] = values[0x7F : 256 + 4] = 0
        writer.add_tensor(name, values)

    add("token_embd.weight", VOCABULARY, width)
    add("output.weight", VOCABULARY, width)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    for layer in range(layers):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(width, dtype=np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{part}.weight", width, width)
        add(f"blk.{layer}.ffn_gate.weight", 2 * width, width)
        add(f"blk.{layer}.ffn_up.weight", 2 * width, width)
        add(f"blk.{layer}.ffn_down.weight", width, 2 * width)
