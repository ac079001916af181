"""Settings per model: whatever is tuned comes back, and no file of settings is ever too odd."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from actors.engine import PromptFormat
from actors.loading import ALL_LAYERS, CacheType, LoadSpec, Lora, Switch
from actors.sampling import BAN, Sampling, TokenBias
from tkinfer import settings
from tkinfer.models.model_settings import (
    DEFAULTS,
    ModelMemory,
    ModelSettings,
    from_table,
    to_table,
)
from tkinfer.settings import Settings, SettingsKeeper
from tkinfer.tables import MAX_MODELS

TUNED = ModelSettings(
    sampling=Sampling(
        temperature=0.0,
        top_k=0,
        mirostat=True,
        logit_bias=(TokenBias(text=" the", bias=-1.5), TokenBias(text='"\n', bias=BAN)),
        stop=("\n\n", "}"),
        dry_sequence_breakers=(),
        json_schema='{"type": "object"}',
        seed=7,
        max_tokens=100,
    ),
    preset="Строго.",
    format=PromptFormat(template="tool_use", override="{{ messages }}\n", thinking=False),
    template_draft="{% if",
    load=LoadSpec(
        path="",
        context_size=4096,
        gpu_layers=ALL_LAYERS,
        cache_type=CacheType.Q8_0,
        flash_attention=Switch.OFF,
        mmap=False,
        loras=(Lora(path="/模型/a b.gguf", scale=0.5),),
    ),
)

names = st.text(min_size=1, max_size=40)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.text(max_size=20),
        st.sampled_from(["f16", "q8_0", "auto", "on"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
known_fields = st.sampled_from(
    sorted({*Sampling.__dataclass_fields__, *LoadSpec.__dataclass_fields__, "template", "thinking"})
)
sections = st.dictionaries(known_fields, values, max_size=8)


def through_a_file(given: Settings, folder: Path) -> Settings:
    settings.save(given, folder)
    read, problem = settings.load(folder)
    assert problem is None
    return read


def test_all_that_is_tuned_comes_back_from_a_file(tmp_path: Path) -> None:
    """Case M-3: the path is of any script, and letter for letter the same."""
    path = "C:\\Модели.d\\モデル é {x} \"q\" '[0]'\u3000模型.gguf"
    kept = Settings()
    assert ModelMemory(kept.models).put(path, TUNED)
    read = through_a_file(kept, tmp_path)
    assert ModelMemory(read.models).get(path) == TUNED
    assert ModelMemory(read.models).get(path.lower()) == DEFAULTS


@given(path=names.filter(lambda name: name.isprintable()), other=names)
def test_paths_of_any_kind_are_told_apart(path: str, other: str) -> None:
    memory = ModelMemory([])
    memory.put(path, TUNED)
    assert memory.get(path) == TUNED
    assert (memory.get(other) == TUNED) == (other == path)


@given(
    st.dictionaries(
        st.sampled_from(["sampling", "format", "load", "preset"]), st.one_of(values, sections)
    )
)
def test_whatever_a_file_holds_is_usable_or_left_out(table: dict[str, Any]) -> None:
    read = from_table(table)
    assert from_table(to_table(read)) == read
    assert not (read.sampling.grammar and read.sampling.json_schema)


def test_one_unusable_value_does_not_cost_the_others() -> None:
    read = from_table(
        {
            "sampling": {"temperature": "hot", "top_k": 5, "top_p": 7, "seed": True, "stop": "x"},
            "load": {"cache_type": "q9", "threads": 4, "mmap": "no"},
            "format": {"thinking": 1, "template": "t"},
            "more": 1,
        }
    )
    assert read.sampling == Sampling(top_k=5)
    assert read.load == LoadSpec(path="", threads=4)
    assert read.format == PromptFormat(template="t")


def test_models_are_few_and_the_one_not_tuned_for_longest_goes(tmp_path: Path) -> None:
    kept = Settings()
    memory = ModelMemory(kept.models)
    for number in range(MAX_MODELS + 2):
        memory.put(f"{number}.gguf", TUNED)
    memory.put("2.gguf", ModelSettings(preset="Greedy"))
    read = through_a_file(kept, tmp_path)
    assert len(read.models) == MAX_MODELS
    memory = ModelMemory(read.models)
    assert memory.get("1.gguf") == DEFAULTS
    assert memory.get("2.gguf").preset == "Greedy"
    assert memory.get("3.gguf") == TUNED


def test_a_model_with_the_defaults_takes_no_room() -> None:
    tables: list[dict[str, Any]] = []
    memory = ModelMemory(tables)
    memory.put("a.gguf", TUNED)
    memory.put("a.gguf", DEFAULTS)
    assert tables == []


def test_a_path_that_utf8_cannot_hold_is_known_until_the_end(tmp_path: Path) -> None:
    kept = Settings()
    memory = ModelMemory(kept.models)
    assert not memory.put("/\udcff.gguf", TUNED)
    assert memory.get("/\udcff.gguf") == TUNED
    assert through_a_file(kept, tmp_path) == kept == Settings()


def test_lone_surrogates_in_texts_do_not_keep_anything_from_being_saved(tmp_path: Path) -> None:
    kept = Settings()
    odd = ModelSettings(
        sampling=Sampling(stop=("\ud800",), temperature=0.5),
        load=LoadSpec(path="", loras=(Lora(path="/\udcff"), Lora(path="/b"))),
    )
    ModelMemory(kept.models).put("a.gguf", odd)
    read = ModelMemory(through_a_file(kept, tmp_path).models).get("a.gguf")
    assert read.sampling == Sampling(stop=("?",), temperature=0.5)
    assert read.load.loras == (Lora(path="/b"),)


def test_an_old_file_loads_as_before(tmp_path: Path) -> None:
    text = 'appearance = "dark"\nmodel = "m.gguf"\nrecent_models = ["m.gguf"]\nzoom = 1\n'
    (tmp_path / settings.FILE_NAME).write_text(text)
    read, problem = settings.load(tmp_path)
    assert problem is None
    assert (read.model, read.zoom, read.models, read.presets) == ("m.gguf", 1, [], [])
    assert (read.system_prompt, read.idle_minutes) == ("", 0.0)


def test_odd_arrays_of_a_file_are_ignored(tmp_path: Path) -> None:
    (tmp_path / settings.FILE_NAME).write_text(
        'models = [{path = 1}, {x = 1}, 3, {path = "a", sampling = 1979-05-27}]\n'
        'presets = "none"\nsystem_prompt = 3\nidle_minutes = -1.0\n'
    )
    read, problem = settings.load(tmp_path)
    assert problem is None
    assert [table["path"] for table in read.models] == ["a"]
    assert ModelMemory(read.models).get("a") == DEFAULTS
    assert (read.presets, read.system_prompt, read.idle_minutes) == ([], "", 0.0)
    assert through_a_file(read, tmp_path) == read


def test_a_save_in_the_background_takes_what_is_there_now(tmp_path: Path) -> None:
    keeper = SettingsKeeper(Settings(), tmp_path)
    memory = ModelMemory(keeper.settings.models)
    memory.put("a.gguf", TUNED)
    keeper.save_soon()
    memory.put("a.gguf", ModelSettings(preset="later"))
    keeper.finish(10.0)
    assert ModelMemory(settings.load(tmp_path)[0].models).get("a.gguf") == TUNED
