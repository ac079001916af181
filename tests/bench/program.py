"""The real program with its real window, in this process, driven through its main loop."""

import gc
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import fields

from actors.engine import Engine, EventSink, GenerateRequest
from actors.loading import LoadSpec
from actors.messages import News, Stopped
from actors.sampling import Sampling
from actors.turn import TurnId
from tests.bench.common import say
from tests.bench.material import chat_entries
from tkinfer.app import App
from tkinfer.chats.conversation import Conversation, MessageState
from tkinfer.engines.process import ProcessEngine
from tkinfer.engines.scripted import ScriptedEngine

LOOK_MS = 10
TICK_MS = 16
SCRIPTED_MODEL = "/scripted.gguf"
EVERYTHING = Sampling(
    temperature=0,
    repeat_penalty=1.000_001,
    stop=("\n\nUser:", "### ", "one million", "ten thousand and"),
)
"""Greedy, with penalties and stop strings at work; reasoning is looked for in every answer.

The penalty costs what any does, but is too small to change a choice: so the text can be compared
with that of a plain loop. The stop strings begin as many a word of an answer does.
"""


class EitherEngine:
    """Two engines behind one chain: opening SCRIPTED_MODEL changes to the scripted one."""

    def __init__(self, scripted: ScriptedEngine) -> None:
        self.scripted = scripted
        self.process = ProcessEngine()
        self._now: Engine = scripted

    def connect(self, sink: EventSink) -> None:
        self.scripted.connect(sink)
        self.process.connect(sink)

    def load(self, turn: TurnId, spec: LoadSpec) -> None:
        self._now = self.scripted if spec.path == SCRIPTED_MODEL else self.process
        self._now.load(turn, spec)

    def unload(self) -> None:
        self._now.unload()

    def start(self, request: GenerateRequest) -> None:
        self._now.start(request)

    def grant(self, turn: TurnId, pieces: int) -> None:
        self._now.grant(turn, pieces)

    def abort(self, turn: TurnId) -> None:
        self._now.abort(turn)

    def count(self, query: int, text: str) -> None:
        self._now.count(query, text)

    def plan(self, query: int, spec: LoadSpec) -> None:
        self._now.plan(query, spec)

    def kill(self) -> None:
        self._now.kill()

    def close(self) -> None:
        self.scripted.close()
        self.process.close()


class Heartbeat:
    """A 16 ms timer of its own in the program's main loop; keeps how late each beat was."""

    def __init__(self, program: "Program") -> None:
        self._root = program.root
        self._due = 0.0
        self._timer = ""
        self.late_s: list[float] = []

    def start(self) -> None:
        self.late_s.clear()
        self._arm()

    def stop(self) -> list[float]:
        """End; how late the beats were, in seconds."""
        self._root.after_cancel(self._timer)
        return self.late_s

    def _arm(self) -> None:
        self._due = time.perf_counter() + TICK_MS / 1000
        self._timer = self._root.after(TICK_MS, self._beat)

    def _beat(self) -> None:
        self.late_s.append(max(0.0, time.perf_counter() - self._due))
        self._arm()


class Program:
    """The running program. Its main loop runs only inside of `run_until` and `run_for`."""

    def __init__(self, engine: Engine, model: str | None = None) -> None:
        self.engine = engine
        self.app = App(model=model, make_engine=lambda: engine)
        self.root = self.app.root
        self.receipts: list[Stopped] = []
        self.run_until(lambda: self.app.session is not None, "the session")
        session = self.app.session
        assert session is not None
        self.session = session
        self._hand_on = session.news
        session.news = self._news
        self.run_until(self.loaded, "the model")
        self.run_for(0.3)

    def _news(self, news: News) -> None:
        if isinstance(news, Stopped):
            self.receipts.append(news)
        self._hand_on(news)

    def loaded(self) -> bool:
        """Whether the window says that a model is there."""
        return self.app.window._badge.loaded

    def running(self) -> bool:
        """Whether the window shows Stop in the place of Send."""
        return self.app.window._running

    def run_until(self, condition: Callable[[], object], what: str, limit_s: float = 120.0) -> None:
        """Run the main loop until the condition holds; it is looked at every 10 ms."""
        deadline = time.perf_counter() + limit_s
        held = False

        def look() -> None:
            nonlocal held
            held = bool(condition())
            if held or time.perf_counter() > deadline:
                self.root.quit()
            else:
                self.root.after(LOOK_MS, look)

        self.root.after(1, look)
        self.root.mainloop()
        if not held:
            msg = f"waited {limit_s} s in vain for {what}"
            raise RuntimeError(msg)

    def run_for(self, seconds: float) -> None:
        """Run the main loop for some time."""
        self.root.after(round(seconds * 1000), self.root.quit)
        self.root.mainloop()

    def open(self, path: str) -> None:
        """Open a model and wait for it."""
        self.app.load_model(path)
        self.run_until(
            lambda: self.loaded() and self.app.window._badge.loading is None, f"the model {path}"
        )

    def use(self, sampling: Sampling) -> None:
        """Choose tokens so from now on, with the model that is open."""
        values = {field.name: getattr(sampling, field.name) for field in fields(sampling)}
        self.app.tuning().change(**values)

    def send(self, text: str) -> None:
        """Type into the input box and send, as a user does."""
        self.app.window.composer.replace(text)
        self.app.window.composer.send()
        if not self.running():
            msg = "the message was not taken"
            raise RuntimeError(msg)

    def wait_idle(self, limit_s: float = 300.0) -> None:
        """Until the answer is complete, or stopped with its receipt."""
        session = self.session
        self.run_until(
            lambda: not self.running() and not session.status.stopping, "the end", limit_s
        )

    def answer_text(self) -> str:
        """The newest answer, as it is kept."""
        return self.session.conversation.messages[-1].text

    def fill_chat(self, amount: int) -> None:
        """Open a chat of so many messages, half of them answers of real Markdown. Of none of them
        the model is told.
        """
        conversation = Conversation()
        for entry in chat_entries(amount):
            if entry.is_user:
                conversation.add_user(entry.text)
            else:
                conversation.begin_answer(entry.author).append(entry.text)
        for message in conversation.messages:
            message.state, message.refused = MessageState.COMPLETE, True
        chat = self.session._chat
        chat.conversation = conversation
        chat._page.show(conversation)
        text = self.app.window.transcript.text
        # Tk measures lines in the background, in slices of some milliseconds.
        self.run_until(
            lambda: not text.tk.getboolean(text.tk.call(text, "pendingsync")), "the lines' heights"
        )
        self.run_for(1.0)

    def close(self) -> None:
        self.app.close()
        self.app.shutdown()
        gc.collect()


@contextmanager
def running_program(engine: Engine, model: str | None = None) -> Generator[Program, None, None]:
    """Open the window, and close it at the end."""
    say("opening the window")
    program = Program(engine, model)
    try:
        yield program
    finally:
        program.close()
