"""What the window reports, from its first moment: the session comes a little later."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from actors.messages import TokenChoice
    from tkinfer.appearance import Appearance
    from tkinfer.session import Session


class LateActions:
    """Hands the window's actions to the session; until there is one, nothing is done.

    Main thread. A program derives from it, and adds what it can do without a session.
    """

    session: "Session | None" = None

    def send(self, text: str) -> bool:
        return self.session is not None and self.session.send(text)

    def send_edited(self, text: str) -> bool:
        return self.session is not None and self.session.send_edited(text)

    def stop(self) -> None:
        if self.session is not None:
            self.session.stop()

    def regenerate(self) -> None:
        if self.session is not None:
            self.session.regenerate()

    def resume_answer(self) -> None:
        if self.session is not None:
            self.session.resume_answer()

    def edit_question(self) -> None:
        if self.session is not None:
            self.session.edit_question()

    def step_version(self, step: int) -> None:
        if self.session is not None:
            self.session.step_version(step)

    def edit_message(self, index: int) -> None:
        if self.session is not None:
            self.session.edit_message(index)

    def answer_again(self, index: int) -> None:
        if self.session is not None:
            self.session.answer_again(index)

    def delete_message(self, index: int) -> None:
        if self.session is not None:
            self.session.delete_message(index)

    def message_text(self, index: int) -> str:
        return self.session.message_text(index) if self.session is not None else ""

    def answer_text(self) -> str:
        return self.session.answer_text() if self.session is not None else ""

    def answer_tokens(self) -> "Sequence[TokenChoice]":
        return self.session.answer_tokens() if self.session is not None else ()

    def count_draft(self, text: str) -> None:
        if self.session is not None:
            self.session.count_draft(text)

    def new_chat(self) -> None:
        if self.session is not None:
            self.session.new_chat()

    def load_model(self, path: str) -> None:
        if self.session is not None:
            self.session.load_model(path)

    def load_starter(self) -> None:
        if self.session is not None:
            self.session.load_starter()

    def cancel_load(self) -> None:
        if self.session is not None:
            self.session.cancel_load()

    def unload(self) -> None:
        if self.session is not None:
            self.session.unload()

    def choose_appearance(self, appearance: "Appearance") -> None:
        if self.session is not None:
            self.session.choose_appearance(appearance)
