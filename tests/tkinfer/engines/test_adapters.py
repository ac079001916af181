"""LoRA adapters over the real child."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.loading import Lora
from tests.tiny_gguf import write_tiny_gguf
from tests.tiny_lora import write_tiny_lora
from tests.tkinfer.engines.loads import SHORT, loaded_with, refused_with
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import ModelLoadError


@pytest.fixture(scope="module")
def rig(tiny: Path) -> Iterator[Rig]:
    """One engine for all, which none of these loads may end."""
    with Rig() as rig:
        rig.load(tiny)
        yield rig


def test_an_adapter_changes_the_answer_and_at_scale_0_does_not(
    rig: Rig, tiny: Path, tmp_path: Path
) -> None:
    adapter = str(write_tiny_lora(tmp_path / "style.gguf"))
    answers: dict[float | None, str] = {}
    for scale in (None, 0.0, 1.0, 3.0, 1.0, None):
        loras = () if scale is None else (Lora(path=adapter, scale=scale),)
        loaded_with(rig, tiny, loras=loras)
        answer = rig.answer("hello", SHORT)
        assert answers.setdefault(scale, answer) == answer
    assert answers[0.0] == answers[None]
    assert len({answers[None], answers[1.0], answers[3.0]}) == 3


def test_two_adapters_work_together(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    one = Lora(path=str(write_tiny_lora(tmp_path / "one.gguf")))
    other = Lora(path=str(write_tiny_lora(tmp_path / "two.gguf", tensor="blk.0.attn_v.weight")))
    answers = set[str]()
    for loras in ((one,), (other,), (one, other)):
        loaded_with(rig, tiny, loras=loras)
        answers.add(rig.answer("hello", SHORT))
    assert len(answers) == 3


def test_the_plan_counts_adapters_as_weights(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    adapter = write_tiny_lora(tmp_path / "style.gguf")
    without = loaded_with(rig, tiny).info.plan
    plan = loaded_with(rig, tiny, loras=(Lora(path=str(adapter)),)).info.plan
    assert plan is not None
    assert without is not None
    assert plan.weights_bytes == without.weights_bytes + adapter.stat().st_size


def _cut(path: Path) -> None:
    write_tiny_lora(path)
    os.truncate(path, path.stat().st_size - 100)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "The adapter can't be used: style.gguf is not there"),
    "a folder": (lambda path: path.mkdir(), "style.gguf is not a GGUF file: it is a folder"),
    "a text": (lambda path: path.write_text("hello"), "style.gguf is not a GGUF file"),
    "cut": (_cut, "The adapter can't be used: style.gguf is incomplete"),
    "a model": (write_tiny_gguf, "style.gguf is not a LoRA adapter."),
    "another kind": (
        lambda path: write_tiny_lora(path, kind="alora"),
        "style.gguf is not a LoRA adapter.",
    ),
    "another architecture": (
        lambda path: write_tiny_lora(path, architecture="mamba"),
        "can't be used with tiny.gguf: it was made for mamba models, and this one is llama.",
    ),
    "another shape": (
        lambda path: write_tiny_lora(path, width=128),
        "The adapter style.gguf can't be used with tiny.gguf: it was made for another model.",
    ),
    "another tensor": (
        lambda path: write_tiny_lora(path, tensor="blk.9.attn_q.weight"),
        "The adapter style.gguf can't be used with tiny.gguf: it was made for another model.",
    ),
    "half a pair": (
        lambda path: write_tiny_lora(path, both=False),
        "The adapter style.gguf can't be used with tiny.gguf: LoRA tensor pair for",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_adapter_is_named_and_the_model_in_use_stays(
    rig: Rig, tiny: Path, tmp_path: Path, kind: str
) -> None:
    write, words = BAD[kind]
    good = rig.load(tiny).info
    right = rig.answer("hello", SHORT)
    path = tmp_path / "style.gguf"
    write(path)
    failure = refused_with(rig, tiny, loras=(Lora(path=str(path)),))
    assert type(failure.error) is ModelLoadError
    assert words in failure.error.what
    assert failure.error.next_step
    assert failure.still_loaded == good
    assert rig.answer("hello", SHORT) == right


def test_an_adapter_is_no_model(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_lora(tmp_path / "style.gguf")
    error = refused_with(rig, path).error
    assert str(error).startswith("style.gguf is an adapter, not a model.")
