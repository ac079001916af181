"""The layers of tiny models, one function for each architecture: hyperparameters and weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

HEADS = 2
STATE, CONVOLUTION, STEP_RANK = 16, 4, 4
"""Of mamba layers: state size, convolution width, rank of the time step."""
SHORT_CONVOLUTION = 3
_Q4_1_BLOCK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How large a model is, and how it looks back. `window` 0 is plain attention."""

    layers: int
    width: int
    window: int


class Weights:
    """Adds tensors of noise to a file, the same noise each time."""

    def __init__(self, writer: GGUFWriter, seed: int, *, quantised: bool = False) -> None:
        self._writer = writer
        self._quantised = quantised
        self._random = np.random.default_rng(seed)

    def add(self, name: str, *shape: int, zero_rows: Sequence[int] = ()) -> None:
        """Noise of about unit gain; rows of zeros are tokens that noise does not choose."""
        noise = self._random.standard_normal(shape, dtype=np.float32)
        values = noise * np.float32(1 / np.sqrt(shape[-1]))
        if zero_rows:
            values[list(zero_rows)] = 0
        if self._quantised and len(shape) > 1 and shape[-1] % _Q4_1_BLOCK == 0:
            packed = quantize(values, GGMLQuantizationType.Q4_1)
            self._writer.add_tensor(name, packed, raw_dtype=GGMLQuantizationType.Q4_1)
        else:
            self._writer.add_tensor(name, values)

    def ones(self, name: str, size: int) -> None:
        """A norm that changes nothing."""
        self._writer.add_tensor(name, np.ones(size, dtype=np.float32))

    def falling(self, name: str, rows: int, columns: int) -> None:
        """-1, -2 … in each row: how fast the parts of a mamba state fade."""
        row = -np.arange(1, columns + 1, dtype=np.float32)
        self._writer.add_tensor(name, np.tile(row, (rows, 1)))


Build = Callable[[GGUFWriter, Weights, Shape], None]


def _add_attention_fields(writer: GGUFWriter, shape: Shape, heads_kv: int | list[int]) -> None:
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(heads_kv)
    writer.add_rope_dimension_count(shape.width // HEADS)
    if shape.window:
        writer.add_sliding_window(shape.window)


def _add_attention(weights: Weights, block: str, width: int) -> None:
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        weights.add(f"{block}.{part}.weight", width, width)


def _add_feed_forward(weights: Weights, block: str, width: int) -> None:
    weights.ones(f"{block}.ffn_norm.weight", width)
    weights.add(f"{block}.ffn_gate.weight", 2 * width, width)
    weights.add(f"{block}.ffn_up.weight", 2 * width, width)
    weights.add(f"{block}.ffn_down.weight", width, 2 * width)


def _add_mamba_fields(writer: GGUFWriter, shape: Shape) -> None:
    writer.add_ssm_conv_kernel(CONVOLUTION)
    writer.add_ssm_inner_size(2 * shape.width)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(STEP_RANK)


def _add_mamba(weights: Weights, block: str, width: int) -> None:
    inner = 2 * width
    weights.add(f"{block}.ssm_in.weight", 2 * inner, width)
    weights.add(f"{block}.ssm_conv1d.weight", inner, CONVOLUTION)
    weights.add(f"{block}.ssm_conv1d.bias", inner)
    weights.add(f"{block}.ssm_x.weight", STEP_RANK + 2 * STATE, inner)
    weights.add(f"{block}.ssm_dt.weight", inner, STEP_RANK)
    weights.add(f"{block}.ssm_dt.bias", inner)
    weights.falling(f"{block}.ssm_a", inner, STATE)
    weights.ones(f"{block}.ssm_d", inner)
    weights.add(f"{block}.ssm_out.weight", width, inner)


def build_llama(writer: GGUFWriter, weights: Weights, shape: Shape) -> None:
    """Plain attention in all layers."""
    _add_attention_fields(writer, shape, HEADS)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        weights.ones(f"{block}.attn_norm.weight", shape.width)
        _add_attention(weights, block, shape.width)
        _add_feed_forward(weights, block, shape.width)


def build_gemma3(writer: GGUFWriter, weights: Weights, shape: Shape) -> None:
    """Attention over a sliding window in five layers of six, over all tokens in the sixth."""
    _add_attention_fields(writer, shape, HEADS)
    writer.add_key_length(shape.width // HEADS)
    writer.add_value_length(shape.width // HEADS)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        for norm in ("attn_norm", "post_attention_norm", "post_ffw_norm"):
            weights.ones(f"{block}.{norm}.weight", shape.width)
        for norm in ("attn_q_norm", "attn_k_norm"):
            weights.ones(f"{block}.{norm}.weight", shape.width // HEADS)
        _add_attention(weights, block, shape.width)
        _add_feed_forward(weights, block, shape.width)


def build_mamba(writer: GGUFWriter, weights: Weights, shape: Shape) -> None:
    """A recurrent state in all layers, and no attention."""
    _add_mamba_fields(writer, shape)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        weights.ones(f"{block}.attn_norm.weight", shape.width)
        _add_mamba(weights, block, shape.width)


def build_jamba(writer: GGUFWriter, weights: Weights, shape: Shape) -> None:
    """A recurrent state and attention in turn: a hybrid."""
    recurrent = [layer % 2 == 0 for layer in range(shape.layers)]
    _add_mamba_fields(writer, shape)
    _add_attention_fields(writer, shape, [0 if each else HEADS for each in recurrent])
    for layer, is_recurrent in enumerate(recurrent):
        block = f"blk.{layer}"
        weights.ones(f"{block}.attn_norm.weight", shape.width)
        if is_recurrent:
            _add_mamba(weights, block, shape.width)
            weights.ones(f"{block}.ssm_dt_norm.weight", STEP_RANK)
            weights.ones(f"{block}.ssm_b_norm.weight", STATE)
            weights.ones(f"{block}.ssm_c_norm.weight", STATE)
        else:
            _add_attention(weights, block, shape.width)
        _add_feed_forward(weights, block, shape.width)


def build_lfm2(writer: GGUFWriter, weights: Weights, shape: Shape) -> None:
    """Short convolutions and attention in turn: a hybrid, with a window if one is asked for."""
    recurrent = [layer % 2 == 0 for layer in range(shape.layers)]
    width = shape.width
    writer.add_shortconv_l_cache(SHORT_CONVOLUTION)
    writer.add_rope_freq_base(10_000.0)
    _add_attention_fields(writer, shape, [0 if each else HEADS for each in recurrent])
    for layer, is_recurrent in enumerate(recurrent):
        block = f"blk.{layer}"
        weights.ones(f"{block}.attn_norm.weight", width)
        if is_recurrent:
            weights.add(f"{block}.shortconv.conv.weight", width, SHORT_CONVOLUTION)
            weights.add(f"{block}.shortconv.in_proj.weight", 3 * width, width)
            weights.add(f"{block}.shortconv.out_proj.weight", width, width)
        else:
            _add_attention(weights, block, width)
            for norm in ("attn_q_norm", "attn_k_norm"):
                weights.ones(f"{block}.{norm}.weight", width // HEADS)
        _add_feed_forward(weights, block, width)


BUILDERS: dict[str, Build] = {
    "gemma3": build_gemma3,
    "mamba": build_mamba,
    "jamba": build_jamba,
    "lfm2": build_lfm2,
}
"""Any other name gets the layers of llama, also one that llama.cpp doesn't know."""
LAYERS = {"gemma3": 6, "mamba": 2, "jamba": 4, "lfm2": 4}
"""So many, if the caller doesn't say: enough for both kinds of layer."""
WINDOWS = {"gemma3": 64}
OUTPUT_NORMS = {"lfm2": "token_embd_norm"}
