"""Formulae as text: what is written of LaTeX's words, and that nothing goes missing."""

import pytest

from tkinfer.markdown.maths import to_unicode

SHOWN = [
    (r"\sin x + \cos\theta", "sin x + cos θ"),
    (r"\sin^2 x", "sin² x"),
    (r"e^{\sin x}", "e^(sin x)"),
    (r"x^{n + 1}", "xⁿ⁺¹"),
    (r"a \Rightarrow b \in_k \{c\}", "a ⇒ b ∈ₖ {c}"),
    (r"\epsilon > 0, \Delta x \ll 1", "ϵ > 0, Δx ≪ 1"),
    (r"\left.\frac{df}{dx}\right|_{x=0}", "df/dx|ₓ₌₀"),
    (r"\bigl(x\bigr) \leftarrow y", "(x) ← y"),
    (r"\frac{1}{2} \cdot \dfrac{n+1}{\sqrt{2}}", "1/2 · (n+1)/(√2)"),
    (r"A \implies B \iff C", "A ⟹ B ⟺ C"),
    (r"a \equiv b \pmod{n}", "a ≡ b (mod n)"),
    (r"\xrightarrow{f} \boxed{42} \color{red}{x}", "→ 42 x"),
    (r"\operatorname{rank}(A)^\top", "rank(A)ᵀ"),
    (r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}", "∫₀^∞ e^(-x²) dx = (√π)/2"),
]


@pytest.mark.parametrize(("source", "shown"), SHOWN)
def test_what_is_shown(source: str, shown: str) -> None:
    assert to_unicode(source) == shown


@pytest.mark.parametrize("source", [r"\foo{a}{b}", r"\frac{1}{2", r"x \unheardof y", "{" * 99])
def test_what_can_not_be_read_is_shown_as_written(source: str) -> None:
    assert to_unicode(source) == source
