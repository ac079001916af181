"""The memory plan in words."""

import pytest

from actors.loading import MemoryPlan
from tkinfer.errors import ModelLoadError
from tkinfer.tuning import plan_words

PLAN = MemoryPlan(
    context_size=8192,
    context_train=131072,
    layers=32,
    weights_bytes=4_000_000_000,
    cache_bytes=900_000_000,
    compute_bytes=100_000_000,
    available_bytes=6_000_000_000,
)


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "0 MB"),
        (1_500_000, "1.5 MB"),
        (92_400_000, "92 MB"),
        (999_600_000, "1.0 GB"),
        (1_940_000_000, "1.9 GB"),
        (123_000_000_000, "123 GB"),
    ],
)
def test_sizes(amount: int, words: str) -> None:
    assert plan_words.size(amount) == words


def test_a_plan_that_fits() -> None:
    assert plan_words.fits(PLAN)
    assert plan_words.headline(PLAN) == "Takes 5.0 GB of 6.0 GB free"
    assert plan_words.details(PLAN) == (
        "Context of 8,192 tokens; the model was trained for 131,072",
    )
    assert [amount for _, amount in plan_words.parts(PLAN)] == [4e9, 9e8, 1e8]


def test_a_plan_that_does_not_fit() -> None:
    tight = MemoryPlan(context_size=1, weights_bytes=7_000_000_000, available_bytes=6_000_000_000)
    assert not plan_words.fits(tight)
    assert plan_words.headline(tight) == "Takes 7.0 GB but only 6.0 GB free"


def test_each_memory_must_have_room() -> None:
    plan = MemoryPlan(
        context_size=1,
        layers=32,
        gpu_layers=20,
        weights_bytes=7_000_000_000,
        gpu_bytes=5_000_000_000,
        available_bytes=3_000_000_000,
        gpu_available_bytes=4_000_000_000,
    )
    assert not plan_words.fits(plan)
    assert "20 of 32 layers on the GPU: 5.0 GB of 4.0 GB free there" in plan_words.details(plan)


def test_what_is_free_may_be_unknown() -> None:
    plan = MemoryPlan(context_size=1, weights_bytes=1_000_000_000)
    assert plan_words.fits(plan)
    assert plan_words.headline(plan) == "Takes 1.0 GB"


def test_refusals_are_said_in_full() -> None:
    assert plan_words.refusal(ModelLoadError("Too large.", "Take less.")) == "Too large. Take less."
    assert "TimeoutError" in plan_words.refusal(TimeoutError())
