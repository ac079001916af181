"""How the engine process and the program talk: frames of pickled messages over two pipes.

A frame is a four-byte length and a pickle. Reading it resolves nothing but the classes listed
here, in both directions: a model file is foreign data, and should one ever take over the child,
it still can't make the parent run code by what it sends.
"""

import copyreg
import io
import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import IO, Any, Final

from actors import engine, loading, sampling, turn
from actors.engine import EngineEvent, GenerateRequest
from actors.loading import LoadSpec
from actors.turn import TurnId
from tkinfer import errors

MAX_FRAME_BYTES: Final = 256 * 1024 * 1024
"""More than any chat; a greater length means that the stream is garbled."""

_LENGTH: Final = struct.Struct(">I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """ProcessEngine -> worker: load this model in place of the one there."""

    turn: TurnId
    spec: LoadSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """ProcessEngine -> worker: make an answer."""

    request: GenerateRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """ProcessEngine -> worker: so many pieces more of this turn may be sent."""

    turn: TurnId
    pieces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Abort:
    """ProcessEngine -> worker: stop this turn, and say so."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """ProcessEngine -> worker: count the tokens of a text."""

    query: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """ProcessEngine -> worker: compute what loading this would take."""

    query: int
    spec: LoadSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Worker -> ProcessEngine, once: llama.cpp is imported, or its absence is known."""


Command = Load | Start | Grant | Abort | Count | Plan
Report = EngineEvent | Ready


class WireError(Exception):
    """What came out of the pipe is no message of ours."""


def _allowed_classes() -> dict[tuple[str, str], type]:
    named = (Load, Start, Grant, Abort, Count, Plan, Ready)
    listed = (
        *(vars(engine)[name] for name in _ENGINE_CLASSES),
        *(vars(turn)[name] for name in ("Phase", "EndReason", "Figures", "Channel")),
        *(vars(loading)[name] for name in _LOADING_CLASSES),
        sampling.TokenBias,
        *(cls for cls in vars(errors).values() if isinstance(cls, type)),
    )
    return {(cls.__module__, cls.__qualname__): cls for cls in (*named, *listed)}


_ENGINE_CLASSES: Final = (
    "ChatMessage",
    "Sampling",
    "LoadSpec",
    "GenerateRequest",
    "ModelInfo",
    "LoadProgress",
    "Loaded",
    "LoadFailed",
    "Unloaded",
    "PrefillProgress",
    "Piece",
    "EngineFinished",
    "Aborted",
    "EngineFailed",
    "PromptFormat",
    "Template",
    "PromptReady",
    "Counted",
    "Planned",
    "AnswerTokens",
)
_LOADING_CLASSES: Final = ("CacheType", "Switch", "Lora", "Device", "MemoryPlan")
_ALLOWED: Final = _allowed_classes()


def _reduce_enum(member: Enum) -> tuple[type[Enum], tuple[Any]]:
    return type(member), (member.value,)


_DISPATCH: Final[dict[type, Callable[[Any], Any]]] = dict(copyreg.dispatch_table)
# Early releases of Python 3.11 pickle an enum member through `getattr`, which must stay forbidden.
_DISPATCH.update({cls: _reduce_enum for cls in _ALLOWED.values() if issubclass(cls, Enum)})


class _OwnClassesOnly(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> type:
        try:
            return _ALLOWED[module_name, global_name]
        except KeyError:
            msg = f"{module_name}.{global_name} is no message class"
            raise WireError(msg) from None


def encode(message: object) -> bytes:
    """One frame: 64 bytes and 8 µs for a Piece."""
    body = io.BytesIO()
    body.write(b"\0\0\0\0")
    pickler = pickle.Pickler(body, protocol=5)
    pickler.dispatch_table = _DISPATCH
    pickler.dump(message)
    frame = body.getbuffer()
    _LENGTH.pack_into(frame, 0, len(frame) - _LENGTH.size)
    return bytes(frame)


def decode(body: bytes) -> Any:
    """The message of a frame's body.

    Raises:
        WireError: it holds anything but our own messages.
    """
    try:
        return _OwnClassesOnly(io.BytesIO(body)).load()
    except WireError:
        raise
    except Exception as error:  # a garbled pickle may raise nearly anything
        msg = f"unreadable message: {error}"
        raise WireError(msg) from error


def read(stream: IO[bytes]) -> Any | None:
    """Wait for the next message; None at the end of the stream, also in the middle of a frame.

    Raises:
        WireError: the stream is garbled.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME_BYTES:
        msg = f"a message of {length} bytes"
        raise WireError(msg)
    body = stream.read(length)
    return decode(body) if len(body) == length else None
