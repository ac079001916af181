"""The seam between the session and the window: what each asks of the other. No tkinter here.

The session (tkinfer/session.py) decides; the window shows and reports what the user did. Both live
on the main thread. Tests put a recording view in the window's place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from actors.drawing import DrawOp, TextRenderer
from actors.turn import Channel, Phase
from tkinfer.appearance import Appearance

if TYPE_CHECKING:
    from actors.messages import TokenChoice
    from tkinfer.tuning.tuning import Tuning


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
class NoticeAction:
    """The button of a notice. A `brief` one, such as an undo, goes after a while."""

    label: str
    run: Callable[[], None]
    brief: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A bar above the composer until it is closed. `detail` opens on a click and can be copied.

    The button of `action` closes it too.
    """

    what: str
    next_step: str = ""
    detail: str = ""
    tone: Tone = Tone.ERROR
    action: NoticeAction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChoices:
    """What can be done with the last answer, while none is being made."""

    resumable: bool = False
    """It was cut, and can be gone on with."""
    number: int = 1
    """Which of its versions is shown, from 1."""
    versions: int = 1
    tokens: bool = False
    """It is known what else the model could have written."""
    seed: int | None = None
    """With which the same settings give it again, if that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A message as the transcript shows it."""

    author: str
    text: str
    is_user: bool = False
    reasoning: str = ""
    thought_s: float = 0.0
    left_out: str = ""
    """What the prompt had no room for, in words."""
    figures: str = ""
    note: str = ""
    tone: Tone = Tone.PLAIN
    grows: bool = False
    """It is being made: what comes is drawn behind its text."""


class History(Protocol):
    """The messages of a chat, which the transcript takes what it shows from. Main thread."""

    def __len__(self) -> int: ...

    def entry(self, index: int) -> Entry:
        """The message with this number, from 0."""
        ...

    def renderer(self) -> TextRenderer:
        """What draws an answer's text; code without its colours."""
        ...


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

    def show_left_out(self, words: str) -> None:
        """Say above the open answer that the prompt has left out the beginning of the chat."""
        ...

    def show_thinking(self, seconds: float, *, over: bool) -> None:
        """The model of the open answer thinks for so long now, or has thought."""
        ...

    def draw(self, ops: Sequence[DrawOp], channel: Channel = Channel.ANSWER) -> None:
        """Draw at the end of the open answer. Raises before anything was drawn, or not at all."""
        ...

    def end_answer(self, *, figures: str, note: str, tone: Tone) -> None:
        """Close the answer: figures beside its author, and a note below it if one is given."""
        ...

    def show_choices(self, choices: AnswerChoices | None) -> None:
        """Offer this below the last answer; None offers nothing."""
        ...

    def show_history(self, history: History, at: int | None = None) -> None:
        """Show this chat in place of the one there: its end, or the message `at`. What is to be
        drawn again is taken from it from now on.
        """
        ...

    def redraw_from(self, index: int) -> None:
        """The messages from this one on are others now, or stand otherwise. The reader's place is
        kept.
        """
        ...

    def show_notice(self, notice: Notice) -> None: ...

    def set_draft(self, text: str) -> None:
        """Put text into the input box, in front of what is there."""
        ...

    def edit_question(self, text: str) -> None:
        """Let the user change this question in the input box; the draft waits meanwhile."""
        ...

    def leave_edit(self) -> None:
        """The question that is being edited, if one is, is no longer there."""
        ...

    def show_draft_tokens(self, words: str) -> None:
        """How large the draft is, as far as it was counted."""
        ...


class Actions(Protocol):
    """What the window reports to the session. All on the main thread; each returns at once."""

    def send(self, text: str) -> bool:
        """The user sends this. False: not taken, so the text stays in the input box."""
        ...

    def send_edited(self, text: str) -> bool:
        """The user sends this in place of the last question. False: not taken."""
        ...

    def stop(self) -> None:
        """Stop the answer, or the loading if no answer runs."""
        ...

    def regenerate(self) -> None:
        """Answer the last question anew; the answer there is stays as a version."""
        ...

    def resume_answer(self) -> None:
        """Go on with the last answer, if it was cut."""
        ...

    def edit_question(self) -> None:
        """Put the last question into the input box, to be changed."""
        ...

    def step_version(self, step: int) -> None:
        """Show the next (1) or the previous (-1) version of the last answer."""
        ...

    def message_text(self, index: int) -> str:
        """A message as it was written, without its reasoning."""
        ...

    def edit_message(self, index: int) -> None:
        """Put the question of this message into the input box; sent, what is behind it goes."""
        ...

    def answer_again(self, index: int) -> None:
        """Answer the question of this message anew; what is behind it goes."""
        ...

    def delete_message(self, index: int) -> None:
        """Delete this message, with the question or answer that belongs to it."""
        ...

    def answer_text(self) -> str:
        """The last answer as the model wrote it, without its reasoning."""
        ...

    def answer_tokens(self) -> "Sequence[TokenChoice]":
        """What else the model could have written in the last answer, place by place."""
        ...

    def count_draft(self, text: str) -> None:
        """Count the draft's tokens; answered by `show_draft_tokens`, if a model is there."""
        ...

    def new_chat(self) -> None: ...

    def load_model(self, path: str) -> None: ...

    def load_starter(self) -> None: ...

    def cancel_load(self) -> None: ...

    def unload(self) -> None:
        """Give the model's memory back; the next message loads it again."""
        ...

    def choose_appearance(self, appearance: Appearance) -> None: ...

    def tuning(self) -> "Tuning":
        """What the settings panel shows and changes."""
        ...

    def close(self) -> None:
        """The window is being closed: end everything, then the window."""
        ...
