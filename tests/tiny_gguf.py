"""Writes tiny GGUF models that llama.cpp really loads: 256 bytes and a few marks as vocabulary.

They answer with noise, the same noise each time, at some thousand tokens a second.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from gguf import GGUFWriter

from tests.tiny_architectures import (
    BUILDERS,
    LAYERS,
    OUTPUT_NORMS,
    WINDOWS,
    Shape,
    Weights,
    build_llama,
)
from tests.tiny_vocabulary import (
    BOS,
    END,
    END_THINK,
    EOS,
    LONG,
    START,
    THINK,
    VOCABULARY,
    add_bpe,
    add_spm,
)

__all__ = [
    "BOS",
    "CONTEXT",
    "END",
    "END_THINK",
    "EOS",
    "LONG",
    "START",
    "THINK",
    "VOCABULARY",
    "Tweak",
    "part_path",
    "write_tiny_gguf",
]

CONTEXT = 8192
NAME = "Tiny"

Tweak = Callable[[GGUFWriter], None]


def write_tiny_gguf(
    path: Path,
    *,
    template: str | None = None,
    templates: Mapping[str, str] | None = None,
    add_bos: bool = False,
    architecture: str = "llama",
    layers: int | None = None,
    width: int = 64,
    context: int = CONTEXT,
    window: int | None = None,
    spm: bool = False,
    thinking: bool = False,
    seed: int = 7,
    quantised: bool = False,
    name: str = NAME,
    parts: int = 1,
    tweak: Tweak | None = None,
) -> Path:
    """Write a model, and return the file to open.

    Args:
        path: the file; of a split model, what its parts' names are made from.
        template: the chat template, if it is to have one.
        templates: further templates by their names.
        add_bos: whether the metadata ask for a BOS.
        architecture: llama (plain attention), gemma3 (sliding window), mamba (recurrent), jamba
            and lfm2 (hybrid); any other name is written with the layers of llama.
        layers: None: enough for each kind of layer that the architecture has.
        width: the length of an embedding; it and `layers` make a model slow. Below 64, its heads
            are too narrow for a quantised KV cache.
        context: tokens it claims to be trained for.
        window: tokens of a sliding window; 0: none; None: 64 for gemma3, none for others.
        spm: a SentencePiece vocabulary in place of byte-level BPE.
        thinking: the vocabulary has the control tokens THINK and END_THINK.
        seed: of the weights.
        quantised: the weights are Q4_1: then llama.cpp rounds the same on one thread however many
            tokens (below 64) it evaluates at once, as with the starter model.
        name: what the model calls itself.
        parts: files to split it into, named PATH-00001-of-0000N.gguf.
        tweak: changes the metadata in the end.
    """
    layers = LAYERS.get(architecture, 1) if layers is None else layers
    window = WINDOWS.get(architecture, 0) if window is None else window
    shape = Shape(layers=layers, width=width, window=window)
    writer = GGUFWriter(str(path), architecture)
    writer.add_name(name)
    _add_fields(writer, shape, context)
    silent = (add_spm if spm else add_bpe)(writer, thinking=thinking)
    writer.add_add_bos_token(add_bos)
    if template is not None:
        writer.add_chat_template(template)
    for key, source in (templates or {}).items():
        writer.add_string(f"tokenizer.chat_template.{key}", source)
    weights = Weights(writer, seed, quantised=quantised)
    weights.add("token_embd.weight", VOCABULARY, width)
    # So that noise neither ends the answer nor is mostly broken UTF-8.
    weights.add("output.weight", VOCABULARY, width, zero_rows=silent)
    weights.ones(f"{OUTPUT_NORMS.get(architecture, 'output_norm')}.weight", width)
    BUILDERS.get(architecture, build_llama)(writer, weights, shape)
    if tweak:
        tweak(writer)
    return _write(writer, path, parts)


def _add_fields(writer: GGUFWriter, shape: Shape, context: int) -> None:
    writer.add_context_length(context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(2 * shape.width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(0)


def part_path(path: Path, number: int, parts: int) -> Path:
    """The name of a split model's part; `number` counts from 1."""
    return path.with_name(f"{path.stem}-{number:05}-of-{parts:05}.gguf")


def _write(writer: GGUFWriter, path: Path, parts: int) -> Path:
    tensors = list(writer.tensors[0].items())
    writer.tensors = [dict(tensors[part::parts]) for part in range(parts)]
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path if parts == 1 else part_path(path, 1, parts)
