"""RendererActor goes on with a text that is drawn already."""

from actors.drawing import DrawOp, Tail
from actors.messages import Finished, GoesOn, RenderOps, TextBatch
from actors.output import OutputQueue
from actors.renderer import RendererActor
from actors.stage import Neighbours
from actors.turn import EndReason, Figures, TurnId
from tests.tkinfer.markdown.test_renderer import flat
from tkinfer.markdown.renderer import MarkdownRenderer

TURN = TurnId(1)
TEXT = "# Title\n\n- one\n- two **bold** and\n  more\n\n```python\nx = 1\n```\n\nEnd `of` it.\n"


def failed(name: str, error: BaseException) -> None:
    raise AssertionError(name) from error


def goes_on(known: str, *pieces: str) -> list[DrawOp]:
    output = OutputQueue(16)
    actor = RendererActor(
        neighbours=Neighbours(),
        window=16,
        output=output,
        make_text_renderer=MarkdownRenderer,
        report_failure=failed,
    )
    actor.on_receive(GoesOn(turn=TURN, text=known))
    for number, piece in enumerate(pieces):
        actor.on_receive(TextBatch(turn=TURN, first_seq=number, pieces=1, text=piece))
    actor.on_receive(Finished(turn=TURN, reason=EndReason.END_OF_TEXT, figures=Figures()))
    ops: list[DrawOp] = []
    while isinstance(item := output.take(), RenderOps):
        ops += item.ops
    actor.actor_stopped.set()
    return ops


def test_what_follows_is_drawn_as_if_it_had_all_come_at_once() -> None:
    whole = MarkdownRenderer()
    wanted = flat([*whole.feed(TEXT), *whole.finish()])
    for at in range(len(TEXT)):
        known, new = TEXT[:at], TEXT[at:]
        before = MarkdownRenderer().feed(known, tail=False)
        assert flat([*before, *goes_on(known, new[:5], new[5:])]) == wanted


def test_sources_are_what_is_new() -> None:
    for at in range(len(TEXT)):
        ops = goes_on(TEXT[:at], TEXT[at : at + 9], TEXT[at + 9 :])
        assert "".join(op.source for op in ops if not isinstance(op, Tail)) == TEXT[at:]
        for tail in (op for op in ops if isinstance(op, Tail)):
            assert tail.source in TEXT[at:]


def test_the_next_turn_begins_anew() -> None:
    output = OutputQueue(4)
    actor = RendererActor(
        neighbours=Neighbours(),
        window=4,
        output=output,
        make_text_renderer=MarkdownRenderer,
        report_failure=failed,
    )
    actor.on_receive(GoesOn(turn=TURN, text="```\ncode"))
    other = TurnId(2)
    actor.on_receive(TextBatch(turn=other, first_seq=0, pieces=1, text="*no* code\n"))
    item = output.take()
    assert isinstance(item, RenderOps)
    assert item.turn == other
    runs = item.ops[-1]
    assert isinstance(runs, Tail)
    assert [run.tags for run in runs.runs] == [("em",), ()]
    actor.actor_stopped.set()
