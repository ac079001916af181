"""What the user can do with the last answer, from wherever it is asked: row, menu or key."""

from collections.abc import Callable
from functools import partial

from tkinfer.ui.answerrow import AnswerActions
from tkinfer.ui.popover import Item, Row
from tkinfer.ui.view import Actions, AnswerChoices


class LastAnswer:
    """Lets through only what is offered: a key may come while an answer is being made."""

    def __init__(self, actions: Actions, put: Callable[[str], None]) -> None:
        """`put` takes a text to the clipboard."""
        self._actions = actions
        self._put = put
        self.choices: AnswerChoices | None = None

    def row_actions(self, *, tokens: Callable[[], None]) -> AnswerActions:
        """What the row under the answer calls; `tokens` shows the answer's tokens."""
        return AnswerActions(
            regenerate=self.regenerate,
            resume=self.go_on,
            edit=self.edit,
            copy=self.copy,
            tokens=tokens,
            earlier=partial(self._actions.step_version, -1),
            later=partial(self._actions.step_version, 1),
        )

    def menu_rows(self) -> list[Row]:
        """The same for a menu; empty while nothing is offered."""
        if self.choices is None:
            return []
        rows: list[Row] = [
            Item(label="Copy answer", action=self.copy),
            Item(label="Regenerate", action=self.regenerate, shortcut="Ctrl+R"),
            Item(label="Edit question", action=self.edit, shortcut="Up"),
        ]
        if self.choices.resumable:
            go_on = Item(label="Continue", action=self.go_on, shortcut="Ctrl+Enter")
            rows.insert(1, go_on)
        return rows

    def regenerate(self) -> None:
        if self.choices is not None:
            self._actions.regenerate()

    def resume(self) -> bool:
        """Go on with the answer. False: it is complete, or there is none."""
        if self.choices is None or not self.choices.resumable:
            return False
        self._actions.resume_answer()
        return True

    def go_on(self) -> None:
        self.resume()

    def edit(self) -> None:
        if self.choices is not None:
            self._actions.edit_question()

    def copy(self) -> None:
        if self.choices is not None:
            self._put(self._actions.answer_text())
