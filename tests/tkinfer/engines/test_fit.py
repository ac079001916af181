"""What is chosen for a model of 10 layers, with numbers small enough to follow."""

from typing import Any

import pytest

from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Switch
from tkinfer.engines.fit import Choice, Facts, Room, Sizes, choose
from tkinfer.errors import ModelLoadError

MB = 10**6
LAYERS = 10
SPEC = LoadSpec(path="/m/x.gguf")


def measure(context_size: int, *, swa_full: bool) -> Sizes:
    """100 kB a token, a tenth of it with a window; 50 MB of buffers, as many on the GPU."""
    per_token = 100_000 if swa_full else 10_000
    return Sizes(
        context_size=context_size,
        cache=context_size * per_token,
        compute=50 * MB,
        gpu_compute=50 * MB,
        swa_full=swa_full,
    )


def chosen(
    ram: int, gpu: int = 0, *, trained: int = 32_768, window: bool = False, **options: Any
) -> Choice:
    """What is chosen with so many MB free."""
    facts = Facts(
        name="x.gguf",
        context_train=trained,
        weights=(LAYERS + 2) * 100 * MB,
        layers=(100 * MB,) * LAYERS + (200 * MB,),
        has_window=window,
    )
    spec = LoadSpec(path="/m/x.gguf", **options)
    return choose(spec, facts, Room(ram=ram * MB, gpu=gpu * MB), measure)


def refusal(ram: int, gpu: int = 0, **options: Any) -> ModelLoadError:
    with pytest.raises(ModelLoadError) as caught:
        chosen(ram, gpu, **options)
    return caught.value


def test_the_whole_trained_context_where_there_is_room() -> None:
    choice = chosen(20_000)
    assert choice.sizes.context_size == 32_768
    assert choice.gpu_layers == choice.gpu_bytes == 0


def test_a_context_left_open_is_cut_to_what_fits() -> None:
    sizes = chosen(5_000).sizes
    assert 2048 < sizes.context_size < 32_768
    assert sizes.context_size % 1024 == 0
    left = 5_000 * MB * 7 / 8 - 1200 * MB
    assert 0.4 * left < sizes.total < 0.5 * left


def test_it_is_longer_with_more_memory() -> None:
    lengths = [chosen(ram).sizes.context_size for ram in range(1_800, 10_000, 200)]
    assert lengths == sorted(lengths)
    assert lengths[0] == 2048
    assert lengths[-1] == 32_768


def test_it_is_never_cut_below_2048() -> None:
    assert chosen(1_750).sizes.context_size == 2048  # more than half of what the weights leave

    error = refusal(1_500)
    assert error.what == (
        "x.gguf needs 1.5 GB: 1.2 GB of weights and 304.8 MB for a context of 2,048 tokens;"
        " 1.5 GB are free."
    )
    assert error.next_step.startswith("Choose a smaller cache type, choose a smaller model,")
    assert error.next_step.endswith(", or load it all the same.")


def test_a_model_trained_for_less_keeps_its_length() -> None:
    assert chosen(20_000, trained=512).sizes.context_size == 512


def test_a_model_that_does_not_say_gets_8192() -> None:
    assert chosen(20_000, trained=0).sizes.context_size == 8192


def test_absurd_lengths_are_not_tried() -> None:
    assert chosen(10**9, trained=2**32 - 1).sizes.context_size == 1 << 20


def test_a_given_context_is_taken_or_refused_but_never_cut() -> None:
    assert chosen(20_000, context_size=16_384).sizes.context_size == 16_384
    error = refusal(2_500, context_size=16_384)
    assert error.what == (
        "x.gguf needs 2.9 GB: 1.2 GB of weights and 1.7 GB for a context of 16,384 tokens;"
        " 2.5 GB are free."
    )
    most = int(error.next_step.split("at most ")[1].split(" tokens")[0].replace(",", ""))
    assert chosen(2_500, context_size=most).sizes.context_size == most
    refusal(2_500, context_size=most + 2048)


def test_what_was_chosen_already_is_not_advised() -> None:
    error = refusal(2_500, context_size=16_384, cache_type=CacheType.Q4_0)
    assert "cache type" not in error.next_step


def test_all_the_same_is_all_the_same() -> None:
    assert chosen(100, ignore_memory=True).sizes.context_size == 2048
    assert chosen(100, context_size=16_384, ignore_memory=True).sizes.context_size == 16_384


def test_a_context_beyond_four_times_the_trained_is_refused() -> None:
    assert chosen(10**6, context_size=131_072).sizes.context_size == 131_072
    error = refusal(10**6, context_size=131_073, ignore_memory=True)
    assert "trained for a context of 32,768 tokens" in error.what


@pytest.mark.parametrize(
    ("swa_full", "ram", "full"),
    [
        (Switch.AUTO, 20_000, True),
        (Switch.AUTO, 5_000, False),
        (Switch.ON, 20_000, True),
        (Switch.OFF, 20_000, False),
    ],
)
def test_windows_are_kept_in_full_where_there_is_room(
    swa_full: Switch, ram: int, full: bool
) -> None:
    sizes = chosen(ram, window=True, swa_full=swa_full).sizes
    assert sizes.swa_full is full
    assert sizes.context_size == 32_768


def test_a_window_kept_in_full_is_not_left_by_itself() -> None:
    sizes = chosen(5_000, window=True, swa_full=Switch.ON).sizes
    assert sizes.swa_full
    assert sizes.context_size < 32_768


def test_a_gpu_with_room_gets_all_layers() -> None:
    choice = chosen(20_000, 8_000)
    assert choice.sizes.context_size == 32_768
    assert choice.gpu_layers == LAYERS
    assert choice.gpu_bytes == 1200 * MB + choice.sizes.cache + 50 * MB


def test_the_context_is_rather_cut_than_that_layers_stay_outside() -> None:
    choice = chosen(20_000, 3_500)
    assert choice.gpu_layers == LAYERS
    assert 8192 <= choice.sizes.context_size < 32_768


def test_a_small_gpu_gets_as_many_layers_as_fit() -> None:
    counts = [chosen(20_000, gpu).gpu_layers for gpu in range(100, 2_600, 100)]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] == LAYERS
    assert len(set(counts)) > LAYERS / 2
    for gpu in (600, 1_200):
        choice = chosen(20_000, gpu)
        assert choice.gpu_bytes <= gpu * MB * 7 // 8
        assert choice.sizes.context_size == 8192


def test_layers_on_the_gpu_take_nothing_of_the_ram() -> None:
    assert chosen(1_000, 8_000, context_size=8192).gpu_layers == LAYERS
    with pytest.raises(ModelLoadError):
        chosen(1_000, 0, context_size=8192)


@pytest.mark.parametrize(("asked", "got"), [(0, 0), (4, 4), (99, LAYERS), (ALL_LAYERS, LAYERS)])
def test_layers_that_were_asked_for(asked: int, got: int) -> None:
    assert chosen(20_000, 8_000, gpu_layers=asked).gpu_layers == got
    assert chosen(20_000, 0, gpu_layers=asked).gpu_layers == 0


def test_too_many_layers_for_the_gpu_are_refused_with_its_numbers() -> None:
    error = refusal(20_000, 500, gpu_layers=ALL_LAYERS, context_size=8192)
    assert error.what == (
        "x.gguf needs 2.1 GB on the GPU with 10 layers and a context of 8,192 tokens;"
        " 500.0 MB are free there."
    )
    assert error.next_step.startswith("Choose fewer GPU layers, ")
    choice = chosen(20_000, 500, gpu_layers=ALL_LAYERS, context_size=8192, ignore_memory=True)
    assert choice.gpu_layers == LAYERS


def test_a_gpu_in_the_computers_own_memory_does_not_add_to_it() -> None:
    facts = Facts(name="x", context_train=8192, weights=1000, layers=(500, 500))
    sizes = Sizes(context_size=8192, cache=10, compute=10)

    def small(_: int, *, swa_full: bool) -> Sizes:
        del swa_full
        return sizes

    room = Room(ram=900, gpu=10_000)
    assert choose(SPEC, facts, room, small).gpu_layers == 1
    with pytest.raises(ModelLoadError):
        choose(SPEC, facts, Room(ram=900, gpu=10_000, gpu_shares_ram=True), small)
