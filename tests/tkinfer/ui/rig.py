"""A main window with recorded actions, driven by real Tk events."""

import tkinter as tk
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from actors.drawing import BlockKind, CloseBlock, InsertText, OpenBlock
from actors.messages import TokenChoice
from tests.waiting import wait_until
from tkinfer.markdown.renderer import MarkdownRenderer
from tkinfer.settings import Settings
from tkinfer.tuning.hooks import TuningHooks
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.view import Actions, Appearance, Entry
from tkinfer.ui.window import MainWindow

if TYPE_CHECKING:
    from actors.loading import LoadSpec


class RecordingActions(Actions):
    """Notes what the window reports, as tuples. `takes` is what `send` answers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.takes = True
        self.answered = ""
        self.tokens: Sequence[TokenChoice] = ()
        self.counted: list[str] = []
        self.tuned = Tuning(
            Settings(),
            lambda: self.calls.append(("save",)),
            TuningHooks(
                plan=lambda query, spec: self.plans.append((query, spec)),
                load=lambda path: self.calls.append(("load_model", path)),
                unload=lambda: self.calls.append(("unload",)),
                unload_when_idle=lambda seconds: self.calls.append(("idle", str(seconds))),
            ),
        )
        self.plans: list[tuple[int, LoadSpec]] = []
        self.on_send: Callable[[str], None] = lambda _: None

    def send(self, text: str) -> bool:
        self.calls.append(("send", text))
        self.on_send(text)
        return self.takes

    def send_edited(self, text: str) -> bool:
        self.calls.append(("send_edited", text))
        return self.takes

    def regenerate(self) -> None:
        self.calls.append(("regenerate",))

    def resume_answer(self) -> None:
        self.calls.append(("resume_answer",))

    def edit_question(self) -> None:
        self.calls.append(("edit_question",))

    def step_version(self, step: int) -> None:
        self.calls.append(("step_version", str(step)))

    def message_text(self, index: int) -> str:
        return f"text of {index}"

    def edit_message(self, index: int) -> None:
        self.calls.append(("edit_message", str(index)))

    def answer_again(self, index: int) -> None:
        self.calls.append(("answer_again", str(index)))

    def delete_message(self, index: int) -> None:
        self.calls.append(("delete_message", str(index)))

    def answer_text(self) -> str:
        return self.answered

    def answer_tokens(self) -> Sequence[TokenChoice]:
        return self.tokens

    def count_draft(self, text: str) -> None:
        self.counted.append(text)

    def unload(self) -> None:
        self.calls.append(("unload",))

    def stop(self) -> None:
        self.calls.append(("stop",))

    def new_chat(self) -> None:
        self.calls.append(("new_chat",))

    def load_model(self, path: str) -> None:
        self.calls.append(("load_model", path))

    def load_starter(self) -> None:
        self.calls.append(("load_starter",))

    def cancel_load(self) -> None:
        self.calls.append(("cancel_load",))

    def choose_appearance(self, appearance: Appearance) -> None:
        self.calls.append(("choose_appearance", appearance.value))

    def tuning(self) -> Tuning:
        return self.tuned

    def close(self) -> None:
        self.calls.append(("close",))


class Chat:
    """A History of given entries."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = list(entries)

    def __len__(self) -> int:
        return len(self.entries)

    def entry(self, index: int) -> Entry:
        return self.entries[index]

    def renderer(self) -> MarkdownRenderer:
        return MarkdownRenderer(colours=False)


class Rig:
    """One window on the screen, and short names for what tests do with it."""

    def __init__(self, size: str = "900x640") -> None:
        self.root = tk.Tk()
        self.errors: list[BaseException] = []
        self.actions = RecordingActions()
        self.window = MainWindow(
            self.root,
            self.actions,
            appearance=Appearance.LIGHT,
            size=size,
            on_error=self.errors.append,
        )
        self.text = self.window.transcript.text
        self.box = self.window.composer.text
        self.wait(lambda: self.text.winfo_height() > 1, "the window is laid out")
        self.chat = Chat()
        self.show()

    def settle(self) -> None:
        """Run what is pending, redraws included."""
        self.root.update()

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        wait_until(condition, what, between=self.root.update)

    def press(self, widget: tk.Misc, *keys: str) -> None:
        """Give the widget the focus and send it key events, such as `<Return>`."""
        widget.focus_force()
        self.settle()
        for key in keys:
            widget.event_generate(key)
        self.settle()

    def type(self, widget: tk.Misc, text: str) -> None:
        """Send the characters as key events."""
        names = {" ": "space", "\n": "Return", ".": "period", ",": "comma"}
        self.press(widget, *(f"<Key-{names.get(char, char)}>" for char in text))

    def answer(self, *pieces: str, author: str = "Model") -> None:
        """Open an answer and draw each piece by a call of its own."""
        self.window.begin_answer(author)
        for piece in pieces:
            self.draw(piece)

    def show(self, *entries: Entry) -> None:
        """Show a chat of these messages."""
        self.chat = Chat(*entries)
        self.window.show_history(self.chat)

    def replace(self, *entries: Entry) -> None:
        """Show these messages in place of the last ones."""
        first = len(self.window.transcript.rows) - len(entries)
        missing = Entry(author="", text="")
        self.chat.entries[first:] = []
        self.chat.entries += [missing] * (first - len(self.chat)) + list(entries)
        self.window.redraw_from(first)

    def stream(self, *pieces: str) -> None:
        """Draw an answer's pieces as the chain does, and end it."""
        renderer = MarkdownRenderer()
        for piece in pieces:
            self.window.draw(renderer.feed(piece))
        self.window.draw(renderer.finish())

    def dump(self) -> list[tuple[str, str]]:
        """The picture: characters and tags, without places; neighbouring texts are joined."""
        joined: list[tuple[str, str]] = []
        for kind, value, _ in self.text.dump("1.0", "end", text=True, tag=True):
            if joined and kind == "text" == joined[-1][0]:
                joined[-1] = ("text", joined[-1][1] + value)
            else:
                joined.append((kind, value))
        return joined

    def picture(self) -> list[tuple[str, frozenset[str]]]:
        """Stretches of text with the tags that each has, in whatever order they were added."""
        active: set[str] = set()
        stretches: list[tuple[str, frozenset[str]]] = []
        for kind, value in self.dump():
            if kind == "tagon":
                active.add(value)
            elif kind == "tagoff":
                active.discard(value)
            elif stretches and stretches[-1][1] == active:
                stretches[-1] = (stretches[-1][0] + value, stretches[-1][1])
            else:
                stretches.append((value, frozenset(active)))
        return stretches

    def draw(self, *pieces: str) -> None:
        self.window.draw([plain(piece) for piece in pieces])

    def clipboard(self) -> str:
        return self.root.clipboard_get()

    def shown(self) -> str:
        """All characters of the transcript."""
        return self.text.get("1.0", "end-1c")

    def first_visible(self) -> str:
        """The characters of the first visible line."""
        return self.text.get("@0,0 linestart", "@0,0 lineend")

    def close(self) -> None:
        self.window.close()
        self.root.destroy()


def plain(text: str, *tags: str) -> InsertText:
    return InsertText(text=text, tags=tags, source=text)


def opened(info: str = "python") -> OpenBlock:
    return OpenBlock(kind=BlockKind.CODE, info=info, source=f"```{info}\n")


def closed() -> CloseBlock:
    return CloseBlock(source="```\n")


class CountingTk:
    """Stands in front of a widget's Tcl interpreter and counts what is asked of it."""

    def __init__(self, interpreter: Any) -> None:
        self._interpreter = interpreter
        self.commands: list[Sequence[Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)

    def call(self, *command: Any) -> Any:
        self.commands.append(command[0] if len(command) == 1 else command)
        return self._interpreter.call(*command)
