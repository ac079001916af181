"""Files that load, files that can't be loaded, and what becomes of the model in use."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from actors.engine import LoadProgress
from actors.sampling import Sampling
from tests.tiny_gguf import part_path, write_tiny_gguf
from tests.tkinfer.engines.rig import Rig
from tkinfer.errors import ModelError, ModelFileError, ModelLoadError

SHORT = Sampling(temperature=0, max_tokens=8)
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 12345\n"


def _cut(path: Path, share: float) -> None:
    write_tiny_gguf(path)
    os.truncate(path, int(path.stat().st_size * share))


def _unreadable(path: Path) -> None:
    write_tiny_gguf(path)
    path.chmod(0)


M1: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "model.gguf is not a GGUF file"),
    "pointer": (lambda path: path.write_text(LFS), "model.gguf is not a GGUF file.*Git LFS"),
    "page": (
        lambda path: path.write_text("<!DOCTYPE html>\n<html></html>"),
        "model.gguf is not a GGUF file.*web page",
    ),
    "magic only": (lambda path: path.write_bytes(b"GGUF"), "model.gguf is incomplete"),
    "cut at 60 %": (lambda path: _cut(path, 0.6), r"model.gguf is incomplete: it has .* of .* MB"),
    "unknown kind": (
        lambda path: write_tiny_gguf(path, architecture="nosuch"),
        "model.gguf: architecture nosuch is not supported",
    ),
    "embeddings": (
        lambda path: write_tiny_gguf(path, architecture="nomic-bert"),
        "model.gguf can't chat: nomic-bert",
    ),
    "cut in the header": (lambda path: _cut(path, 0.002), "model.gguf is incomplete"),
    "a byte short": (lambda path: _cut(path, 0.99999), "model.gguf is incomplete"),
    "folder": (lambda path: path.mkdir(), "model.gguf is not a GGUF file: it is a folder"),
    "missing": (lambda _: None, "model.gguf is not there"),
    "pipe": (os.mkfifo, "model.gguf is not a GGUF file"),
    "no tensors": (
        lambda path: write_tiny_gguf(path, layers=1, tweak=lambda w: w.add_block_count(9)),
        "llama.cpp can't load model.gguf",
    ),
}


@pytest.mark.parametrize("kind", M1)
def test_m1_one_message_names_the_file_and_the_cause(
    rig: Rig, tiny: Path, tmp_path: Path, kind: str
) -> None:
    write, words = M1[kind]
    good = rig.load(tiny).info
    right = rig.answer("hello", SHORT)
    bad = tmp_path / "model.gguf"
    write(bad)
    failure = rig.load_error(bad)
    assert isinstance(failure.error, ModelError)
    assert failure.error.next_step
    assert re.search(words, str(failure.error)), str(failure.error)
    assert failure.still_loaded == good
    assert rig.answer("hello", SHORT) == right
    assert "__del__" not in failure.error.detail


def _split(folder: Path, name: str = "big", layers: int = 1) -> list[Path]:
    path = folder / f"{name}.gguf"
    write_tiny_gguf(path, parts=3, layers=layers)
    return [part_path(path, number, 3) for number in (1, 2, 3)]


def _without_last(parts: list[Path]) -> Path:
    parts[2].unlink()
    return parts[0]


def _swapped(parts: list[Path]) -> Path:
    first, second, third = parts
    aside = second.rename(second.with_name("aside"))
    third.rename(second)
    aside.rename(third)
    return first


def _renamed(parts: list[Path]) -> Path:
    return parts[0].rename(parts[0].with_name("other.gguf"))


def _mixed(parts: list[Path]) -> Path:
    _split(parts[0].parent, "foreign", layers=2)[1].rename(parts[1])
    return parts[0]


def _joined(parts: list[Path]) -> Path:
    path = parts[0].with_name("joined.gguf")
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


SPLIT: dict[str, tuple[Callable[[list[Path]], Path], str]] = {
    "later part": (lambda parts: parts[1], "Open the first one, big-00001-of-00003.gguf"),
    "part missing": (_without_last, "its part big-00003-of-00003.gguf is missing"),
    "wrong order": (_swapped, "big-00002-of-00003.gguf is in truth part 3 of 3"),
    "renamed": (_renamed, "must be named like other-00001-of-00003.gguf"),
    "two models": (_mixed, "big-00002-of-00003.gguf belongs to another model"),
    "joined": (_joined, "joined.gguf holds several parts"),
}


@pytest.mark.parametrize("kind", SPLIT)
def test_parts_that_do_not_fit_are_named_and_the_model_in_use_stays(
    rig: Rig, tiny: Path, tmp_path: Path, kind: str
) -> None:
    tamper, words = SPLIT[kind]
    good = rig.load(tiny).info
    failure = rig.load_error(tamper(_split(tmp_path)))
    assert isinstance(failure.error, ModelFileError)
    assert words in str(failure.error)
    assert failure.still_loaded == good
    assert rig.answer("hello", SHORT)


def test_a_split_model_answers_like_the_whole(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    rig.load(tiny)
    right = rig.answer("hello", SHORT)
    parts = _split(tmp_path)
    info = rig.load(parts[0]).info
    assert info.size_bytes == sum(part.stat().st_size for part in parts)
    assert rig.answer("hello", SHORT) == right


def test_garbage_behind_the_end_does_no_harm(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "longer.gguf"
    path.write_bytes(tiny.read_bytes() + b"garbage" * 1000)
    rig.load(tiny)
    right = rig.answer("hello", SHORT)
    rig.load(path)
    assert rig.answer("hello", SHORT) == right


def test_without_a_model_before_there_is_none_after(rig: Rig, tmp_path: Path) -> None:
    bad = write_tiny_gguf(tmp_path / "model.gguf", architecture="nosuch")
    failure = rig.load_error(bad)
    assert isinstance(failure.error, ModelLoadError)
    assert "architecture nosuch is not supported" in failure.error.what
    assert failure.still_loaded is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_file_one_may_not_read(rig: Rig, tmp_path: Path) -> None:
    _unreadable(tmp_path / "model.gguf")
    failure = rig.load_error(tmp_path / "model.gguf")
    assert isinstance(failure.error, ModelFileError)
    assert "Permission denied" in failure.error.what


def test_m3_paths_in_any_script(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "Модели モデル é (v2) #1 100%"
    folder.mkdir()
    path = write_tiny_gguf(folder / "tiny\u3000模型.gguf")
    for _ in range(2):
        assert rig.load(path).info.path == str(path)
        assert rig.answer("hello", SHORT)
        rig.kill()


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
def test_a_path_that_is_no_text(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.gguf")
    write_tiny_gguf(tmp_path / "plain.gguf").rename(path)
    assert rig.load(path).info.path == str(path)


def test_progress_only_grows_and_ends_at_one(rig: Rig, slow: Path) -> None:
    turn = rig.load(slow).turn
    fractions = [event.fraction for event in rig.of(LoadProgress, turn)]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1


def test_one_model_after_another(rig: Rig, tiny: Path, slow: Path) -> None:
    first = rig.load(tiny)
    assert rig.load(slow).info.path == str(slow)
    again = rig.load(tiny).info
    assert first.info.plan is not None
    assert again.plan is not None
    free = first.info.plan.available_bytes  # which others change meanwhile
    assert replace(again, plan=replace(again.plan, available_bytes=free)) == first.info
    rig.engine.unload()
    rig.until(lambda: type(rig.events[-1]).__name__ == "Unloaded")
    assert rig.failed(rig.start("hello")).model_lost
