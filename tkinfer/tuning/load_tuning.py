"""How the model is to be loaded, and what that would take: the state behind the loading panel."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from actors.engine import Planned
from actors.loading import Device, LoadSpec, MemoryPlan
from tkinfer.models.model_settings import DEFAULTS, ModelMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanState:
    """What is known of what loading would take."""

    spec: LoadSpec | None = None
    """What was asked about."""
    plan: MemoryPlan | None = None
    error: Exception | None = None
    pending: bool = False
    """The answer is still to come; `plan` and `error` are those of an earlier question."""


class LoadTuning:
    """Load options of one model file: the one asked for last. Main thread."""

    def __init__(
        self,
        memory: ModelMemory,
        changed: Callable[[], None],
        ask: Callable[[int, LoadSpec], None],
    ) -> None:
        """`changed` is called after every change, `ask` sends a plan query."""
        self._memory = memory
        self._changed = changed
        self._ask = ask
        self._query = 0
        self.path = ""
        self.used: LoadSpec | None = None
        """With what the model in memory, or the one that is loading, was loaded."""
        self.state = PlanState()
        self.devices: tuple[Device, ...] | None = None
        """The GPUs found, as far as any plan has told; None: not asked yet."""

    @property
    def options(self) -> LoadSpec:
        """What is set for this file."""
        return self.spec(self.path)

    def spec(self, path: str) -> LoadSpec:
        """What is set for any file."""
        return replace(self._memory.get(path).load, path=path)

    def begin(self, path: str) -> LoadSpec:
        """The file is being loaded: with this."""
        if path != self.path:
            self.state = PlanState()
        self.path, self.used = path, self.spec(path)
        return self.used

    def value(self, name: str) -> Any:
        """An option by its name."""
        return getattr(self.options, name)

    def change(self, **values: Any) -> None:
        """Set options, each by its name in LoadSpec. They are used at the next load."""
        self._put(replace(self.options, **values))

    def reset(self, *names: str) -> None:
        """Set these options, or all of them, to their defaults."""
        default = DEFAULTS.load
        every = (field.name for field in fields(LoadSpec) if field.name != "path")
        self.change(**{name: getattr(default, name) for name in names or every})

    def is_changed(self, name: str) -> bool:
        """Whether an option differs from its default."""
        return getattr(self.options, name) != getattr(DEFAULTS.load, name)

    @property
    def waits_for_load(self) -> bool:
        """Whether the model in memory was loaded with other options than those that are set."""
        return self.used is not None and self.used != self.options

    def ask_plan(self) -> None:
        """Ask what a load with these options would take; the answer comes to `planned`."""
        if not self.path:
            self.state = PlanState()
            return
        self._query += 1
        self.state = replace(self.state, spec=self.options, pending=True)
        self._ask(self._query, self.options)

    @property
    def plan_is_old(self) -> bool:
        """Whether the plan asked for last was for other options than those that are set."""
        return bool(self.path) and self.state.spec != self.options

    def planned(self, planned: Planned) -> bool:
        """Take an answer. False: to a question that isn't the last."""
        if planned.query != self._query:
            return False
        self.state = replace(self.state, plan=planned.plan, error=planned.error, pending=False)
        if planned.plan is not None:
            self.devices = planned.plan.devices
        return True

    def memory_changed(self, plan: MemoryPlan | None = None) -> None:
        """A model has come or gone, so what is free is another amount than at the last plan.
        `plan` is that of the load.
        """
        self.state = replace(self.state, spec=None)
        if plan is not None:
            self.devices = plan.devices

    def _put(self, spec: LoadSpec) -> None:
        settings = self._memory.get(self.path)
        self._memory.put(self.path, replace(settings, load=replace(spec, path="")))
        self._changed()
