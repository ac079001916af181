"""Writes tiny LoRA adapters for the tiny models."""

from pathlib import Path

import numpy as np
from gguf import GGUFWriter

RANK = 4


def write_tiny_lora(
    path: Path,
    *,
    architecture: str = "llama",
    width: int = 64,
    kind: str = "lora",
    tensor: str = "blk.0.attn_q.weight",
    both: bool = True,
) -> Path:
    """Write an adapter for one tensor of width x width, strong enough to change every answer.

    Args:
        path: the file.
        architecture: of the model it is for.
        width: as that of the model.
        kind: what sort of adapter it says it is.
        tensor: the name of the tensor that it changes.
        both: whether the pair of matrices is complete.
    """
    random = np.random.default_rng(11)
    writer = GGUFWriter(str(path), architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", kind)
    writer.add_float32("adapter.lora.alpha", float(RANK))
    writer.add_tensor(f"{tensor}.lora_a", random.standard_normal((RANK, width), np.float32))
    if both:
        writer.add_tensor(f"{tensor}.lora_b", random.standard_normal((width, RANK), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
