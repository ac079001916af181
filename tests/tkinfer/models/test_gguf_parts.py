"""Split models, and what can have become of their parts. Each case names the file that is wrong."""

import struct
from pathlib import Path

import pytest
from gguf import GGUFWriter

from tests.tiny_gguf import part_path, write_tiny_gguf
from tkinfer.errors import ModelFileError
from tkinfer.models.gguf import read_header


class Parts:
    """A model in three files, to be tampered with."""

    def __init__(self, folder: Path, name: str = "big", **options: object) -> None:
        self.base = folder / f"{name}.gguf"
        write_tiny_gguf(self.base, parts=3, **options)  # type: ignore[arg-type]

    def path(self, number: int) -> Path:
        return part_path(self.base, number, 3)

    def swap(self, one: int, other: int) -> None:
        mine, its = self.path(one).read_bytes(), self.path(other).read_bytes()
        self.path(one).write_bytes(its)
        self.path(other).write_bytes(mine)


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return Parts(tmp_path)


def refusal(path: Path) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        read_header(str(path))
    assert caught.value.next_step
    return caught.value


def test_all_parts_are_found(parts: Parts) -> None:
    files = [parts.path(number) for number in (1, 2, 3)]
    header = read_header(str(files[0]))
    assert header.parts == tuple(map(str, files))
    assert header.size_bytes == sum(file.stat().st_size for file in files)
    whole = write_tiny_gguf(parts.base.with_name("whole.gguf"))
    assert header.layer_bytes == read_header(str(whole)).layer_bytes


@pytest.mark.parametrize("number", [2, 3])
def test_a_later_part_names_the_first(parts: Parts, number: int) -> None:
    error = refusal(parts.path(number))
    name = f"big-0000{number}-of-00003.gguf"
    assert error.what == f"{name} is one part of a model that is split into 3 files."
    assert error.next_step == "Open the first one, big-00001-of-00003.gguf."


@pytest.mark.parametrize("number", [2, 3])
def test_a_missing_part_is_named(parts: Parts, number: int) -> None:
    parts.path(number).unlink()
    what = refusal(parts.path(1)).what
    missing = f"big-0000{number}-of-00003.gguf"
    assert what == f"big-00001-of-00003.gguf is incomplete: its part {missing} is missing."


def test_of_several_missing_parts_one_is_named(parts: Parts) -> None:
    parts.path(2).unlink()
    parts.path(3).unlink()
    what = refusal(parts.path(1)).what
    assert what.endswith("its part big-00002-of-00003.gguf is missing, and 1 more.")


def test_a_later_part_that_is_cut_is_named(parts: Parts) -> None:
    content = parts.path(3).read_bytes()
    parts.path(3).write_bytes(content[:-9000])
    assert refusal(parts.path(1)).what.startswith("big-00003-of-00003.gguf is incomplete: it has ")


def test_a_later_part_that_is_no_model_is_named(parts: Parts) -> None:
    parts.path(2).write_text("<!doctype html>")
    assert refusal(parts.path(1)).what == (
        "big-00002-of-00003.gguf is not a GGUF file: it is a web page."
    )


def test_parts_in_the_wrong_order(parts: Parts) -> None:
    parts.swap(2, 3)
    error = refusal(parts.path(1))
    assert error.what.startswith("big-00002-of-00003.gguf is in truth part 3 of 3")
    assert error.next_step == "It must be named big-00003-of-00003.gguf."


def test_the_first_part_in_a_wrong_place(parts: Parts) -> None:
    parts.swap(1, 3)
    for number, truly in ((1, 3), (3, 1)):
        error = refusal(parts.path(number))
        assert error.what.startswith(f"{parts.path(number).name} is in truth part {truly} of 3")
        assert error.next_step == f"It must be named {parts.path(truly).name}."


def test_a_count_that_is_not_that_of_the_name(parts: Parts) -> None:
    renamed = part_path(parts.base, 1, 2)
    parts.path(1).rename(renamed)
    error = refusal(renamed)
    assert error.what.startswith("big-00001-of-00002.gguf is in truth part 1 of 3")
    assert error.next_step == "It must be named big-00001-of-00003.gguf."


@pytest.mark.parametrize("name", ["model.gguf", "big-1-of-3.gguf", "big-00001-of-00003 (1).gguf"])
def test_a_renamed_part_is_told_its_name(parts: Parts, name: str) -> None:
    renamed = parts.base.with_name(name)
    parts.path(1).rename(renamed)
    error = refusal(renamed)
    assert error.what == (
        f"{name} is part 1 of a model that is split into 3 files, and its name doesn't say so."
    )
    assert error.next_step.endswith(f"like {name.removesuffix('.gguf')}-00001-of-00003.gguf.")


def test_a_part_of_another_model(parts: Parts) -> None:
    other = Parts(parts.base.parent, "other", layers=2)
    other.path(2).rename(parts.path(2))
    error = refusal(parts.path(1))
    assert error.what == (
        "big-00002-of-00003.gguf belongs to another model than big-00001-of-00003.gguf."
    )


def test_a_part_that_names_another_model(parts: Parts) -> None:
    stranger = GGUFWriter(str(parts.path(2)), "llama")
    stranger.add_name("Stranger")
    stranger.add_uint16("split.no", 1)
    stranger.add_uint16("split.count", 3)
    stranger.write_header_to_file()
    stranger.write_kv_data_to_file()
    stranger.write_tensors_to_file()
    stranger.close()
    assert "belongs to another model" in refusal(parts.path(1)).what


def test_a_whole_model_in_the_place_of_a_part(parts: Parts) -> None:
    write_tiny_gguf(parts.path(2))
    error = refusal(parts.path(1))
    assert error.what.startswith("big-00002-of-00003.gguf is not part 2 of big-00001-of-00003.gguf")


def _set_number(path: Path, key: str, form: str, number: int) -> None:
    content = bytearray(path.read_bytes())
    at = content.index(key.encode()) + len(key) + 4  # the value's type comes between
    struct.pack_into(form, content, at, number)
    path.write_bytes(content)


def test_tensors_that_do_not_add_up(parts: Parts) -> None:
    for number in (1, 2, 3):
        _set_number(parts.path(number), "split.tensors.count", "<i", 13)
    error = refusal(parts.path(1))
    assert error.what.endswith("they hold 12 tensors, and should hold 13.")


def test_a_part_beyond_the_count(parts: Parts) -> None:
    _set_number(parts.path(1), "split.no", "<H", 7)
    assert refusal(parts.path(1)).what.endswith("it says that it is part 8 of 3.")


@pytest.mark.parametrize("name", ["joined.gguf", "big-00001-of-00003.gguf"])
@pytest.mark.parametrize("gap", [b"", bytes(40)])
def test_parts_put_behind_one_another(parts: Parts, name: str, gap: bytes) -> None:
    joined = gap.join(parts.path(number).read_bytes() for number in (1, 2, 3))
    path = parts.base.with_name(name)
    path.write_bytes(joined)
    error = refusal(path)
    assert error.what == f"{name} holds several parts of a split model, one put behind another."
    assert "llama-gguf-split --merge" in error.next_step


@pytest.mark.parametrize("with_another", [False, True])
def test_a_whole_model_may_have_the_name_of_a_part(tmp_path: Path, with_another: bool) -> None:
    path = write_tiny_gguf(part_path(tmp_path / "big.gguf", 1, 3))
    if with_another:
        part_path(tmp_path / "big.gguf", 2, 3).write_text("garbage")
    assert read_header(str(path)).parts == (str(path),)


def test_parts_with_padding_behind_the_end(parts: Parts) -> None:
    for number in (1, 2, 3):
        with parts.path(number).open("ab") as file:
            file.write(bytes(100))
    assert len(read_header(str(parts.path(1))).parts) == 3
