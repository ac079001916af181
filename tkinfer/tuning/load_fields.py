"""The fields of LoadSpec as the user meets them."""

from collections.abc import Mapping

from tkinfer.settings import MAX_IDLE_MINUTES
from tkinfer.tuning.fields import NumberField

CONTEXT_SIZES = (2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
"""Common context sizes to choose from."""
IDLE_MINUTES = (5, 15, 60)
"""Common times after which an unused model is unloaded."""
MAX_LORAS = 16

CONTEXT = NumberField(
    name="context_size",
    label="Context size",
    help="Tokens the model sees at once. Empty: as trained, cut to what fits.",
    low=64,
    high=16_777_216,
    whole=True,
    empty="as trained",
)
GPU_LAYERS = NumberField(
    name="gpu_layers",
    label="Layers on the GPU",
    help="So many layers go to the GPU.",
    low=0,
    high=10_000,
    whole=True,
)
THREADS = NumberField(
    name="threads",
    label="Threads",
    help="Empty: the physical cores but one, which the window needs.",
    low=1,
    high=512,
    whole=True,
    empty="auto",
)
BATCH = NumberField(
    name="batch",
    label="Batch size",
    help="Prompt tokens evaluated at once. Empty: 128. More can be faster on a GPU, "
    "and Stop waits for one batch.",
    low=32,
    high=2_048,
    whole=True,
    empty="128",
)
LORA_SCALE = NumberField(
    name="scale", label="Scale", help="1 is as it was trained.", low=-100.0, high=100.0
)
IDLE = NumberField(
    name="idle_minutes",
    label="Minutes without use",
    help="The next message loads it again by itself.",
    low=0.1,
    high=float(MAX_IDLE_MINUTES),
)

NUMBERS: Mapping[str, NumberField] = {
    field.name: field for field in (CONTEXT, GPU_LAYERS, THREADS, BATCH)
}
