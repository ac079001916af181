"""Files that are damaged: whatever they do to the child is told, and the next load works."""

import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.engine import ChatMessage, EngineFailed, LoadFailed
from actors.sampling import Sampling
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.loads import SHORT, load_with, loaded_with, refused_with
from tests.tkinfer.engines.rig import Rig, user
from tkinfer.errors import EngineError, ModelError, ModelFileError, ModelLoadError

NAN = struct.pack("<f", float("nan"))
HEADER_BYTES = 9000
"""Of the tiny model: about its metadata and tensor infos, without the weights."""

changes = st.lists(
    st.tuples(st.integers(4, HEADER_BYTES), st.integers(0, 255)), min_size=1, max_size=4
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_tiny_gguf(tmp_path_factory.mktemp("good") / "good.gguf").read_bytes()


def _fields(good: bytes) -> list[int]:
    """Where the numbers of the metadata stand."""
    names = (
        b"context_length",
        b"embedding_length",
        b"block_count",
        b"feed_forward_length",
        b"head_count",
        b"head_count_kv",
        b"layer_norm_rms_epsilon",
        b"dimension_count",
    )
    return [good.index(b"." + name) + len(name) + 5 for name in names if b"." + name in good]


@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_garbled_header_ends_in_one_answer(
    rig: Rig, tiny: Path, good: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    """Bytes anywhere in the header, or a whole number of the metadata, where it hurts most."""
    garbled = bytearray(good)
    if data.draw(st.booleans()):
        at = data.draw(st.sampled_from(_fields(good)))
        numbers = st.one_of(st.integers(0, 9), st.integers(0, 2**32 - 1))
        struct.pack_into("<I", garbled, at, data.draw(numbers))
    else:
        for position, value in data.draw(changes):
            garbled[position] = value
    path = tmp_path / "garbled.gguf"
    path.write_bytes(garbled)
    end = load_with(rig, path)
    # Success is right, too: much of a header only describes. No answer is asked for then, since
    # llama.cpp computes for ever with some numbers; what ends that is Stop.
    if isinstance(end, LoadFailed):
        assert isinstance(end.error, ModelError)
        assert "garbled.gguf" in end.error.what
        assert end.error.next_step
    elif isinstance(end, EngineFailed):
        assert end.model_lost
        assert isinstance(end.error, EngineError)
        assert "garbled.gguf" in end.error.what
    loaded_with(rig, tiny)
    assert rig.answer("hello", Sampling(temperature=0, max_tokens=2))


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.9999])
def test_a_file_cut_anywhere_is_incomplete(
    rig: Rig, tiny: Path, tmp_path: Path, share: float
) -> None:
    good = rig.load(tiny).info
    path = write_tiny_gguf(tmp_path / "cut.gguf")
    os.truncate(path, int(path.stat().st_size * share))
    failure = rig.load_error(path)
    assert isinstance(failure.error, ModelFileError)
    assert failure.error.what.startswith("cut.gguf is incomplete: ")
    assert failure.still_loaded == good


def test_damaged_weights_are_found_if_they_are_looked_for(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "damaged.gguf")
    content = path.read_bytes()
    path.write_bytes(content[:-1000] + NAN * 250)
    loaded_with(rig, path)
    failure = refused_with(rig, path, check_tensors=True)
    assert isinstance(failure.error, ModelLoadError)
    assert failure.error.what.startswith("damaged.gguf is damaged: the weights of blk.0.")
    assert failure.error.what.endswith(" hold impossible numbers.")
    assert failure.still_loaded is None


def test_an_answer_of_damaged_weights_is_refused_and_the_file_suspected(
    rig: Rig, tiny: Path, tmp_path: Path
) -> None:
    """All logits NaN: sampling from them could end the process, or never end."""
    path = write_tiny_gguf(tmp_path / "odd.gguf", tweak=lambda w: w.add_rope_freq_base(0.0))
    rig.load(path)
    failure = rig.failed(rig.start("hello"))
    assert isinstance(failure.error, EngineError)
    assert not failure.model_lost
    assert "computes no numbers" in failure.error.what
    assert "may be damaged" in failure.error.next_step
    rig.load(tiny)
    assert rig.answer("hello", SHORT)


@pytest.mark.parametrize("resume", [False, True])
def test_tokens_that_the_model_does_not_have_are_left_out(
    rig: Rig, tiny: Path, *, resume: bool
) -> None:
    """Of another model, or of a damaged chat: llama.cpp would end the process for their text."""
    rig.load(tiny)
    for odd in (9999, -1, 2**31 - 1):
        answer = ChatMessage(role="assistant", content="12", tokens=(ord("1") - 33, odd, 5))
        chat = (*user("Hi"), answer) if resume else (*user("Hi"), answer, *user("Hi"))
        assert rig.finished(rig.start(chat, SHORT, resume=resume)).figures.answer_tokens == 16
    assert not rig.of(EngineFailed)


def test_sound_weights_pass(rig: Rig, tiny: Path) -> None:
    loaded_with(rig, tiny, check_tensors=True)
    assert rig.answer("hello", SHORT)


@pytest.mark.parametrize(
    ("tweak", "words"),
    [
        ("block_count", "can't load odd.gguf: tensor 'blk.1.attn_norm.weight' not found"),
        (
            "feed_forward_length",
            "can't load odd.gguf: tensor 'blk.0.ffn_gate.weight' has wrong shape",
        ),
        ("architecture", "architecture later is not supported"),
        ("tokenizer", "tokenizer later is not supported"),
        ("pre-tokenizer", "tokenizer later is not supported"),
    ],
)
def test_what_llama_cpp_refuses_is_told_before_the_model_in_use_goes(
    rig: Rig, tiny: Path, tmp_path: Path, tweak: str, words: str
) -> None:
    good = rig.load(tiny).info
    path = write_tiny_gguf(
        tmp_path / "odd.gguf",
        architecture="later" if tweak == "architecture" else "llama",
        tweak={
            "block_count": lambda writer: writer.add_block_count(5),
            "feed_forward_length": lambda writer: writer.add_feed_forward_length(5),
            "tokenizer": lambda writer: writer.add_tokenizer_model("later"),
            "pre-tokenizer": lambda writer: writer.add_tokenizer_pre("later"),
        }.get(tweak),
    )
    failure = rig.load_error(path)
    assert isinstance(failure.error, ModelLoadError)
    assert words in failure.error.what
    assert failure.still_loaded == good


@pytest.mark.skipif(os.name != "posix", reason="a mapped file can't be cut elsewhere")
def test_a_mapped_file_that_is_cut_under_the_model(rig: Rig, tiny: Path, tmp_path: Path) -> None:
    """As when a USB drive is pulled: the child ends by SIGBUS, and the next load works."""
    path = write_tiny_gguf(tmp_path / "pulled.gguf", layers=4, width=256)
    rig.load(path)
    os.truncate(path, 4096)
    failure = rig.failed(rig.start("hello"))
    assert failure.model_lost
    assert isinstance(failure.error, EngineError)
    assert "pulled.gguf" in failure.error.what
    rig.load(tiny)
    assert rig.answer("hello", SHORT)


def test_a_file_that_is_not_mapped_may_go(rig: Rig, tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "pulled.gguf", layers=4, width=256)
    loaded_with(rig, path, mmap=False)
    right = rig.answer("hello", SHORT)
    os.truncate(path, 4096)
    assert rig.answer("hello", SHORT) == right
