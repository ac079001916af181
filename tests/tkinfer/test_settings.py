"""The settings file: round trip, damage, and folders that can't be written."""

from pathlib import Path

import pytest

from tkinfer import settings
from tkinfer.errors import SettingsError
from tkinfer.settings import FILE_NAME, MAX_RECENT, Settings, SettingsKeeper
from tkinfer.ui.view import Appearance

ODD_NAME = "Модели モデル é (v2) #1 100%/tiny\u3000模型.gguf"


def test_a_round_trip_keeps_every_name_letter_for_letter(tmp_path: Path) -> None:
    """Case M-3."""
    folder = tmp_path / "Ünïcode 用户"
    given = Settings(appearance=Appearance.DARK, window_size="900x700", zoom=2, fonts_told=True)
    given.remember_model(ODD_NAME)
    settings.save(given, folder)
    assert settings.load(folder) == (given, None)
    assert [file.name for file in folder.iterdir()] == [FILE_NAME]


def test_recent_models_are_few_and_newest_first(tmp_path: Path) -> None:
    del tmp_path
    known = Settings()
    for number in range(MAX_RECENT + 3):
        known.remember_model(f"{number}.gguf")
    known.remember_model("7.gguf")
    assert known.recent_models[:2] == ["7.gguf", f"{MAX_RECENT + 2}.gguf"]
    assert len(known.recent_models) == MAX_RECENT


@pytest.mark.parametrize("damage", [b"\0" * 64, b"[[[", b"\xff\xfe", b'appearance = "dark'])
def test_a_damaged_file_is_set_aside_and_reported(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(damage)
    read, problem = settings.load(tmp_path)
    assert read == Settings()
    assert problem is not None
    assert f"{FILE_NAME}.damaged-1" in problem.what
    assert (tmp_path / f"{FILE_NAME}.damaged-1").read_bytes() == damage
    settings.save(Settings(), tmp_path)
    (tmp_path / FILE_NAME).write_bytes(damage)
    settings.load(tmp_path)
    assert (tmp_path / f"{FILE_NAME}.damaged-2").exists()


def test_unusable_entries_are_ignored(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(
        'appearance = "pink"\nmodel = 3\nrecent_models = ["a", 1]\nzoom = true\nnew = "thing"\n'
    )
    read, problem = settings.load(tmp_path)
    assert problem is None
    assert read == Settings(recent_models=["a"])


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SettingsError, match="file"):
        settings.save(Settings(), tmp_path / "file" / "sub")


def test_the_last_of_many_quick_changes_wins(tmp_path: Path) -> None:
    keeper = SettingsKeeper(Settings(), tmp_path)
    for zoom in range(10):
        keeper.settings.zoom = zoom
        keeper.save_soon()
    keeper.finish(10.0)
    assert settings.load(tmp_path)[0].zoom == 9
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]
