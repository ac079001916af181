"""What the user tunes: per model, undone, reset, and asked of the model's thread."""

from dataclasses import replace

import pytest

from actors.engine import ModelInfo, Planned, PromptFormat, PromptReady, Template
from actors.loading import Device, LoadSpec, MemoryPlan
from actors.sampling import Sampling
from actors.turn import TurnId
from tkinfer.errors import ModelLoadError
from tkinfer.settings import Settings
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.hooks import TuningHooks
from tkinfer.tuning.template_syntax import TemplateSyntaxError, check
from tkinfer.tuning.tuning import Tuning

OWN = "{{ messages[0].content }}"
A = ModelInfo(
    path="/a.gguf",
    name="A",
    templates=(Template(name="", source=OWN), Template(name="tools", source="{{ tools }}")),
)
B = ModelInfo(path="/b.gguf", name="B")


class Rig:
    """A Tuning, and what it asks and saves."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.saves = 0
        self.told = 0
        self.settings = settings or Settings()
        self.tuning = Tuning(
            self.settings,
            self._save,
            TuningHooks(
                plan=lambda query, spec: self.asked.append(("plan", query, spec)),
                load=lambda path: self.asked.append(("load", path)),
                unload=lambda: self.asked.append(("unload",)),
                unload_when_idle=lambda seconds: self.asked.append(("idle", seconds)),
            ),
        )
        self.tuning.listen(self._tell)

    def _save(self) -> None:
        self.saves += 1

    def _tell(self) -> None:
        self.told += 1

    def load(self, info: ModelInfo) -> LoadSpec:
        spec = self.tuning.load_spec(info.path)
        self.tuning.model_loaded(info)
        return spec


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_it_begins_with_the_defaults(rig: Rig) -> None:
    tuning = rig.tuning
    assert tuning.sampling == Sampling()
    assert tuning.format == PromptFormat()
    assert tuning.system_prompt == ""
    assert tuning.load_spec("/a.gguf") == LoadSpec(path="/a.gguf")
    assert tuning.preset == "Balanced"
    assert tuning.is_all_default()
    assert rig.saves == 0


def test_each_model_has_its_own(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    tuning.change(temperature=0.1)
    tuning.set_thinking(False)
    tuning.load.change(threads=2)
    rig.load(B)
    assert (tuning.sampling, tuning.format) == (Sampling(), PromptFormat())
    assert tuning.load_spec(B.path).threads is None
    again = Rig(rig.settings)
    assert again.load(A).threads == 2
    assert again.tuning.sampling == Sampling(temperature=0.1)
    assert again.tuning.format == PromptFormat(thinking=False)


def test_the_system_prompt_is_one_for_all_models(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.set_system_prompt("Be brief.\ud800")
    rig.load(B)
    assert rig.tuning.system_prompt == "Be brief.?"
    rig.tuning.set_system_prompt(" \n")
    assert rig.tuning.system_prompt == ""


def test_a_load_that_fails_leaves_generation_to_the_model_in_memory(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    tuning.change(top_k=9)
    tuning.load_spec(B.path)
    assert tuning.sampling == Sampling()
    tuning.load_failed()
    assert tuning.sampling.top_k == 9
    assert tuning.load.path == B.path  # its options may be why


def test_a_model_that_goes_names_the_next_one(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.change(top_k=9)
    rig.load(B)
    rig.tuning.model_gone(A.path)
    assert rig.tuning.info is None
    assert rig.tuning.sampling.top_k == 9


def test_a_change_is_saved_and_told(rig: Rig) -> None:
    rig.tuning.change(top_k=1)
    rig.tuning.load.change(mlock=True)
    rig.tuning.set_system_prompt("x")
    assert rig.saves == rig.told == 3


def test_grammar_and_schema_exclude_each_other(rig: Rig) -> None:
    rig.tuning.change(grammar='root ::= "a"')
    rig.tuning.change(json_schema="{}")
    assert (rig.tuning.sampling.grammar, rig.tuning.sampling.json_schema) == ("", "{}")
    rig.tuning.change(grammar='root ::= "a"')
    assert rig.tuning.sampling.json_schema == ""


def test_one_value_is_reset_alone(rig: Rig) -> None:
    rig.tuning.change(top_k=1, top_p=0.5)
    assert rig.tuning.is_changed("top_k")
    rig.tuning.reset("top_k")
    assert rig.tuning.sampling == Sampling(top_p=0.5)


def test_reset_all_is_undone_whole(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    tuning.change(top_k=1)
    tuning.set_thinking(True)
    tuning.set_system_prompt("x")
    tuning.load.change(threads=2)
    tuning.reset_all()
    assert tuning.is_all_default()
    assert tuning.load.options.threads == 2
    tuning.load.change(threads=3)
    tuning.undo()
    assert (tuning.sampling, tuning.system_prompt) == (Sampling(top_k=1), "x")
    assert tuning.format.thinking is True
    assert tuning.load.options.threads == 3
    assert tuning.undo_step is None


def test_undo_is_of_the_last_step_only(rig: Rig) -> None:
    rig.tuning.change(top_k=1)
    rig.tuning.reset_all()
    rig.tuning.change(top_k=2)
    assert rig.tuning.undo_step is None
    rig.tuning.undo()
    assert rig.tuning.sampling.top_k == 2


def test_undo_ends_with_the_model(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.change(top_k=1)
    rig.tuning.reset_all()
    rig.load(B)
    assert rig.tuning.undo_step is None


def test_presets_are_chosen_left_saved_and_deleted(rig: Rig) -> None:
    tuning = rig.tuning
    tuning.choose_preset("Precise")
    assert (tuning.preset, tuning.preset_is_changed) == ("Precise", False)
    tuning.change(temperature=0.25)
    assert (tuning.preset, tuning.preset_is_changed) == ("Precise", True)
    tuning.save_preset("Мой")
    assert (tuning.preset, tuning.preset_is_changed) == ("Мой", False)
    tuning.choose_preset("Greedy")
    assert tuning.sampling.temperature == 0
    tuning.undo()
    assert tuning.sampling.temperature == 0.25
    tuning.delete_preset("Мой")
    assert "Мой" not in tuning.presets
    tuning.undo()
    assert "Мой" in tuning.presets


def test_a_preset_that_cannot_be_saved_changes_nothing(rig: Rig) -> None:
    rig.tuning.reset_all()
    step = rig.tuning.undo_step
    with pytest.raises(FieldError):
        rig.tuning.save_preset("  ")
    assert rig.tuning.undo_step is step
    assert rig.tuning.presets.own == ()


def test_templates_are_chosen_and_overridden(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    assert tuning.template_text == OWN
    tuning.choose_template("tools")
    assert (tuning.format.template, tuning.template_text) == ("tools", "{{ tools }}")
    tuning.override_template("{{ mine }}")
    assert tuning.format.override == tuning.template_text == "{{ mine }}"
    tuning.drop_override()
    assert tuning.format == PromptFormat(template="tools")
    tuning.undo()
    assert tuning.format.override == "{{ mine }}"


def test_saving_the_models_own_template_is_no_override(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.override_template(OWN)
    assert rig.tuning.format == PromptFormat()


def test_the_format_in_use_is_the_engines_word(rig: Rig) -> None:
    tuning = rig.tuning
    assert tuning.format_in_use == ("", False)
    rig.load(replace(A, format="ChatML, because the model has no template"))
    assert tuning.format_in_use == ("ChatML, because the model has no template", True)
    tuning.override_template("{{ mine }}")
    assert tuning.format_in_use == ("", False)
    fallback = "the model's own template, because yours takes too long"
    tuning.prompt_ready(PromptReady(turn=TurnId(1), tokens=1, format=fallback, fell_back=True))
    assert tuning.format_in_use == (fallback, True)
    tuning.drop_override()
    assert tuning.format_in_use[0].startswith("ChatML")


def test_a_template_with_an_error_is_kept_and_not_used(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.override_template("{{ good }}")
    with pytest.raises(TemplateSyntaxError) as caught:
        rig.tuning.override_template("one\n{{ two }\n")
    assert caught.value.line == 2
    assert rig.tuning.format.override == "{{ good }}"
    assert rig.tuning.template_text == "one\n{{ two }\n"
    again = Rig(rig.settings)
    again.load(A)
    assert again.tuning.template_text == "one\n{{ two }\n"
    assert again.tuning.format.override == "{{ good }}"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("", 0),
        ("a\n{% if x %}", 2),
        ("\n\n{{ x | nothing }}", 3),
        ("{% if x is nothing %}{% endif %}", 1),
        ("{{ " + "(" * 5000 + ")" * 5000 + " }}", 0),
        ("x" * 300_000, 0),
    ],
)
def test_templates_that_cannot_be_used(source: str, line: int) -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        check(source)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "source",
    [
        "{% for m in x %}{% if loop.last %}{% break %}{% endif %}{{ m | tojson }}{% endfor %}",
        "{% generation %}{{ x }}{% endgeneration %}",
        "{{ raise_exception('no') }}",
        "{{ 'x' * 10 ** 12 }}{{ 'x' | center(10 ** 12) }}",
        "{% for a in range(10 ** 12) %}{% endfor %}",
    ],
)
def test_a_template_is_read_and_never_run(source: str) -> None:
    check(source)


def test_a_plan_is_asked_and_only_the_last_answer_counts(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    tuning.load.ask_plan()
    tuning.load.change(context_size=512)
    assert tuning.load.plan_is_old
    tuning.load.ask_plan()
    (_, first, _), (_, second, spec) = rig.asked
    assert spec == LoadSpec(path=A.path, context_size=512)
    assert (tuning.load.state.pending, tuning.load.plan_is_old) == (True, False)
    gpu = Device(name="GPU0")
    late = Planned(query=int(str(first)), plan=MemoryPlan(context_size=1))
    tuning.planned(late)
    assert tuning.load.state.plan is None
    plan = MemoryPlan(context_size=512, devices=(gpu,))
    tuning.planned(Planned(query=int(str(second)), plan=plan))
    assert tuning.load.state.plan == plan
    assert tuning.load.devices == (gpu,)
    assert not tuning.load.state.pending


def test_a_plan_is_old_once_a_model_has_come_or_gone(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    tuning.load.ask_plan()
    assert not tuning.load.plan_is_old
    tuning.model_gone()
    assert tuning.load.plan_is_old
    tuning.load.ask_plan()
    rig.load(B)
    assert tuning.load.plan_is_old
    assert tuning.load.state.plan is None


def test_a_refusal_takes_the_place_of_the_plan(rig: Rig) -> None:
    rig.load(A)
    rig.tuning.load.ask_plan()
    error = ModelLoadError("Too large: 9 GB of 3 GB.")
    rig.tuning.planned(Planned(query=1, plan=None, error=error))
    assert rig.tuning.load.state.error is error


def test_without_a_model_nothing_is_asked(rig: Rig) -> None:
    rig.tuning.load.ask_plan()
    rig.tuning.load_now()
    assert rig.asked == []


def test_options_wait_for_the_next_load(rig: Rig) -> None:
    tuning = rig.tuning
    rig.load(A)
    assert not tuning.load.waits_for_load
    tuning.load.change(threads=2, mmap=False)
    assert tuning.load.waits_for_load
    tuning.load_now()
    assert rig.asked == [("load", A.path)]
    assert tuning.load_spec(A.path) == LoadSpec(path=A.path, threads=2, mmap=False)
    assert not tuning.load.waits_for_load
    tuning.load.reset("mmap")
    assert tuning.load.options == LoadSpec(path=A.path, threads=2)
    tuning.load.reset()
    assert tuning.load.options == LoadSpec(path=A.path)


def test_the_devices_of_a_load_are_known_without_a_query(rig: Rig) -> None:
    gpu = Device(name="GPU0")
    rig.load(replace(A, plan=MemoryPlan(context_size=1, devices=(gpu,))))
    assert rig.tuning.load.devices == (gpu,)


def test_idle_time_and_unload_reach_the_model(rig: Rig) -> None:
    rig.tuning.tell_idle_time()
    rig.tuning.set_idle_minutes(15)
    rig.tuning.unload()
    assert rig.asked == [("idle", None), ("idle", 900.0), ("unload",)]
    assert Rig(rig.settings).tuning.idle_minutes == 15
