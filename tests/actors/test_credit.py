"""Credit of one hop: the sum never changes, whatever the order of sending, taking and stopping."""

import threading
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from actors.credit import CreditGate, CreditWindow
from actors.mailbox import BoundedMailbox, CreditViolationError
from actors.turn import TurnId
from tests.actors.parcels import Control, Data, Wrapped

SIZES = st.sampled_from([1, 1, 2, 2, 3, 4, 7, 8, 9, 128])


class HopMachine(RuleBasedStateMachine):
    """One sender, one receiver that holds what it cannot use yet, and credit that travels."""

    @initialize(size=SIZES)
    def begin(self, size: int) -> None:
        self.size = size
        self.window = CreditWindow(size)
        self.gate = CreditGate(size)
        self.box = BoundedMailbox(size)
        self.travelling: deque[int] = deque()
        self.held: deque[Data] = deque()
        self.turn = TurnId(1)
        self.sent = 0
        self.used: list[int] = []
        self.dropped = 0

    @rule()
    def send(self) -> None:
        if self.window.take():
            self.box.put(Wrapped(Data(turn=self.turn, seq=self.sent)))
            self.sent += 1
        else:
            assert self.window.available == 0

    @precondition(lambda self: not self.box.empty())
    @rule()
    def take(self) -> None:
        message = self.box.get().message
        assert isinstance(message, Data)
        self.held.append(message)

    @precondition(lambda self: self.held)
    @rule()
    def use(self) -> None:
        self.used.append(self.held.popleft().seq)
        self.grant(self.gate.took(1))

    @precondition(lambda self: self.travelling)
    @rule()
    def credit_arrives(self) -> None:
        self.window.refill(self.travelling.popleft())

    @rule()
    def stop(self) -> None:
        """The sender has sent its last of this turn; the receiver drops what it has of it."""
        lost = self.box.discard_turn(self.turn)
        lost += sum(item.turn == self.turn for item in self.held)
        self.held = deque(item for item in self.held if item.turn != self.turn)
        self.dropped += lost
        self.grant(self.gate.took(lost) + self.gate.settle())
        self.turn = TurnId(self.turn + 1)

    @rule()
    def new_turn(self) -> None:
        self.turn = TurnId(self.turn + 1)

    @rule()
    def replace_receiver(self) -> None:
        """A receiver that fails takes all with it; both sides of the hop begin anew."""
        self.dropped += len(self.held) + self.box.data_queued
        self.held.clear()
        self.travelling.clear()
        self.window = CreditWindow(self.size)
        self.gate = CreditGate(self.size)
        self.box = BoundedMailbox(self.size)

    @precondition(lambda self: self.window.available == 0)
    @rule()
    def cheat_by_sending(self) -> None:
        """Without credit the mailbox may be full, and then it refuses, changing nothing."""
        if self.box.data_queued == self.size:
            with pytest.raises(CreditViolationError):
                self.box.put(Wrapped(Data(turn=self.turn, seq=-1)))

    @rule(excess=st.integers(1, 3))
    def cheat_by_granting(self, excess: int) -> None:
        with pytest.raises(CreditViolationError):
            self.window.refill(self.size - self.window.available + excess)

    def grant(self, messages: int) -> None:
        if messages:
            self.travelling.append(messages)

    @invariant()
    def nothing_is_created_or_lost(self) -> None:
        credit = self.window.available + sum(self.travelling) + self.gate.owed
        assert credit + self.box.data_queued + len(self.held) == self.size
        assert self.used == sorted(set(self.used))
        in_transit = self.box.data_queued + len(self.held)
        assert len(self.used) + self.dropped + in_transit == self.sent

    @invariant()
    def the_hop_is_never_stuck(self) -> None:
        """Once all is taken, used and arrived, the sender has credit, whatever the gate keeps."""
        assert self.gate.owed < max(1, self.size // 4)

    def teardown(self) -> None:
        if not hasattr(self, "size"):
            return
        self.stop()
        while not self.box.empty():
            self.take()
        while self.held:
            self.use()
        self.grant(self.gate.settle())
        while self.travelling:
            self.credit_arrives()
        assert self.window.available == self.size


TestHop = HopMachine.TestCase


@given(size=SIZES, out=st.integers(0, 200))
def test_a_successor_starts_without_what_is_still_out(size: int, out: int) -> None:
    outstanding = min(size, out)
    window = CreditWindow(size, outstanding=outstanding)
    assert window.available == size - outstanding
    window.refill(outstanding)
    assert window.available == size


@pytest.mark.parametrize("size", [0, -1])
def test_a_window_has_at_least_one_place(size: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        CreditWindow(size)


@pytest.mark.parametrize("size", [1, 2, 5, 128])
def test_two_threads_flood_each_other_without_deadlock(size: int) -> None:
    """Both send as fast as credit allows and answer with credit; none waits on the other."""
    each = 1_500
    granted_in_the_end = each - each % max(1, size // 4)

    class Peer(threading.Thread):
        def __init__(self) -> None:
            super().__init__()
            self.box = BoundedMailbox(size)
            self.window = CreditWindow(size)
            self.gate = CreditGate(size)
            self.other = self
            self.seen: list[int] = []
            self.sent = 0
            self.refilled = 0

        def run(self) -> None:
            self.flood()
            while len(self.seen) < each or self.refilled < granted_in_the_end:
                match self.box.get().message:
                    case Data(seq=seq):
                        self.seen.append(seq)
                        self.grant(self.gate.took(1))
                    case Control(number=messages):
                        self.window.refill(messages)
                        self.refilled += messages
                    case _:
                        pass
                self.flood()

        def flood(self) -> None:
            while self.sent < each and self.window.take():
                self.other.box.put(Wrapped(Data(turn=TurnId(1), seq=self.sent)))
                self.sent += 1

        def grant(self, messages: int) -> None:
            if messages:
                self.other.box.put(Wrapped(Control(number=messages)))

    one, two = Peer(), Peer()
    one.other, two.other = two, one
    one.start()
    two.start()
    one.join()
    two.join()
    for peer in (one, two):
        assert peer.seen == list(range(each))
        assert peer.box.high_water <= size
        assert peer.window.available + peer.other.gate.owed == size
