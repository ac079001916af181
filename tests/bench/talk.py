"""Talks straight to the engine process, without a window, for benches of the engine alone."""

from dataclasses import dataclass

from actors.engine import Aborted, ChatMessage, EngineFailed, EngineFinished, Piece
from actors.sampling import Sampling
from actors.turn import Figures, TurnId
from tests.bench.material import WORDS
from tests.tkinfer.engines.rig import Rig


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer, with what it took."""

    message: ChatMessage
    figures: Figures


def question(number: int, words: int) -> ChatMessage:
    """A question that shares no beginning with that of another number."""
    text = " ".join(WORDS[(number * 7 + at * (number + 1)) % len(WORDS)] for at in range(words))
    return ChatMessage(role="user", content=f"{number} {text}?")


def ask(rig: Rig, chat: list[ChatMessage], tokens: int, *, lookup: bool = False) -> Reply:
    """Let the model answer, greedily, with at most so many tokens."""
    turn = rig.start(tuple(chat), Sampling(temperature=0, max_tokens=tokens, prompt_lookup=lookup))
    end = finished(rig, turn)
    text = "".join(piece.text for piece in rig.of(Piece, turn))
    rig.events.clear()
    message = ChatMessage(role="assistant", content=text, tokens=end.tokens.ids)
    return Reply(message=message, figures=end.figures)


def finished(rig: Rig, turn: TurnId) -> EngineFinished:
    """Wait for the end, however slow the machine is, as long as something comes at all."""
    seen = -1

    def more() -> bool:
        return len(rig.events) > seen

    while not any(end.turn == turn for end in rig.of(EngineFinished | EngineFailed | Aborted)):
        rig.until(more)
        seen = len(rig.events)
    return rig.finished(turn)
