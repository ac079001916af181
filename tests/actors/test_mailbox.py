"""BoundedMailbox and LatestQueue: lanes, order, bounds, and threads."""

import threading
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from actors.mailbox import BoundedMailbox, CreditViolationError, Lane, LatestQueue, lane_of
from actors.turn import TurnId
from tests.actors.parcels import Control, Data, End, Parcel, Wrapped
from tests.waiting import wait_until

CAPACITIES = st.sampled_from([1, 1, 2, 2, 3, 8])


class MailboxMachine(RuleBasedStateMachine):
    """Any order of putting, taking and discarding agrees with two plain lists."""

    @initialize(capacity=CAPACITIES)
    def begin(self, capacity: int) -> None:
        self.box = BoundedMailbox(capacity)
        self.control: deque[Control] = deque()
        self.ordered: deque[Data | End] = deque()
        self.turn = TurnId(1)
        self.numbers = iter(range(1_000_000))
        self.most = 0

    def data_waiting(self) -> int:
        return sum(isinstance(item, Data) for item in self.ordered)

    @rule()
    def put_data(self) -> None:
        item = Data(turn=self.turn, seq=next(self.numbers))
        if self.data_waiting() == self.box.capacity:
            with pytest.raises(CreditViolationError):
                self.box.put(Wrapped(item))
        else:
            self.box.put(Wrapped(item))
            self.ordered.append(item)
            self.most = max(self.most, self.data_waiting())

    @rule()
    def end_turn(self) -> None:
        item = End(turn=self.turn)
        self.box.put(Wrapped(item))
        self.ordered.append(item)
        self.turn = TurnId(self.turn + 1)

    @rule()
    def put_control(self) -> None:
        item = Control(number=next(self.numbers))
        self.box.put(Wrapped(item))
        self.control.append(item)

    @precondition(lambda self: self.control or self.ordered)
    @rule()
    def take(self) -> None:
        expected: Parcel = (self.control or self.ordered).popleft()
        assert self.box.get().message is expected

    @rule(back=st.integers(0, 2))
    def discard(self, back: int) -> None:
        turn = TurnId(self.turn - back)
        before = self.data_waiting()
        self.ordered = deque(item for item in self.ordered if item.turn != turn)
        assert self.box.discard_turn(turn) == before - self.data_waiting()

    @invariant()
    def counts_agree(self) -> None:
        assert self.box.data_queued == self.data_waiting() <= self.box.capacity
        assert self.box.high_water == self.most
        assert self.box.empty() == (not self.control and not self.ordered)


TestMailbox = MailboxMachine.TestCase


def test_a_message_without_a_lane_is_control() -> None:
    assert lane_of(object()) is Lane.CONTROL
    assert lane_of(Data(turn=TurnId(1), seq=0)) is Lane.DATA


def test_a_refused_message_leaves_the_mailbox_as_it_was() -> None:
    box = BoundedMailbox(1)
    first = Data(turn=TurnId(1), seq=0)
    box.put(Wrapped(first))
    with pytest.raises(CreditViolationError, match="1 places"):
        box.put(Wrapped(Data(turn=TurnId(1), seq=1)))
    assert box.get().message is first
    assert box.empty()


def test_taking_waits_for_the_first_message() -> None:
    box = BoundedMailbox(1)
    taken: list[Parcel] = []
    taker = threading.Thread(target=lambda: taken.append(box.get().message))
    taker.start()
    box.put(Wrapped(Control(number=7)))
    taker.join()
    assert taken == [Control(number=7)]


@pytest.mark.parametrize("capacity", [1, 2, 64])
def test_many_threads_put_while_one_takes(capacity: int) -> None:
    """Order is kept for each sender and nothing is lost, with as many credits as places."""
    senders, each = 4, 500
    box = BoundedMailbox(capacity)
    credit = threading.Semaphore(capacity)

    def send(turn: TurnId) -> None:
        for seq in range(each):
            credit.acquire()
            box.put(Wrapped(Data(turn=turn, seq=seq)))
            box.put(Wrapped(Control(number=seq)))

    threads = [threading.Thread(target=send, args=(TurnId(n),)) for n in range(senders)]
    for thread in threads:
        thread.start()
    data: dict[TurnId, list[int]] = {TurnId(n): [] for n in range(senders)}
    controls = 0
    while controls < senders * each or sum(map(len, data.values())) < senders * each:
        message = box.get().message
        if isinstance(message, Data):
            data[message.turn].append(message.seq)
            credit.release()
        else:
            controls += 1
    for thread in threads:
        thread.join()
    assert all(numbers == list(range(each)) for numbers in data.values())
    assert box.high_water <= capacity
    assert box.empty()


def test_discarding_while_another_thread_puts_keeps_the_count() -> None:
    """Each message is either taken, in order, or counted as discarded."""
    box = BoundedMailbox(4)
    credit = threading.Semaphore(4)
    rounds = 3_000

    def send() -> None:
        for seq in range(rounds):
            credit.acquire()
            box.put(Wrapped(Data(turn=TurnId(seq // 5), seq=seq)))

    sender = threading.Thread(target=send)
    sender.start()
    taken: list[int] = []
    discarded = 0
    while len(taken) + discarded < rounds:
        message = box.get().message
        taken.append(message.seq)
        lost = box.discard_turn(message.turn) if message.seq % 3 == 0 else 0
        discarded += lost
        credit.release(1 + lost)
    sender.join()
    assert taken == sorted(set(taken))
    assert box.empty()
    assert box.data_queued == 0


@given(capacity=st.integers(1, 5), steps=st.lists(st.booleans(), max_size=60))
def test_the_latest_queue_gives_the_newest_and_forgets_the_rest(
    capacity: int, steps: list[bool]
) -> None:
    latest = LatestQueue[int](capacity)
    newest: int | None = None
    for number, put in enumerate(steps):
        if put:
            latest.put(number)
            newest = number
        else:
            assert latest.take_latest() == newest
            newest = None
    assert latest.take_latest() == newest
    assert latest.take_latest() is None


def test_a_flooded_latest_queue_never_goes_back_in_time() -> None:
    latest = LatestQueue[int](3)
    last = 20_000
    seen: list[int] = []

    def flood() -> None:
        for number in range(last + 1):
            latest.put(number)

    putter = threading.Thread(target=flood)
    putter.start()

    def take() -> bool:
        item = latest.take_latest()
        if item is not None:
            seen.append(item)
        return bool(seen) and seen[-1] == last

    wait_until(take, "the newest item", between=lambda: None)
    putter.join()
    assert seen == sorted(set(seen))
