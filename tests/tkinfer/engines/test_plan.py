"""Does it fit? Asked of the real child, which is told that so much memory is free."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from actors.loading import CacheType
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.loads import SHORT, loaded_with, refused_with
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import ModelLoadError

ROOT = str(Path(__file__).resolve().parents[3])
MB = 10**6
TRAINED = 131_072
TOKEN_BYTES = 2 * 2 * 32 * 2
"""Of the tiny model's cache for each layer: keys and values x heads x their length x f16."""


@contextmanager
def rig_with(free: int) -> Iterator[Rig]:
    """An engine in whose eyes so many bytes are free, at every load."""
    code = (
        f"import sys; sys.path.insert(0, {ROOT!r})\n"
        "from tkinfer.engines import ram\n"
        f"ram.available_bytes = lambda: {free}\n"
        "from tkinfer.engines.worker import main\n"
        "main()\n"
    )
    with Rig([sys.executable, "-P", "-c", code]) as rig:
        yield rig


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose whole context takes 268 MB."""
    folder = tmp_path_factory.mktemp("wide")
    return write_tiny_gguf(folder / "wide.gguf", layers=8, context=TRAINED)


def test_a_context_left_open_is_cut_to_what_fits(wide: Path) -> None:
    with rig_with(200 * MB) as rig:
        info = rig.load(wide).info
        plan = info.plan
        assert plan is not None
        assert 2048 < plan.context_size < TRAINED
        assert info.context_size == plan.context_size
        assert plan.cache_bytes == pytest.approx(plan.context_size * TOKEN_BYTES * 8, rel=0.01)
        assert plan.total_bytes < 200 * MB
        assert plan.available_bytes == 200 * MB
        assert rig.answer("hello", SHORT)


def test_what_does_not_fit_is_refused_with_numbers_and_the_model_in_use_stays(
    wide: Path, tiny: Path
) -> None:
    with rig_with(150 * MB) as rig:
        good = rig.load(tiny).info
        right = rig.answer("hello", SHORT)
        failure = refused_with(rig, wide, context_size=TRAINED)
        assert isinstance(failure.error, ModelLoadError)
        what = failure.error.what
        assert what.startswith("wide.gguf needs 3")
        assert " MB: 1.6 MB of weights and " in what
        assert " for a context of 131,072 tokens; 15" in what  # 150 MB, and tiny's cache
        assert what.endswith(" MB are free.")
        assert "context of at most " in failure.error.next_step
        assert failure.still_loaded == good
        assert rig.answer("hello", SHORT) == right


def test_all_the_same_loads_all_the_same(wide: Path) -> None:
    with rig_with(5 * MB) as rig:
        assert isinstance(refused_with(rig, wide).error, ModelLoadError)
        info = loaded_with(rig, wide, ignore_memory=True).info
        assert info.context_size == 2048
        assert rig.answer("hello", SHORT)


def test_a_smaller_cache_type_makes_room(wide: Path) -> None:
    with rig_with(250 * MB) as rig:
        refused_with(rig, wide, context_size=TRAINED)
        loaded_with(rig, wide, context_size=TRAINED, cache_type=CacheType.Q4_0)


@pytest.mark.parametrize(
    ("options", "weights"), [({}, False), ({"mmap": False}, True), ({"mlock": True}, True)], ids=str
)
def test_the_model_in_use_counts_as_free_since_it_goes_first(
    wide: Path, options: dict[str, Any], weights: bool
) -> None:
    """Without its weights where these are mapped, since those pages are available anyway."""
    with rig_with(250 * MB) as rig:
        first = loaded_with(rig, wide, context_size=65_536, **options).info.plan
        second = loaded_with(rig, wide, context_size=65_536).info.plan
        assert first is not None
        assert second is not None
        freed = second.available_bytes - first.available_bytes
        held = first.total_bytes if weights else first.cache_bytes + first.compute_bytes
        assert freed == held


def test_a_window_is_kept_in_full_only_where_there_is_room(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "window.gguf", architecture="gemma3", context=65_536)
    plans = []
    for free in (1000 * MB, 100 * MB):
        with rig_with(free) as rig:
            plans.append(rig.load(path).info.plan)
            assert rig.answer("hello", SHORT)
    full, window = plans
    assert full is not None
    assert window is not None
    assert (full.swa_full, window.swa_full) == (True, False)
    assert full.context_size == window.context_size == 65_536
    assert window.cache_bytes < full.cache_bytes / 3


def test_a_recurrent_state_does_not_grow_with_the_context(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "mamba.gguf", architecture="mamba", context=1 << 20)
    with rig_with(20 * MB) as rig:
        info = rig.load(path).info
        assert info.context_size == 1 << 20
        assert rig.answer("hello", SHORT)


def test_the_plan_is_what_the_child_then_takes(tmp_path: Path) -> None:
    """RSS, and not only numbers that agree with one another: within a fifth."""
    path = write_tiny_gguf(tmp_path / "large.gguf", layers=8, context=TRAINED)
    with Rig() as rig:
        rig.load(path, context_size=2048)
        pid = rig.engine.pid
        assert pid is not None
        process = psutil.Process(pid)
        before = process.memory_info().rss
        plan = loaded_with(rig, path, context_size=TRAINED).info.plan
        assert plan is not None
        grown = process.memory_info().rss - before
        assert grown == pytest.approx(plan.cache_bytes, rel=0.2)
