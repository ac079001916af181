"""Cases S-1 to S-4, S-6 and M-2 over the real child: a grammar makes the tiny model say the text.

Its vocabulary has single bytes and pairs of letters, so that every text comes in many pieces.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.engine import ChatMessage, EngineFinished, Piece, PromptReady
from actors.sampling import Sampling
from actors.turn import Channel, EndReason
from tests.tiny_gguf import END_THINK, THINK, write_tiny_gguf
from tests.tkinfer.engines.rig import GREEDY, Rig, user

BAD = "\ufffd"
FOUR = Sampling(temperature=0, max_tokens=4)
ECHO = "{% for m in messages %}{{ m.content }}{% endfor %}"
"""A template that writes the texts and nothing else, so that tokens can be counted."""


def saying(text: str, **changes: object) -> Sampling:
    """Settings with which any model says exactly this text, and ends."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return replace(GREEDY, grammar=f'root ::= "{escaped}"', **changes)


class Said:
    """One answer, piece by piece."""

    def __init__(self, rig: Rig, sampling: Sampling, *history: ChatMessage) -> None:
        turn = rig.start((*history, *user("Hi")), sampling)
        self.end: EngineFinished = rig.finished(turn)
        self.pieces = rig.of(Piece, turn)

    def text(self, channel: Channel = Channel.ANSWER) -> str:
        return "".join(piece.text for piece in self.pieces if piece.channel is channel)

    @property
    def steps(self) -> list[str]:
        """The answer as it stood behind each piece."""
        texts = [piece.text for piece in self.pieces if piece.channel is Channel.ANSWER]
        return ["".join(texts[: count + 1]) for count in range(len(texts))]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("🦀!", ["🦀", "🦀!"]),
        ("鯨と", ["鯨", "鯨と"]),
        ("👩\u200d💻", ["👩", "👩\u200d", "👩\u200d💻"]),
    ],
)
def test_s1_a_character_in_several_pieces(
    rig: Rig, tiny: Path, text: str, steps: list[str]
) -> None:
    rig.load(tiny)
    said = Said(rig, saying(text))
    assert said.steps == steps
    assert said.end.figures.answer_tokens == len(text.encode())  # each byte was a token
    assert said.end.reason is EndReason.END_OF_TEXT


def test_s2_the_answer_ends_inside_a_character(rig: Rig, tmp_path: Path) -> None:
    rig.load(write_tiny_gguf(tmp_path / "echo.gguf", template=ECHO))
    cut = Said(rig, saying("42 鯨", max_tokens=5))
    assert cut.text() == "42 " + BAD
    assert cut.end.reason is EndReason.LENGTH
    assert cut.end.tokens.ends == (1, 2, 3, 4, 4)
    answer = ChatMessage(role="assistant", content=cut.text(), tokens=cut.end.tokens.ids)
    # The second question, and going on: three bytes stand for the half character.
    second = Said(rig, FOUR, *user("Hi"), answer)
    assert second.end.figures.prompt_tokens == len("Hi" + "42 " + BAD + "Hi") + 2
    turn = rig.start((*user("Hi"), answer), FOUR, resume=True)
    going_on = rig.finished(turn)
    assert going_on.figures.prompt_tokens == len("Hi" + "42 " + BAD) + 2
    assert going_on.figures.answer_tokens == 4


S3 = {
    "over pieces": (["\nHuman:"], "Hello\nHuman: hi", "Hello"),
    "a false start": (["\nHuman:"], "Tools:\nHuge saw", None),
    "two, neither met": (["\n", "Mia:"], "Mia! Bye", None),
    "a tail at the end": (["###"], "C##", None),
    "the earliest wins": (["DONE", "HALT"], "a HALT b DONE c", "a "),
    "overlapping start": (["aab"], "aaabx", "a"),
}
"""The stop strings, what the model says, and what of it is shown: None for all."""


@pytest.mark.parametrize("name", S3)
def test_s3_stop_strings_across_pieces(rig: Rig, tiny: Path, name: str) -> None:
    stops, text, shown = S3[name]
    rig.load(tiny)
    for order in (stops, stops[::-1]):
        said = Said(rig, saying(text, stop=tuple(order)))
        right = text if shown is None else shown
        assert said.text() == right
        assert all(right.startswith(step) for step in said.steps)
        stopped = said.end.reason is EndReason.STOP_STRING
        assert stopped == (shown is not None)
        assert len(said.end.tokens.ids) == len(said.end.tokens.ends)
        # Of a stopped answer, tokens that hold a part of the stop string are not kept.
        assert stopped or said.end.tokens.ends[-1] == len(right)
        assert max(said.end.tokens.ends, default=0) <= len(right)


@pytest.mark.parametrize("spm", [False, True])
def test_s4_spaces_at_the_start_of_pieces(rig: Rig, tmp_path: Path, *, spm: bool) -> None:
    rig.load(write_tiny_gguf(tmp_path / "model.gguf", spm=spm))
    for text in (" Once upon a time", "  padded row", "```\nif x:\n    return 1\n```\n"):
        first, again = Said(rig, saying(text)), Said(rig, saying(text), *user("Hi"))
        assert first.text() == again.text() == text


def s6(rig: Rig, text: str) -> tuple[str, str, list[str]]:
    """Reasoning, answer, and all that was ever on screen of the answer."""
    said = Said(rig, saying(text))
    return said.text(Channel.REASONING), said.text(), said.steps


def test_s6_think_tags_across_pieces(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    reasoning, answer, steps = s6(rig, "<think>plan</think>\n\n42")
    assert (reasoning, answer) == ("plan", "42")
    assert not any("<" in step for step in steps)
    assert s6(rig, "a <three>")[:2] == ("", "a <three>")
    assert s6(rig, "say <think>b</think>")[:2] == ("", "say <think>b</think>")


def test_s6_think_tags_that_are_control_tokens(rig: Rig, tmp_path: Path) -> None:
    rig.load(write_tiny_gguf(tmp_path / "thinks.gguf", thinking=True))
    grammar = f'root ::= {THINK} "plan" {END_THINK} "\\n\\n42"'
    said = Said(rig, replace(GREEDY, grammar=grammar))
    assert (said.text(Channel.REASONING), said.text()) == ("plan", "42")
    assert said.end.figures.reasoning_tokens >= 1


def test_s6_reasoning_that_never_ends(rig: Rig, tiny: Path) -> None:
    rig.load(tiny)
    assert s6(rig, "<think>plan </thi")[:2] == ("plan </thi", "")


ALTERNATING = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}[{{ m.content }}]{% endfor %}"
)
NO_SYSTEM = (
    "{% for m in messages %}{% if m.role == 'system' %}"
    "{{ raise_exception('no system role') }}{% endif %}[{{ m.content }}]{% endfor %}"
)
PART = ChatMessage(role="assistant", content="333")
RULES = ChatMessage(role="system", content="12345678")

M2: dict[str, tuple[str, tuple[ChatMessage, ...], str, str]] = {
    "a system text": (
        NO_SYSTEM,
        (RULES, *user("90")),
        "[12345678\n\n90]",
        "with the system text put in front of the user's",
    ),
    "two questions in a row": (
        ALTERNATING,
        user("11", "22"),
        "[11\n\n22]",
        "with neighbouring messages of one role merged",
    ),
    "a partial answer between": (
        ALTERNATING,
        (*user("11"), PART, *user("22")),
        "[11][333][22]",
        "",
    ),
}


@pytest.mark.parametrize("name", M2)
def test_m2_templates_that_refuse_the_conversation(rig: Rig, tmp_path: Path, name: str) -> None:
    template, messages, prompt, how = M2[name]
    rig.load(write_tiny_gguf(tmp_path / "strict.gguf", template=template))
    turn = rig.start(messages, FOUR)
    end = rig.finished(turn)
    assert rig.text(turn)
    assert end.figures.prompt_tokens == len(prompt)  # all texts reach the model, and nothing else
    told = rig.wait(PromptReady, lambda event: event.turn == turn)
    assert told.format == "the model's own template" + (f", {how}" if how else "")
