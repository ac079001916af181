"""Messages of no meaning, one for each lane, for tests of mailboxes and credit."""

from dataclasses import dataclass
from typing import ClassVar

from actors.drawing import InsertText
from actors.mailbox import Lane
from actors.messages import RenderOps
from actors.turn import TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Costs one credit."""

    lane: ClassVar[Lane] = Lane.DATA
    turn: TurnId
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """In order behind the data, and free."""

    lane: ClassVar[Lane] = Lane.END
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Overtakes all else."""

    lane: ClassVar[Lane] = Lane.CONTROL
    number: int


Parcel = Data | End | Control


@dataclass(slots=True)
class Wrapped:
    """What Pykka puts around a message."""

    message: Parcel


def render_ops(turn: TurnId, seq: int) -> RenderOps:
    """One operation list that draws its own number."""
    text = f"{seq} "
    ops = (InsertText(text=text, source=text),)
    return RenderOps(turn=turn, first_seq=seq, pieces=1, ops=ops)
