"""The settings panel in the real program: what it asks reaches the engine, and is saved."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.loading import LoadSpec
from tests.waiting import wait_until
from tkinfer import settings
from tkinfer.app import App
from tkinfer.engines.scripted import Script, ScriptedEngine
from tkinfer.models.model_settings import ModelMemory

pytestmark = pytest.mark.ui

PATH = "/models/模型.gguf"


class Engine(ScriptedEngine):
    """Notes what it is asked."""

    def __init__(self) -> None:
        super().__init__(Script(pieces=["word"]))
        self.plans: list[LoadSpec] = []
        self.unloads = 0

    def plan(self, query: int, spec: LoadSpec) -> None:
        self.plans.append(spec)
        super().plan(query, spec)

    def unload(self) -> None:
        self.unloads += 1
        super().unload()


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def app(engine: Engine) -> Iterator[App]:
    app = App(model=PATH, make_engine=lambda: engine)
    wait(app, lambda: app.session is not None and app.session.model.info, "the model")
    yield app
    app.close()
    app.shutdown()


def wait(app: App, condition: object, what: str) -> None:
    wait_until(condition, what, limit_s=60.0, between=app.root.update)  # type: ignore[arg-type]


def test_a_plan_is_asked_of_the_engine_and_shown(app: App, engine: Engine) -> None:
    app.window.panel.open("loading")
    panel = app.window.panel.panel
    assert panel is not None
    app.tuning().load.change(context_size=1024)
    wait(app, lambda: panel.is_built, "the page")
    wait(app, lambda: LoadSpec(path=PATH, context_size=1024) in engine.plans, "the question")
    wait(app, lambda: "Takes 0 MB" in panel.loading.plan.words(), "the answer")


def test_options_and_sampling_reach_the_engine(app: App, engine: Engine) -> None:
    tuning = app.tuning()
    tuning.load.change(threads=2)
    tuning.change(temperature=0.25, seed=7)
    tuning.set_system_prompt("Be brief.")
    tuning.load_now()
    wait(app, lambda: tuning.load.used == LoadSpec(path=PATH, threads=2), "the load")
    assert app.send("Hello")
    wait(app, lambda: engine.requests, "the request")
    request = engine.requests[-1]
    assert request.sampling == tuning.sampling
    assert request.format == tuning.format
    assert (request.messages[0].role, request.messages[0].content) == ("system", "Be brief.")


def test_unload_reaches_the_engine(app: App, engine: Engine) -> None:
    app.tuning().unload()
    wait(app, lambda: engine.unloads, "the unload")
    wait(app, lambda: app.tuning().info is None, "no model in memory")


def test_what_was_typed_last_is_saved_when_the_window_closes(engine: Engine) -> None:
    app = App(model=PATH, make_engine=lambda: engine)
    wait(app, lambda: app.session is not None and app.session.model.info, "the model")
    app.window.panel.open()
    panel = app.window.panel.panel
    assert panel is not None
    wait(app, lambda: panel.is_built, "the page")
    app.tuning().change(top_k=7)
    assert panel.generation.system is not None
    panel.generation.system.text.insert("1.0", "Be brief.")
    app.root.update()
    app.close()
    app.shutdown()
    from tkinfer import paths

    read, problem = settings.load(Path(paths.config_dir()))
    assert problem is None
    assert read.system_prompt == "Be brief."
    assert ModelMemory(read.models).get(PATH).sampling.top_k == 7
