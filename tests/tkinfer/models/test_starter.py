import sys
from pathlib import Path

import pytest

from tkinfer.models import starter
from tkinfer.models.gguf import read_header


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter, "PACKAGE", "no_such_package_at_all")
    assert starter.starter_path() is None


def test_its_file_is_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "fake_starter"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('not to be imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(starter, "PACKAGE", "fake_starter")
    assert starter.starter_path() is None
    (package / "x.gguf").touch()
    assert starter.starter_path() == package / "x.gguf"
    assert "fake_starter" not in sys.modules


@pytest.mark.model
def test_the_real_one_is_whole() -> None:
    path = starter.starter_path()
    if path is None:
        pytest.skip(f"the starter model is not installed: pip install {starter.PACKAGE}")
    header = read_header(str(path))
    assert header.architecture == "llama"
    assert header.context_train == 8192
