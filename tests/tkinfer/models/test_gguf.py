import struct
from contextlib import suppress
from pathlib import Path

import pytest
from gguf.constants import GGML_QUANT_SIZES, LlamaFileType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tiny_gguf import CONTEXT, write_tiny_gguf
from tkinfer.errors import ModelFileError
from tkinfer.models import gguf, gguf_reader


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_tiny_gguf(tmp_path_factory.mktemp("good") / "good.gguf").read_bytes()


def refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        gguf.read_header(str(path))
    assert caught.value.next_step
    return caught.value.what


def test_what_a_header_says(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "a.gguf", layers=2)
    header = gguf.read_header(str(path))
    assert header == gguf.GgufHeader(
        path=str(path),
        name="Tiny",
        architecture="llama",
        quantisation="F32",
        context_train=CONTEXT,
        size_bytes=path.stat().st_size,
        parts=(str(path),),
        layer_bytes=header.layer_bytes,
    )
    weights = sum(header.layer_bytes.values())
    assert sorted(header.layer_bytes) == [-1, 0, 1]
    assert header.layer_bytes[0] == header.layer_bytes[1]
    assert 0.95 * header.size_bytes < weights < header.size_bytes  # the rest is vocabulary


def test_a_cut_anywhere_is_incomplete(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    for cut in {*range(4, 3000, 97), *range(3000, len(good), 9001), len(good) - 1}:
        path.write_bytes(good[:cut])
        assert refusal(path).startswith("model.gguf is incomplete: it has ")


def test_both_sizes_are_said(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(good[: int(len(good) * 0.6)])
    assert refusal(path) == "model.gguf is incomplete: it has 0.3 MB of 0.4 MB."


@pytest.mark.parametrize(
    ("tensors", "fields"),
    [(2**63, 1), (1, 2**63), (2**32, 1), (0, 2**25)],
)
def test_counts_that_cannot_be_true(tmp_path: Path, tensors: int, fields: int) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, tensors, fields) + bytes(1000))
    assert refusal(path) == "model.gguf is damaged: its header makes no sense."


@pytest.mark.parametrize(
    ("version", "words"), [(1, "version 1"), (9, "version 9"), (0x03000000, "big-endian")]
)
def test_versions_that_are_not_known(tmp_path: Path, version: int, words: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, 0))
    assert words in refusal(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(4, 2000), st.integers(0, 255)), max_size=5))
def test_a_garbled_header_is_read_or_refused_but_never_believed(
    good: bytes, tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    garbled = bytearray(good)
    for position, value in changes:
        garbled[position] = value
    path = tmp_path / "model.gguf"
    path.write_bytes(garbled)
    with suppress(ModelFileError):
        gguf.read_header(str(path))


def test_a_file_one_may_not_read(
    good: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(good)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as root, who may read all
    assert refusal(path) == "model.gguf can't be opened: Permission denied."


def _error(path: Path) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        gguf.read_header(str(path))
    return caught.value


@pytest.mark.parametrize("layers", [0, 513, 2**32 - 1])
def test_a_number_of_layers_that_cannot_be(tmp_path: Path, layers: int) -> None:
    path = write_tiny_gguf(
        tmp_path / "model.gguf", tweak=lambda writer: writer.add_block_count(layers)
    )
    assert refusal(path) == f"model.gguf is damaged: it says that it has {layers:,} layers."


@pytest.mark.parametrize(
    "name", ["x.gguf-split-a", "x.gguf.part1of2", "x.gguf.001", "x.gguf.aa", "x.GGUF_part-1"]
)
def test_a_piece_of_a_cut_file_is_to_be_joined(good: bytes, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(good[: len(good) // 2])
    assert "join all pieces" in _error(path).next_step
    path = tmp_path / "whole.gguf"
    path.write_bytes(good[: len(good) // 2])
    assert "Download it again" in _error(path).next_step


def test_garbage_behind_the_end_does_no_harm(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(good + b"GGUF and more")
    assert gguf.read_header(str(path)).name == "Tiny"


@pytest.mark.parametrize("path", ["/nowhere/at/all.gguf", "/", "/dev/null", "a\0b", ""])
def test_paths_that_lead_nowhere(path: str) -> None:
    assert refusal(Path(path)) if path else _error(Path("/nowhere/"))


def test_the_tables_agree_with_the_formats_own_package() -> None:
    sizes = {kind.value: size for kind, size in GGML_QUANT_SIZES.items()}
    shared = sizes.keys() & gguf_reader._TENSOR_TYPES.keys()
    assert shared
    assert {k: sizes[k] for k in shared} == {k: gguf_reader._TENSOR_TYPES[k] for k in shared}
    for kind in LlamaFileType:
        name = kind.name.removeprefix("MOSTLY_").removeprefix("ALL_")
        assert gguf._FILE_TYPES.get(kind.value, name) == name
