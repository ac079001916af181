"""The whole chain over a scripted engine, headless: streaming, idleness, several turns."""

import itertools
import random
from pathlib import Path

import psutil
import pytest

from actors.chain import Windows
from actors.turn import EndReason
from tests.headless import Desk
from tests.tkinfer.session_desk import at_rest, desk_for, engine_of
from tests.waiting import wait_until
from tkinfer.chats.conversation import MessageState
from tkinfer.engines.scripted import Script, ScriptedEngine


@pytest.mark.parametrize(
    ("pieces", "text", "seen"),
    [
        ([b"\xf0\x9f\xa6", b"\x80", b"!"], "🦀!", {"🦀", "🦀!"}),
        ([b"\xe9", b"\xaf", b"\xa8", b"\xe3\x81\xa8"], "鯨と", {"鯨", "鯨と"}),
        ([b"\xf0\x9f\x91\xa9", b"\xe2\x80\x8d", b"\xf0\x9f\x92\xbb"], "👩‍💻", None),
    ],
)
def test_a_character_in_several_pieces(
    tmp_path: Path, pieces: list[str | bytes], text: str, seen: set[str] | None
) -> None:
    """Case S-1."""
    with desk_for(tmp_path, *pieces) as desk:
        desk.open_model()
        assert desk.ask().text == text
        assert not any("\ufffd" in shown for shown in desk.view.snapshots)
        assert seen is None or set(desk.view.snapshots) <= seen
        assert desk.session.conversation.messages[-1].text == text


def test_an_answer_that_ends_inside_a_character(tmp_path: Path) -> None:
    """Case S-2."""
    with desk_for(tmp_path, "ok ", b"\xe9\xaf", reason=EndReason.LENGTH) as desk:
        desk.open_model()
        bubble = desk.ask()
        assert bubble.text == "ok \ufffd"
        assert "limit" in bubble.note
        assert desk.session.conversation.messages[-1].state is MessageState.LENGTH
        desk.ask("and then?")
        history = desk.engine.requests[-1].messages
        assert [message.content for message in history] == ["Hello?", "ok \ufffd", "and then?"]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([" Once", " upon", " a", " time"], " Once upon a time"),
        ([" ", " padded", " row"], "  padded row"),
        (["```py\n", "if x:\n", "    ", "return", " 1\n", "```"], "if x:\n    return 1\n"),
    ],
)
def test_spaces_at_the_start_of_pieces(tmp_path: Path, pieces: list[str], text: str) -> None:
    """Case S-4."""
    with desk_for(tmp_path, *pieces) as desk:
        desk.open_model()
        assert desk.ask().text == text
        assert desk.session.conversation.messages[-1].text == "".join(pieces)


def test_a_fast_engine_waits_for_a_slow_window(tmp_path: Path) -> None:
    """Case B-1: the window decides the pace, memory is bounded, and nothing is lost."""
    count = 200_000
    pieces = [f"{n:07d}" + ("\n" if n % 10 == 9 else " ") for n in range(count)]
    memory = psutil.Process()
    with desk_for(tmp_path, *pieces) as desk:
        engine = engine_of(desk)
        desk.open_model()
        desk.session.send("go")
        wait_until(lambda: engine.counts.pieces >= 128, "the engine runs out of credit")
        before = memory.memory_info().rss
        for _ in range(30):  # the slow phase: a frame only when the engine has come to rest
            desk.tick()
            at_rest(engine)
        assert memory.memory_info().rss - before < 20 * 1024 * 1024
        assert engine.counts.pieces < 30 * 4 * 128 + 512  # it really waited
        desk.wait_idle()
        assert desk.view.bubbles[-1].text == "".join(pieces)
        assert engine.counts.most_unacknowledged <= 128
        for hop in desk.chain.hops():
            assert hop.high_water <= hop.window, hop


def test_without_a_tick_the_engine_really_stops(tmp_path: Path) -> None:
    with Desk(
        ScriptedEngine(Script(pieces=itertools.repeat("x"))),
        tmp_path,
        windows=Windows(engine=2, relay=1, renderer=1),
        screen_window=1,
    ) as desk:
        desk.open_model()
        desk.session.send("go")
        engine = desk.engine
        wait_until(lambda: engine.counts.most_unacknowledged == 2, "out of credit")
        wait_until(lambda: engine.counts.inside == 1)
        assert at_rest(engine) <= 2 + 1 + 1 + 1 + 1  # all windows full, and one piece being merged
        desk.session.stop()
        desk.wait_idle()


def test_nothing_polls_when_idle(tmp_path: Path) -> None:
    with desk_for(tmp_path, "a") as desk:
        assert desk.scheduler.pending == 0
        desk.open_model()
        desk.ask()
        desk.wait(lambda: desk.scheduler.pending == 0, "the pump sleeps")


def test_several_turns_of_conversation(tmp_path: Path) -> None:
    with desk_for(tmp_path, "an answer") as desk:
        desk.open_model()
        desk.ask("one")
        desk.ask("two")
        history = [(m.role, m.content) for m in desk.engine.requests[-1].messages]
        assert history == [("user", "one"), ("assistant", "an answer"), ("user", "two")]
        assert desk.view.title == "one"
        desk.session.new_chat()
        assert desk.view.bubbles == []
        desk.ask("three")
        assert len(desk.engine.requests[-1].messages) == 1


def test_a_new_chat_can_be_undone_and_the_undo_too(tmp_path: Path) -> None:
    """Chats are only in memory yet, so a wrong Ctrl+N must not cost one."""
    text = "see\n```py\nx = 1\n```\n"
    with desk_for(tmp_path, text, reason=EndReason.LENGTH) as desk:
        desk.open_model()
        desk.ask("one")
        before = [(b.author, b.text, b.note, b.tone, b.blocks) for b in desk.view.bubbles]
        desk.session.new_chat()
        action = desk.view.notices[-1].action
        assert action is not None
        assert (action.label, action.brief) == ("Undo", True)
        desk.ask("two")
        action.run()
        after = [(b.author, b.text, b.note, b.tone, b.blocks) for b in desk.view.bubbles]
        assert after == before
        assert desk.view.title == "one"
        back = desk.view.notices[-1].action
        assert back is not None
        back.run()
        assert desk.view.bubbles[0].text == "two"
        desk.session.new_chat()
        count = len(desk.view.notices)
        desk.session.new_chat()  # an empty chat is no loss
        assert len(desk.view.notices) == count


def test_random_stops_with_the_smallest_windows(tmp_path: Path) -> None:
    """No deadlock, no loss, no mixing, with windows of one everywhere."""
    rng = random.Random(7)
    counter = itertools.count()
    script = lambda _request: Script(  # noqa: E731
        pieces=[f"{next(counter)} " for _ in range(50)], prefill_batches=2
    )
    windows = Windows(engine=1, relay=1, renderer=1)
    with Desk(ScriptedEngine(script), tmp_path, windows=windows, screen_window=1) as desk:
        desk.open_model()
        for _ in range(60):
            assert desk.session.send("go")
            if rng.random() < 0.7:
                for _ in range(rng.randrange(6)):
                    desk.tick()
                desk.session.stop()
                if rng.random() < 0.5:
                    desk.wait_idle()
            else:
                desk.wait_idle()
                numbers = [int(word) for word in desk.view.bubbles[-1].text.split()]
                assert len(numbers) == 50
                assert numbers == list(range(numbers[0], numbers[0] + 50))
        desk.wait_idle()
