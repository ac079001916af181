import io
import os
import pickle
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors import engine
from actors.loading import Device, MemoryPlan
from actors.turn import EndReason, Figures, Phase, TurnId
from tkinfer import errors
from tkinfer.engines import wire

INFO = engine.ModelInfo(path="/x/\udc80.gguf", name="X", context_size=5)
MESSAGES: list[Any] = [
    wire.Load(turn=TurnId(1), spec=engine.LoadSpec(path="/tmp/Модели/é")),  # noqa: S108
    wire.Count(query=1, text="é"),
    wire.Plan(query=2, spec=engine.LoadSpec(path="m.gguf")),
    wire.Start(
        request=engine.GenerateRequest(
            turn=TurnId(2),
            messages=(engine.ChatMessage(role="user", content="hi \ud800 🦀"),),
            sampling=engine.Sampling(seed=3),
            credit=8,
        )
    ),
    wire.Grant(turn=TurnId(2), pieces=3),
    wire.Abort(turn=TurnId(2)),
    wire.Ready(),
    engine.LoadProgress(turn=TurnId(1), fraction=0.5),
    engine.Loaded(turn=TurnId(1), info=INFO),
    engine.Unloaded(),
    engine.PromptReady(turn=TurnId(1), tokens=3, left_out=2, format="chatml", fell_back=True),
    engine.Counted(query=1, tokens=None),
    engine.Planned(query=2, plan=MemoryPlan(context_size=8, devices=(Device(name="GPU0"),))),
    engine.PrefillProgress(turn=TurnId(2), done=1, total=2),
    engine.Piece(turn=TurnId(2), seq=0, text="a\0b", tokens=2),
    engine.EngineFinished(
        turn=TurnId(2), reason=EndReason.LENGTH, figures=Figures(answer_tokens=4)
    ),
    engine.Aborted(turn=TurnId(2), phase=Phase.PREFILL, tokens_evaluated=7),
]
ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type)]


def read(frames: bytes) -> Any:
    return wire.read(io.BytesIO(frames))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_messages_arrive_as_they_were(message: object) -> None:
    assert read(wire.encode(message)) == message


@pytest.mark.parametrize("kind", ERRORS)
def test_errors_arrive_with_all_they_say(kind: type[errors.TkinferError]) -> None:
    sent = engine.LoadFailed(turn=TurnId(1), error=kind("what", "next", "detail"))
    error = read(wire.encode(sent)).error
    assert type(error) is kind
    assert (error.what, error.next_step, error.detail) == ("what", "next", "detail")


def test_every_event_of_the_protocol_has_been_tried() -> None:
    tried = {type(message) for message in MESSAGES} | {engine.LoadFailed, engine.EngineFailed}
    assert set(engine.EngineEvent.__args__) - {engine.EngineKilled} <= tried


class _Foreign:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.getcwd, ()


@pytest.mark.parametrize(
    "foreign",
    [_Foreign(), io.BytesIO(b"x"), range(3), ValueError("x"), engine.Lane.DATA, getattr],
    ids=lambda foreign: type(foreign).__name__,
)
def test_foreign_classes_are_refused(foreign: object) -> None:
    body = pickle.dumps(foreign)
    with pytest.raises(wire.WireError):
        read(struct.pack(">I", len(body)) + body)


@given(st.binary(max_size=200))
def test_garbage_is_an_error_of_ours_or_harmless(body: bytes) -> None:
    with suppress(wire.WireError):
        wire.decode(body)


def test_a_stream_that_ends_anywhere_ends_quietly() -> None:
    frame = wire.encode(MESSAGES[0])
    for cut in range(len(frame)):
        assert read(frame[:cut]) is None


def test_an_absurd_length_is_not_waited_for() -> None:
    with pytest.raises(wire.WireError):
        read(b"\xff\xff\xff\xff")
