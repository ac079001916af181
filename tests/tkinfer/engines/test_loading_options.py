"""What LoadSpec's options do, over the real child."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.loading import CacheType, MemoryPlan, Switch
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.loads import SHORT, loaded_with, refused_with
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import ModelLoadError

ODD = ("gemma3", "mamba", "jamba", "lfm2")


@pytest.fixture(scope="module")
def rig(tiny: Path) -> Iterator[Rig]:
    """One engine for all, which none of these loads may end."""
    with Rig() as rig:
        rig.load(tiny)
        yield rig


def plan_of(rig: Rig, path: Path, **options: Any) -> MemoryPlan:
    plan = loaded_with(rig, path, **options).info.plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    "options",
    [
        {"context_size": 1024},
        {"threads": 2},
        {"gpu_layers": 0},
        {"gpu_layers": -1},
        {"gpu_layers": 1},
        {"flash_attention": Switch.OFF},
        {"flash_attention": Switch.ON},
        {"repack": Switch.OFF},
        {"batch": 32},
        {"batch": 512},
        {"mmap": False},
        {"mlock": True},
        {"mmap": False, "mlock": True},
        {"swa_full": Switch.OFF},
        {"check_tensors": True},
    ],
    ids=str,
)
def test_an_option_is_taken_and_the_answer_stays(
    rig: Rig, tiny: Path, options: dict[str, Any]
) -> None:
    rig.load(tiny)
    right = rig.answer("hello", SHORT)
    info = loaded_with(rig, tiny, **options).info
    assert rig.answer("hello", SHORT) == right
    assert info.context_size == options.get("context_size", 8192)
    assert info.threads == options.get("threads", info.threads)


def test_a_prompt_longer_than_a_small_batch(rig: Rig, tiny: Path) -> None:
    prompt = "All work and no play. " * 30
    rig.load(tiny)
    right = rig.answer(prompt, SHORT)
    for batch in (32, 2048):
        loaded_with(rig, tiny, batch=batch)
        assert rig.answer(prompt, SHORT) == right


REPACKED = """
import json
from unittest.mock import patch
from actors.loading import LoadSpec, Switch
from tkinfer.engines.llama import api, weights
found = {}
for amx in (False, True):
    info = b"CPU : AVX2 = 1 | AMX_INT8 = 1 | " if amx else b"CPU : AVX2 = 1 | "
    with patch.object(api.C, "llama_print_system_info", lambda: info):
        for repack in Switch:
            params = weights.model_params(LoadSpec(path="x", repack=repack))
            found[f"{repack} {amx}"] = params.use_extra_bufts
print(json.dumps(found))
"""


def test_weights_are_repacked_unless_built_with_amx() -> None:
    run = subprocess.run(
        [sys.executable, "-c", REPACKED], capture_output=True, check=True, timeout=60
    )
    assert json.loads(run.stdout) == {
        "auto False": True,
        "auto True": False,
        "on False": True,
        "on True": True,
        "off False": False,
        "off True": False,
    }


@pytest.mark.parametrize("cache_type", [CacheType.Q8_0, CacheType.Q4_0])
def test_a_smaller_cache_type_is_smaller_and_answers(
    rig: Rig, tiny: Path, cache_type: CacheType
) -> None:
    large = plan_of(rig, tiny)
    small = plan_of(rig, tiny, cache_type=cache_type)
    share = {CacheType.Q8_0: 34 / 64, CacheType.Q4_0: 18 / 64}[cache_type]
    assert small.cache_bytes == pytest.approx(large.cache_bytes * share, rel=0.01)
    assert rig.answer("hello", SHORT)


@pytest.mark.parametrize("cache_type", [CacheType.Q8_0, CacheType.Q4_0])
def test_a_quantised_cache_without_flash_attention_is_refused_in_words(
    rig: Rig, tiny: Path, cache_type: CacheType
) -> None:
    good = rig.load(tiny).info
    failure = refused_with(rig, tiny, cache_type=cache_type, flash_attention=Switch.OFF)
    assert isinstance(failure.error, ModelLoadError)
    assert f"a KV cache of type {cache_type} needs flash attention" in failure.error.what
    assert failure.still_loaded == good


def test_heads_that_are_no_multiple_of_the_caches_blocks(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "narrow.gguf", width=32)
    rig.load(path)
    failure = refused_with(rig, path, cache_type=CacheType.Q8_0)
    assert failure.still_loaded is not None
    assert "narrow.gguf can't have a KV cache of type q8_0" in str(failure.error)
    assert "Choose the type f16" in str(failure.error)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch": 31}, "batch size is 31; it must be 32 to 2048"),
        ({"batch": 2049}, "batch size is 2049; it must be 32 to 2048"),
        ({"threads": 0}, "0 threads; it must be 1 to 512"),
        ({"threads": 513}, "513 threads; it must be 1 to 512"),
        ({"context_size": 63}, "context size is 63; it must be 64 or more"),
        ({"context_size": 32_769}, "32,769 are too many. Choose at most 32,768."),
        ({"context_size": 1 << 40}, "are too many. Choose at most 32,768."),
        ({"gpu_layers": -2}, "-2 layers; it must be 0 or more"),
        ({"device": "CUDA7"}, "There is no GPU named CUDA7; found: none."),
    ],
    ids=str,
)
def test_what_is_out_of_range_is_refused_with_its_value(
    rig: Rig, tiny: Path, options: dict[str, Any], words: str
) -> None:
    good = rig.load(tiny).info
    failure = refused_with(rig, tiny, **options)
    assert isinstance(failure.error, ModelLoadError)
    assert words in str(failure.error)
    assert failure.error.next_step
    assert failure.still_loaded == good


def test_a_context_longer_than_trained_is_allowed(rig: Rig, tiny: Path) -> None:
    plan = plan_of(rig, tiny, context_size=32_768)
    assert plan.context_size == 32_768
    assert plan.context_train == 8192
    assert rig.answer("hello", SHORT)


def test_a_context_is_rounded_up_as_llama_cpp_does(rig: Rig, tiny: Path) -> None:
    info = loaded_with(rig, tiny, context_size=300).info
    assert info.plan is not None
    assert info.context_size == info.plan.context_size == 512


@pytest.mark.parametrize("trained", [1, 300])
def test_a_batch_larger_than_the_context(rig: Rig, tmp_path: Path, trained: int) -> None:
    """llama.cpp would cut the batch to the size asked for, and end the process at a larger one."""
    path = write_tiny_gguf(tmp_path / "short.gguf", context=trained)
    info = loaded_with(rig, path, batch=2048).info
    assert info.context_size == -(-trained // 256) * 256
    assert rig.answer("x" * 200, SHORT)


@pytest.mark.parametrize("architecture", ODD)
def test_odd_architectures_load_and_answer(rig: Rig, tmp_path: Path, architecture: str) -> None:
    path = write_tiny_gguf(tmp_path / "odd.gguf", architecture=architecture)
    info = rig.load(path).info
    assert info.description.startswith(architecture)
    answer = rig.answer("hello", SHORT)
    assert answer
    with Rig() as fresh:
        fresh.load(path)
        assert fresh.answer("hello", SHORT) == answer


def test_a_sliding_window_takes_less_and_answers_the_same(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "window.gguf", architecture="gemma3")
    prompt = "All work and no play. " * 20
    full = plan_of(rig, path)
    right = rig.answer(prompt, SHORT)
    window = plan_of(rig, path, swa_full=Switch.OFF)
    assert rig.answer(prompt, SHORT) == right
    assert full.swa_full
    assert not window.swa_full
    assert window.cache_bytes < full.cache_bytes / 3


@pytest.mark.parametrize("spm", [False, True])
def test_both_kinds_of_vocabulary(rig: Rig, tmp_path: Path, spm: bool) -> None:
    path = write_tiny_gguf(tmp_path / "words.gguf", spm=spm, thinking=True)
    rig.load(path)
    assert rig.answer("hello there é", SHORT).isprintable()


def test_a_long_trained_context_is_used(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "long.gguf", context=131_072)
    assert plan_of(rig, path).context_size == 131_072
