"""What the user has tuned: sampling, chat format and load options of the model in use."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from actors.engine import ModelInfo, Planned, PromptFormat, PromptReady, Template
from actors.loading import LoadSpec
from actors.sampling import Sampling
from tkinfer.models.model_settings import DEFAULTS, ModelMemory, ModelSettings
from tkinfer.models.names import model_name
from tkinfer.settings import Settings
from tkinfer.tables import MAX_TEXT, Table
from tkinfer.tuning import template_syntax
from tkinfer.tuning.format_words import FormatWords
from tkinfer.tuning.hooks import TuningHooks
from tkinfer.tuning.load_tuning import LoadTuning
from tkinfer.tuning.presets import BUILT_IN, Presets


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The way back from the last large step, and what that was, in words."""

    words: str
    path: str
    settings: ModelSettings
    system_prompt: str
    presets: list[Table]


class Tuning:
    """Holds what the panels show, remembers it per model, and gives it to the session.

    Generation follows the model that will answer: the one asked for last, which is the one in
    memory unless a load has failed. Main thread.
    """

    def __init__(
        self, settings: Settings, save: Callable[[], None], hooks: TuningHooks | None = None
    ) -> None:
        """`save` is called after every change of what is remembered: often, if a slider moves."""
        self._settings = settings
        self._save = save
        self._hooks = hooks or TuningHooks()
        self._memory = ModelMemory(settings.models)
        self._listeners: list[Callable[[], None]] = []
        self.presets = Presets(settings.presets)
        self.load = LoadTuning(self._memory, self._kept, self._hooks.plan)
        self.info: ModelInfo | None = None
        """The model in memory."""
        self.path = ""
        """The file whose sampling and format are shown and used; empty for none."""
        self.undo_step: Undo | None = None
        self._format_words = FormatWords()

    # ---- for the session ------------------------------------------------------------------------

    @property
    def sampling(self) -> Sampling:
        """How the next answer's tokens are chosen."""
        return self._now.sampling

    @property
    def format(self) -> PromptFormat:
        """How the next prompt is written."""
        return self._now.format

    @property
    def system_prompt(self) -> str:
        """The text in front of each chat; empty for none. One for all models."""
        text = self._settings.system_prompt
        return text if text.strip() else ""

    def load_spec(self, path: str) -> LoadSpec:
        """How to load this file, which is going to happen now."""
        self._turn_to(path)
        spec = self.load.begin(path)
        self._tell()
        return spec

    def model_loaded(self, info: ModelInfo) -> None:
        """This model is ready."""
        self.info = info
        self._turn_to(info.path)
        if self.load.path != info.path:
            self.load.begin(info.path)
        self.load.memory_changed(info.plan)
        self._tell()

    def load_failed(self) -> None:
        """The load didn't succeed: the model in memory, if one still is, answers again.

        The load options stay with the file that failed: they may be why.
        """
        if self.info is not None:
            self._turn_to(self.info.path)
        self._tell()

    def model_gone(self, next_path: str | None = None) -> None:
        """No model is in memory. `next_path` is the file that the next message loads, if known."""
        self.info = None
        if next_path:
            self._turn_to(next_path)
        self.load.memory_changed()
        self._tell()

    def prompt_ready(self, ready: PromptReady) -> None:
        """A prompt was written, in a format that the engine names."""
        self._format_words.prompt_ready(self.path, self.format, ready)
        self._tell()

    def planned(self, planned: Planned) -> None:
        """The answer to a plan query."""
        if self.load.planned(planned):
            self._tell()

    # ---- for the window -------------------------------------------------------------------------

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every change, of whatever kind."""
        self._listeners.append(listener)

    @property
    def model_name(self) -> str:
        """The name of the model whose generation is tuned; empty for none."""
        return model_name(self.path)

    def value(self, name: str) -> Any:
        """A value of sampling by its name."""
        return getattr(self.sampling, name)

    def change(self, **values: Any) -> None:
        """Set values of sampling, each by its name in Sampling. Grammar and schema exclude
        each other: the one that is set last stays.
        """
        self._forget_undo()
        sampling = replace(self.sampling, **values)
        if values.get("grammar"):
            sampling = replace(sampling, json_schema="")
        elif values.get("json_schema"):
            sampling = replace(sampling, grammar="")
        self._put(replace(self._now, sampling=sampling))

    def is_changed(self, name: str) -> bool:
        """Whether a value of sampling differs from its default."""
        return getattr(self.sampling, name) != getattr(DEFAULTS.sampling, name)

    def reset(self, *names: str) -> None:
        """Set these values of sampling to their defaults."""
        self.change(**{name: getattr(DEFAULTS.sampling, name) for name in names})

    def reset_all(self) -> None:
        """Everything of the generation panel to its defaults; can be undone. Presets stay."""
        self._remember("Everything was reset.")
        self._settings.system_prompt = ""
        self._put(replace(self._now, sampling=Sampling(), format=PromptFormat(), preset=""))

    def is_all_default(self) -> bool:
        """Whether `reset_all` would change nothing."""
        now = self._now
        same = now.sampling == DEFAULTS.sampling and now.format == DEFAULTS.format
        return same and not self._settings.system_prompt

    def undo(self) -> None:
        """Go back behind the last large step."""
        step, self.undo_step = self.undo_step, None
        if step is not None:
            self._settings.system_prompt = step.system_prompt
            self.presets.restore(step.presets)
            self._memory.put(
                step.path, replace(step.settings, load=self._memory.get(step.path).load)
            )
            self._kept()

    @property
    def preset(self) -> str:
        """The preset that the sampling is, or the one it was before it was changed."""
        return self.presets.matching(self.sampling, self._now.preset) or self._kept_preset

    @property
    def preset_is_changed(self) -> bool:
        """Whether the sampling has left its preset since that was chosen."""
        return not self.presets.matching(self.sampling, self._now.preset)

    def choose_preset(self, name: str) -> None:
        """Take over what a preset sets; can be undone."""
        self._remember(f"The preset “{name}” was chosen.")
        sampling = self.presets.apply(name, self.sampling)
        self._put(replace(self._now, sampling=sampling, preset=name))

    def save_preset(self, name: str) -> None:
        """Keep the sampling under a name, also one that is there; can be undone.

        Raises:
            FieldError: the name can't be used.
        """
        before = self._snapshot("")
        kept = self.presets.save(name, self.sampling)
        self.undo_step = replace(before, words=f"The preset “{kept}” was saved.")
        self._put(replace(self._now, preset=kept))

    def delete_preset(self, name: str) -> None:
        """Forget one of the user's own presets; can be undone. The sampling stays."""
        self._remember(f"The preset “{name}” was deleted.")
        self.presets.delete(name)
        self._kept()

    def set_system_prompt(self, text: str) -> None:
        """Set the text in front of each chat."""
        self._forget_undo()
        self._settings.system_prompt = text.encode("utf-8", "replace").decode("utf-8")[:MAX_TEXT]
        self._kept()

    def set_thinking(self, thinking: bool | None) -> None:  # noqa: FBT001 - a choice of three
        """Whether the model is to think first; None leaves it to the template."""
        self._forget_undo()
        self._put_format(thinking=thinking)

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates of the model in memory."""
        return self.info.templates if self.info is not None and self.info.path == self.path else ()

    def own_template(self) -> str:
        """The source of the model's template that is chosen; empty if it has none."""
        sources = {template.name: template.source for template in self.templates}
        return sources.get(self.format.template, sources.get("", ""))

    @property
    def format_in_use(self) -> tuple[str, bool]:
        """The engine's words for the format of the model in use, and whether it is another than
        the one asked for. The words are empty while nothing is known.
        """
        return self._format_words.of(self.path, self.format, self.info)

    def choose_template(self, name: str) -> None:
        """Use one of the model's own templates; an override ends."""
        self._forget_undo()
        self._put_format(template=name, override="")

    @property
    def template_text(self) -> str:
        """What the editor begins with: a draft, the override, or the model's own template."""
        return self._now.template_draft or self.format.override or self.own_template()

    def override_template(self, source: str) -> None:
        """Use this template in place of the model's own.

        Raises:
            TemplateSyntaxError: it can't be used. It is kept as a draft.
        """
        self._forget_undo()
        try:
            template_syntax.check(source)
        except template_syntax.TemplateSyntaxError:
            self.keep_draft(source)
            raise
        changed = replace(self.format, override="" if source == self.own_template() else source)
        self._put(replace(self._now, format=changed, template_draft=""))

    def keep_draft(self, source: str) -> None:
        """Keep a template that is being written, without using it."""
        draft = "" if source in (self.format.override or self.own_template(), "") else source
        self._put(replace(self._now, template_draft=draft[:MAX_TEXT]))

    def drop_override(self) -> None:
        """Use the model's own template again; can be undone."""
        self._remember("The model's own template is used again.")
        changed = replace(self.format, override="")
        self._put(replace(self._now, format=changed, template_draft=""))

    # ---- the model's memory -------------------------------------------------------------------

    @property
    def idle_minutes(self) -> float:
        """After so many minutes without use the model is unloaded; 0: never."""
        return self._settings.idle_minutes

    def set_idle_minutes(self, minutes: float) -> None:
        """Set the idle time, and tell the model's thread."""
        self._settings.idle_minutes = float(minutes)
        self.tell_idle_time()
        self._kept()

    def tell_idle_time(self) -> None:
        """Tell the model's thread the idle time; once at the start too."""
        minutes = self.idle_minutes
        self._hooks.unload_when_idle(minutes * 60 if minutes else None)

    def load_now(self) -> None:
        """Load the file of the loading panel with its options."""
        if self.load.path:
            self._hooks.load(self.load.path)

    def unload(self) -> None:
        """Give the model's memory back."""
        self._hooks.unload()

    # ---- inside ---------------------------------------------------------------------------------

    @property
    def _now(self) -> ModelSettings:
        return self._memory.get(self.path)

    @property
    def _kept_preset(self) -> str:
        name = self._now.preset
        return name if name in self.presets else BUILT_IN[0]

    def _turn_to(self, path: str) -> None:
        if path != self.path:
            self._forget_undo()
            self.path = path

    def _put_format(self, **values: Any) -> None:
        self._put(replace(self._now, format=replace(self.format, **values)))

    def _put(self, settings: ModelSettings) -> None:
        self._memory.put(self.path, settings)
        self._kept()

    def _kept(self) -> None:
        self._save()
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def _snapshot(self, words: str) -> Undo:
        return Undo(
            words=words,
            path=self.path,
            settings=self._now,
            system_prompt=self._settings.system_prompt,
            presets=self.presets.snapshot(),
        )

    def _remember(self, words: str) -> None:
        self.undo_step = self._snapshot(words)

    def _forget_undo(self) -> None:
        self.undo_step = None
