"""Loading and unloading: what is remembered of a load that takes the program down, and the menu."""

import tomllib
from pathlib import Path

import pytest

from tests.headless import Desk
from tkinfer.engines.scripted import LoadScript, Script, ScriptedEngine
from tkinfer.errors import EngineError, ModelFileError
from tkinfer.settings import FILE_NAME, Settings

SLOW = LoadScript(steps=1000, step_delay_s=0.01)


class DyingEngine(ScriptedEngine):
    """Its process dies while it loads a file called bad.gguf."""

    def __init__(self) -> None:
        super().__init__(Script(pieces=["fine"]), self._script_of)

    def _script_of(self, spec: object) -> LoadScript:
        if "bad" in str(spec):
            return LoadScript(error=EngineError("The engine died.", "Try another."), dies=True)
        return LoadScript()


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A file that is there; the scripted engine does not look into it."""
    path = tmp_path / "remembered.gguf"
    path.touch()
    return str(path)


def saved(desk: Desk, folder: Path) -> dict[str, object]:
    desk.keeper.finish(5.0)
    return tomllib.loads((folder / FILE_NAME).read_text(encoding="utf-8"))


def test_a_model_is_noted_while_it_loads(tmp_path: Path, model: str) -> None:
    engine = ScriptedEngine(Script(), SLOW)
    with Desk(engine, tmp_path) as desk:
        desk.session.load_model(model)
        assert saved(desk, tmp_path)["loading"] == model
        desk.session.cancel_load()
        desk.wait_idle()
        assert saved(desk, tmp_path)["loading"] == ""
    with Desk(ScriptedEngine(Script()), tmp_path) as desk:
        desk.open_model(model)
        assert saved(desk, tmp_path)["loading"] == ""
        assert saved(desk, tmp_path)["model"] == model


def test_closing_the_program_while_it_loads_is_no_crash(tmp_path: Path, model: str) -> None:
    with Desk(ScriptedEngine(Script(), SLOW), tmp_path) as desk:
        desk.session.load_model(model)
    assert saved(desk, tmp_path)["loading"] == ""


def test_a_model_that_took_the_program_down_is_not_loaded_at_the_next_start(
    tmp_path: Path, model: str
) -> None:
    left = Settings(model=model, loading=model)  # as a program that vanished leaves them
    with Desk(ScriptedEngine(Script(pieces=["hi"])), tmp_path, settings=left) as desk:
        desk.session.load_first_model()
        assert desk.view.badge is not None
        assert desk.view.badge.loading is None
        notice = desk.view.notices[-1]
        assert notice.what.startswith("remembered was not loaded")
        assert notice.detail == model
        assert notice.action is not None
        notice.action.run()  # the user wants it all the same
        desk.wait(lambda: desk.session.model.info, "loaded")
        assert desk.keeper.settings.distrusted == ""


def test_it_stays_distrusted_over_the_next_starts(tmp_path: Path, model: str) -> None:
    left = Settings(model=model, loading=model)
    with Desk(ScriptedEngine(Script()), tmp_path, settings=left) as desk:
        desk.session.load_first_model()
    again = Settings(model=model, distrusted=desk.keeper.settings.distrusted)
    with Desk(ScriptedEngine(Script()), tmp_path, settings=again) as desk:
        desk.session.load_first_model()
        assert desk.session.model.load is None
        assert len(desk.view.notices) == 1


def test_a_model_that_killed_the_engine_is_not_loaded_at_the_next_start(
    tmp_path: Path, model: str
) -> None:
    bad = str(tmp_path / "bad.gguf")
    Path(bad).touch()
    settings = Settings(model=bad)
    with Desk(DyingEngine(), tmp_path, settings=settings) as desk:
        desk.session.load_first_model()
        desk.wait(lambda: desk.view.notices, "the engine's end")
        desk.wait_idle()
        assert saved(desk, tmp_path)["distrusted"] == bad
        desk.session.load_first_model()
        assert desk.session.model.load is None
        desk.open_model(model)  # another is loaded as ever
        assert desk.ask().text == "fine"


def test_a_file_that_is_refused_is_not_distrusted(tmp_path: Path, model: str) -> None:
    error = ModelFileError("remembered.gguf is not a GGUF file.", "Open another file.")
    with Desk(ScriptedEngine(Script(), LoadScript(error=error)), tmp_path) as desk:
        desk.session.load_model(model)
        desk.wait(lambda: desk.view.notices, "a notice")
        desk.wait_idle()
        table = saved(desk, tmp_path)
        assert (table["loading"], table["distrusted"]) == ("", "")


def test_an_engine_that_dies_while_answering_says_nothing_of_the_model(
    tmp_path: Path, model: str
) -> None:
    engine = ScriptedEngine(Script(pieces=["a"], error=EngineError("It died.", "Send again.")))
    with Desk(engine, tmp_path) as desk:
        desk.open_model(model)
        desk.ask()
        assert desk.keeper.settings.distrusted == ""


def test_without_a_remembered_file_the_starter_is_loaded(tmp_path: Path, model: str) -> None:
    gone = Settings(model=str(tmp_path / "gone.gguf"))
    with Desk(ScriptedEngine(Script()), tmp_path, settings=gone, starter_path=model) as desk:
        desk.session.load_first_model()
        desk.wait(lambda: desk.session.model.info, "loaded")
        assert desk.session.model.path == model


def test_unload_gives_the_memory_back_and_send_loads_again(tmp_path: Path) -> None:
    engine = ScriptedEngine(Script(pieces=["hi"]))
    with Desk(engine, tmp_path) as desk:
        desk.open_model()
        desk.session.unload()
        desk.wait(lambda: desk.session.model.info is None, "unloaded")
        assert desk.view.badge is not None
        assert (desk.view.badge.label, desk.view.badge.loaded) == ("model", False)
        assert desk.view.status[-1].words == "Model unloaded"
        assert desk.tuning.info is None
        assert desk.ask().text == "hi"
        assert engine.counts.loads == 2


def test_unload_stops_an_answer(tmp_path: Path) -> None:
    with Desk(ScriptedEngine(Script(pieces=["x"] * 10_000, piece_delay_s=0.001)), tmp_path) as desk:
        desk.open_model()
        desk.session.send("go")
        desk.wait(lambda: desk.view.bubbles[-1].text, "text")
        desk.session.unload()
        desk.wait(lambda: desk.session.model.info is None, "unloaded")
        assert desk.view.bubbles[-1].note == "Stopped."


def test_a_plan_reaches_the_loading_panel(tmp_path: Path) -> None:
    with Desk(ScriptedEngine(Script()), tmp_path) as desk:
        desk.open_model()
        desk.tuning.load.ask_plan()
        desk.wait(lambda: desk.tuning.load.state.plan, "the plan")
        assert not desk.tuning.load.state.pending
