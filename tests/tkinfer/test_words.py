"""The words of the status bar and the receipts."""

import pytest

from actors.messages import Stopped
from actors.telemetry import Telemetry
from actors.turn import Figures, Phase, StopReason, TurnId
from tkinfer import words


def receipt(phase: Phase, *, killed: bool = False, overdue: bool = False) -> str:
    stopped = Stopped(
        turn=TurnId(1),
        phase=phase,
        reason=StopReason.USER,
        latency_ms=12.4,
        killed=killed,
        overdue=overdue,
    )
    return words.receipt(stopped)


def test_a_receipt_says_when_where_and_what_became_of_the_engine() -> None:
    assert receipt(Phase.PREFILL) == "last stop: 12 ms while reading the prompt, engine idle"
    assert receipt(Phase.LOADING, killed=True) == "last stop: 12 ms while loading, engine ended"
    assert "did not answer" in receipt(Phase.DECODE, killed=True, overdue=True)


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_words(phase: Phase) -> None:
    assert words.phase_words(phase, Telemetry(phase=phase))
    assert receipt(phase)


def test_progress_is_a_share() -> None:
    sample = Telemetry(phase=Phase.PREFILL, prefill_done=31, prefill_total=100)
    assert words.phase_words(Phase.PREFILL, sample) == "Reading the prompt · 31%"


def test_figures_that_are_not_known_are_left_out() -> None:
    assert words.run_figures(Telemetry(), 8192) == ()
    sample = Telemetry(prefill_done=1200, answer_tokens=4, tokens_per_s=68.44, first_token_s=0.214)
    assert words.run_figures(sample, 8192) == (
        "68.4 tokens/s",
        "first token 0.21 s",
        "context 1,204 of 8,192",
    )


def test_the_engine_has_the_last_word() -> None:
    figures = Figures(
        answer_tokens=10,
        decode_s=1.5,
        paused_s=0.5,
        first_token_s=0.3,
        context_used=41,
        context_size=8192,
    )
    assert words.final_figures(figures) == (
        "10.0 tokens/s",
        "first token 0.30 s",
        "context 41 of 8,192",
    )
    assert words.message_figures(figures) == "10 tokens · 10.0/s · first token 0.30 s"
    assert words.message_figures(Figures(answer_tokens=1)) == "1 token"
