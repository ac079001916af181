"""The seam between the session and the window: what each asks of the other. No tkinter here.

The session (tkinfer/session.py) decides; the window shows and reports what the user did. Both live
on the main thread. Tests put a recording view in the window's place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from actors.drawing import DrawOp
from actors.turn import Phase


class Appearance(StrEnum):
    """The user's choice of palette."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Tone(StrEnum):
    """How a note or notice is coloured."""

    PLAIN = "plain"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The status bar: a coloured dot by phase, words, figures, and the last Stop's receipt."""

    phase: Phase
    words: str
    figures: tuple[str, ...] = ()
    receipt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentModel:
    """One line of the model menu."""

    path: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBadge:
    """The model button. `loading` is 0 to 1 while a model loads, else None."""

    label: str
    """The model's name; empty when no model is chosen."""
    loading: float | None = None
    loaded: bool = False
    recent: tuple[RecentModel, ...] = ()
    starter_installed: bool = False


class EmptyState(StrEnum):
    """What an empty transcript says."""

    NO_MODEL = "no_model"
    LOADING = "loading"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A bar above the composer, until it is closed. `detail` opens on a click and can be copied.

    One with `undo` offers a button that calls it, and goes by itself after a while.
    """

    what: str
    next_step: str = ""
    detail: str = ""
    tone: Tone = Tone.ERROR
    undo: Callable[[], None] | None = None


class View(Protocol):
    """What the session asks of the window. All calls come on the main thread and return at once."""

    def show_status(self, status: Status) -> None: ...

    def show_model(self, badge: ModelBadge) -> None: ...

    def show_running(self, *, running: bool) -> None:
        """True turns Send into Stop, False turns it back and removes the answer's caret."""
        ...

    def show_title(self, title: str) -> None: ...

    def show_empty(self, state: EmptyState | None) -> None:
        """What the empty transcript says; None when it holds messages."""
        ...

    def add_user_message(self, text: str) -> None: ...

    def begin_answer(self, author: str) -> None:
        """Open the answer's place under the last message, with its heading and a caret."""
        ...

    def draw(self, ops: Sequence[DrawOp]) -> None:
        """Draw at the end of the open answer. Raises before anything was drawn, or not at all."""
        ...

    def end_answer(self, *, figures: str, note: str, tone: Tone) -> None:
        """Close the answer: figures beside its author, and a note below it if one is given."""
        ...

    def clear_chat(self) -> None: ...

    def show_notice(self, notice: Notice) -> None: ...

    def set_draft(self, text: str) -> None:
        """Put text into the input box, in front of what is there."""
        ...


class Actions(Protocol):
    """What the window reports to the session. All on the main thread; each returns at once."""

    def send(self, text: str) -> bool:
        """The user sends this. False: not taken, so the text stays in the input box."""
        ...

    def stop(self) -> None:
        """Stop the answer, or the loading if no answer runs."""
        ...

    def new_chat(self) -> None: ...

    def load_model(self, path: str) -> None: ...

    def load_starter(self) -> None: ...

    def cancel_load(self) -> None: ...

    def choose_appearance(self, appearance: Appearance) -> None: ...

    def close(self) -> None:
        """The window is being closed: end everything, then the window."""
        ...
