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
    path = write_tiny_gguf(tmp_path / "a.gguf")
    header = gguf.read_header(str(path))
    assert header == gguf.GgufHeader(
        path=str(path),
        name="Tiny",
        architecture="llama",
        quantisation="F32",
        context_train=CONTEXT,
        size_bytes=path.stat().st_size,
        parts=(str(path),),
    )


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


def test_split_models(good: bytes, tmp_path: Path) -> None:
    names = [f"big-{number:05}-of-00003.gguf" for number in (1, 2, 3)]
    for name in names:
        (tmp_path / name).write_bytes(good)
    header = gguf.read_header(str(tmp_path / names[0]))
    assert [Path(part).name for part in header.parts] == names
    assert header.size_bytes == 3 * len(good)
    assert "Open the first one, big-00001-of-00003.gguf" in str(_error(tmp_path / names[1]))
    (tmp_path / names[2]).unlink()
    assert refusal(tmp_path / names[0]).endswith(f"its part {names[2]} is missing.")


def _error(path: Path) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        gguf.read_header(str(path))
    return caught.value


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
