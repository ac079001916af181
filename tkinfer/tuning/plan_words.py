"""The memory plan in words and shares."""

from actors.loading import MemoryPlan
from tkinfer.errors import TkinferError

_KILO = 1000
_ROUND_FROM = 10
"""From this number on, no digit behind the point is worth showing."""


def size(amount: int) -> str:
    """Bytes in the largest unit that gives a number above 1, as `1.9 GB` or `180 MB`."""
    value, unit = amount / _KILO**2, "MB"
    if round(value) >= _KILO:
        value, unit = value / _KILO, "GB"
    digits = 1 if 0 < value < _ROUND_FROM else 0
    return f"{value:,.{digits}f} {unit}"


def parts(plan: MemoryPlan) -> tuple[tuple[str, int], ...]:
    """What the memory is for, and how much of it in bytes."""
    return (
        ("Weights", plan.weights_bytes),
        ("KV cache", plan.cache_bytes),
        ("Buffers", plan.compute_bytes),
    )


def free(plan: MemoryPlan) -> int:
    """Bytes that are free, GPUs included if they take a part."""
    return plan.available_bytes + (plan.gpu_available_bytes if plan.gpu_bytes else 0)


def fits(plan: MemoryPlan) -> bool:
    """Whether both the computer's memory and the GPUs' have the room; unknown counts as enough."""
    main = plan.total_bytes - plan.gpu_bytes
    return (not plan.available_bytes or main <= plan.available_bytes) and (
        not plan.gpu_bytes
        or not plan.gpu_available_bytes
        or plan.gpu_bytes <= plan.gpu_available_bytes
    )


def headline(plan: MemoryPlan) -> str:
    """The total against what is free."""
    total, room = size(plan.total_bytes), free(plan)
    if not room:
        return f"Takes {total}"
    verb = "of" if fits(plan) else "but only"
    return f"Takes {total} {verb} {size(room)} free"


def details(plan: MemoryPlan) -> tuple[str, ...]:
    """More lines about what was chosen: context, GPU."""
    lines = [f"Context of {plan.context_size:,} tokens"]
    if plan.context_train and plan.context_train != plan.context_size:
        lines[0] += f"; the model was trained for {plan.context_train:,}"
    if plan.gpu_bytes:
        line = f"{plan.gpu_layers} of {plan.layers} layers on the GPU: {size(plan.gpu_bytes)}"
        if plan.gpu_available_bytes:
            line += f" of {size(plan.gpu_available_bytes)} free there"
        lines.append(line)
    return tuple(lines)


def refusal(error: Exception) -> str:
    """Why a plan can't be made, and what to do."""
    if isinstance(error, TkinferError):
        return f"{error.what} {error.next_step}".strip()
    return f"It can't be told what this takes: {str(error) or type(error).__name__}"
