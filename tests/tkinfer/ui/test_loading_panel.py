"""The loading page: what a load would take, and with which options it is done."""

import pytest

from actors.engine import Planned
from actors.loading import ALL_LAYERS, Device, LoadSpec, Lora, MemoryPlan, Switch
from tests.tkinfer.ui.panels import MODEL, choose, load, loading, number, retype
from tests.tkinfer.ui.rig import Rig
from tests.tkinfer.ui.test_window import button, labels
from tkinfer.errors import ModelLoadError
from tkinfer.ui.panel.pairlist import PairList

pytestmark = pytest.mark.ui


# ---- loading


def plan(**values: int) -> MemoryPlan:
    return MemoryPlan(
        context_size=values.pop("context_size", 8192),
        weights_bytes=4_000_000_000,
        cache_bytes=values.pop("cache_bytes", 900_000_000),
        compute_bytes=100_000_000,
        available_bytes=6_000_000_000,
    )


def test_what_it_takes_is_asked_once_it_is_calm(rig: Rig) -> None:
    tuning = load(rig)
    page = loading(rig)
    rig.wait(lambda: rig.actions.plans, "the first question")
    for size in (1024, 2048, 4096):
        tuning.load.change(context_size=size)
    rig.wait(lambda: len(rig.actions.plans) > 1, "the second question")
    query, spec = rig.actions.plans[-1]
    assert (len(rig.actions.plans), spec) == (2, LoadSpec(path=MODEL.path, context_size=4096))
    tuning.planned(Planned(query=query, plan=plan()))
    rig.wait(lambda: "Takes 5.0 GB of 6.0 GB free" in page.plan.words(), "the answer")
    for words in ("Weights 4.0 GB", "KV cache 900 MB", "Buffers 100 MB", "8,192 tokens"):
        assert words in page.plan.words()
    shares = [segment.winfo_width() for segment in page.plan._segments]
    assert shares[0] > shares[1] > shares[2] > 0
    assert sum(shares) < page.plan._bar.winfo_width()


def test_a_refusal_is_said_in_place_with_its_numbers(rig: Rig) -> None:
    tuning = load(rig)
    page = loading(rig)
    rig.wait(lambda: rig.actions.plans, "the question")
    error = ModelLoadError("m.gguf needs 9.1 GB, but only 3.2 GB are free.", "Take less context.")
    tuning.planned(Planned(query=1, plan=None, error=error))
    rig.wait(lambda: "9.1 GB" in page.plan.words(), "the refusal")
    assert "Take less context." in page.plan.words()
    assert not page.plan._bar.winfo_ismapped()


def test_without_a_model_there_is_nothing_to_load(rig: Rig) -> None:
    page = loading(rig)
    assert "Open a model" in page.plan.words()
    assert page.load.instate(["disabled"])
    assert rig.actions.plans == []


def test_options_are_set_and_used_by_a_new_load(rig: Rig) -> None:
    tuning = load(rig)
    page = loading(rig)
    tuning.planned(Planned(query=1, plan=MemoryPlan(context_size=1, devices=())))
    retype(rig, number(page, "context_size"), "16 384")
    retype(rig, number(page, "threads"), "3")
    retype(rig, number(page, "batch"), "9")  # less than can be used
    page.fields.rows["mmap"].switch.invoke()  # type: ignore[attr-defined]
    page.fields.rows["cache_type"].choice.open()  # type: ignore[attr-defined]
    choose(rig, "Q8_0")
    page.fields.rows["gpu_layers"].choice.open()  # type: ignore[attr-defined]
    choose(rig, "All")
    page.fields.rows["repack"].choice.open()  # type: ignore[attr-defined]
    choose(rig, "Off")
    spec = tuning.load.options
    assert (spec.context_size, spec.threads, spec.batch) == (16384, 3, None)
    assert spec.repack is Switch.OFF
    assert (spec.mmap, spec.cache_type.value, spec.gpu_layers) == (False, "q8_0", ALL_LAYERS)
    rig.wait(lambda: any("other settings" in words for words in labels(rig)), "said")
    button(rig, "Load with these settings").invoke()
    button(rig, "Unload").invoke()
    assert [call for call in rig.actions.calls if call != ("save",)] == [
        ("load_model", MODEL.path),
        ("unload",),
    ]


def test_a_number_of_layers_can_be_given(rig: Rig) -> None:
    tuning = load(rig)
    page = loading(rig)
    rig.wait(lambda: rig.actions.plans, "the question")
    gpus = (Device(name="GPU0", description="Fast", total_bytes=8 * 10**9), Device(name="GPU1"))
    tuning.planned(Planned(query=1, plan=MemoryPlan(context_size=1, gpu_layers=20, devices=gpus)))
    rig.wait(lambda: any("Fast, 0 MB of 8.0 GB free" in words for words in labels(rig)), "found")
    page.fields.rows["gpu_layers"].choice.open()  # type: ignore[attr-defined]
    choose(rig, "A number")
    assert page._gpu_rows is not None
    layers = page._gpu_rows.layers
    rig.wait(lambda: layers.entry.get() == "20", "what was planned")
    retype(rig, layers, "7")
    assert tuning.load.options.gpu_layers == 7
    page.fields.rows["device"].choice.open()  # type: ignore[attr-defined]
    choose(rig, "GPU1")
    assert tuning.load.options.device == "GPU1"


def test_adapters_with_their_scale(rig: Rig) -> None:
    tuning = load(rig)
    page = loading(rig)
    page._ask_for_lora = lambda: "/адаптер {1}.gguf"
    button(rig, "+ Adapter").invoke()
    assert tuning.load.options.loras == (Lora(path="/адаптер {1}.gguf", scale=1.0),)
    row = page.fields.rows["loras"]
    assert isinstance(row, PairList)
    row._lines[0].number.insert("end", "x")
    rig.wait(lambda: row.error, "the mark")
    row._lines[0].number.delete(0, "end")
    row._lines[0].number.insert(0, "0.5")
    rig.wait(lambda: tuning.load.options.loras[0].scale == 0.5, "used")
    page._ask_for_lora = lambda: ""  # the dialog was cancelled
    button(rig, "+ Adapter").invoke()
    assert len(row.typed()) == 1


def test_the_idle_time(rig: Rig) -> None:
    page = loading(rig)
    assert page._idle is not None
    page._idle.choice.choice.open()
    choose(rig, "After 15 minutes")
    page._idle.choice.choice.open()
    choose(rig, "Own time")
    minutes = page._idle.minutes
    rig.wait(lambda: minutes.entry.get() == "15", "what it was")
    retype(rig, minutes, "2.5")
    page._idle.choice.choice.open()
    choose(rig, "Never")
    idle = [call[1] for call in rig.actions.calls if call[0] == "idle"]
    assert idle == ["900.0", "900.0", "150.0", "None"]


def test_the_model_menu_leads_to_the_page(rig: Rig) -> None:
    rig.window._top.model.open_menu()
    choose(rig, "Loading options…")
    panel = rig.window.panel.panel
    assert panel is not None
    assert (panel.is_open, panel.page) == (True, "loading")
