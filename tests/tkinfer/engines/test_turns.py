import threading
from typing import Any

import pytest

from actors.engine import Aborted, Unloaded
from actors.turn import Phase, TurnId
from tkinfer.engines.turns import TurnAbortedError, TurnGate

ONE, TWO = TurnId(1), TurnId(2)


class Desk:
    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.gate = TurnGate(self.sent.append)

    def begin(self, turn: TurnId, credit: int = 0) -> bool:
        return self.gate.queue(turn) and self.gate.begin(turn, Phase.PREFILL, credit)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_an_abort_of_the_running_turn_takes_the_place_of_its_end(desk: Desk) -> None:
    assert desk.begin(ONE)
    desk.gate.abort(ONE)
    assert desk.gate.flag[0] == 1
    with pytest.raises(TurnAbortedError):
        desk.gate.check()
    assert not desk.gate.end("finished", evaluated=5, kept=3)
    assert desk.sent == [Aborted(turn=ONE, phase=Phase.PREFILL, tokens_evaluated=5, tokens_kept=3)]
    assert desk.gate.flag[0] == 0


def test_a_late_abort_spares_the_next_turn(desk: Desk) -> None:
    desk.begin(ONE)
    assert desk.gate.end("one")
    desk.begin(TWO)
    desk.gate.abort(ONE)
    desk.gate.check()
    assert desk.gate.end("two")
    assert desk.sent == ["one", Aborted(turn=ONE, phase=Phase.IDLE), "two"]


def test_an_abort_of_a_waiting_turn_keeps_it_from_starting(desk: Desk) -> None:
    assert desk.gate.queue(ONE)
    desk.gate.abort(ONE)
    assert not desk.gate.begin(ONE, Phase.PREFILL)
    assert desk.sent == [Aborted(turn=ONE, phase=Phase.QUEUED)]


def test_an_abort_before_the_start_arrives_is_kept_in_mind(desk: Desk) -> None:
    desk.gate.abort(TWO)
    assert desk.sent == [Aborted(turn=TWO, phase=Phase.IDLE)]
    assert desk.gate.queue(ONE)
    assert not desk.gate.queue(TWO)
    assert desk.gate.queue(TurnId(3))


def test_each_abort_has_its_answer(desk: Desk) -> None:
    desk.begin(ONE)
    desk.gate.abort(ONE)
    desk.gate.abort(ONE)
    desk.gate.end(Unloaded())
    desk.gate.abort(ONE)
    assert [type(event) for event in desk.sent] == [Aborted] * 3


def test_credit_of_a_stale_turn_is_void(desk: Desk) -> None:
    desk.begin(ONE)
    desk.gate.end("one")
    desk.begin(TWO, credit=1)
    desk.gate.grant(ONE, 5)
    assert desk.gate.spend() == 0
    threading.Thread(target=desk.gate.abort, args=(TWO,)).start()
    with pytest.raises(TurnAbortedError):
        desk.gate.spend()


def test_without_credit_the_turn_waits_for_a_grant(desk: Desk) -> None:
    desk.begin(ONE)
    granter = threading.Thread(target=desk.gate.grant, args=(ONE, 2))
    granter.start()
    assert desk.gate.spend() >= 0
    assert desk.gate.spend() == 0
    granter.join()
