"""Fixtures for tests of the window."""

from collections.abc import Iterator

import pytest

from tests.tkinfer.ui.rig import Rig


@pytest.fixture
def rig(display: str) -> Iterator[Rig]:
    """A window of its own. An error in any of its callbacks fails the test."""
    assert display
    rig = Rig()
    yield rig
    rig.close()
    assert rig.errors == []
