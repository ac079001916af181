"""From the texts of logit biases to token ids."""

from collections.abc import Callable, Iterable, Iterator

from actors.sampling import BAN, TokenBias

Tokenize = Callable[[str], list[int]]


def token_biases(biases: Iterable[TokenBias], tokenize: Tokenize) -> dict[int, float]:
    """The bias of each token, as `TokenBias` describes; biases of the same token add up."""
    sums: dict[int, float] = {}
    for bias in biases:
        for token in _tokens(bias, tokenize):
            sums[token] = sums.get(token, 0.0) + bias.bias
    return sums


def _tokens(bias: TokenBias, tokenize: Tokenize) -> set[int]:
    given = list(_spaced(bias.text))
    forms = given
    if bias.bias == BAN:
        capital = bias.text[:1].upper() + bias.text[1:]
        forms = [*given, *_spaced(capital)]
    readings = [reading for form in forms for reading in _readings(form, tokenize)]
    whole = {reading[0] for reading in readings if len(reading) == 1}
    if whole:
        return whole
    spaces = {reading[0] for reading in _readings(" ", tokenize)}
    firsts = (reading[0] for form in given for reading in _readings(form, tokenize))
    return {token for token in firsts if token not in spaces}


def _spaced(text: str) -> Iterator[str]:
    yield text
    if not text[:1].isspace():
        yield f" {text}"


def _readings(text: str, tokenize: Tokenize) -> Iterator[list[int]]:
    """The tokens of a text at the start of a text, and behind something.

    They differ with tokenizers that put a space in front of all they are given, as SentencePiece
    does: only behind something does a word without a space come out.
    """
    alone = tokenize(text)
    if alone:
        yield alone
    before = tokenize("\n")
    both = tokenize(f"\n{text}")
    if len(both) > len(before) and both[: len(before)] == before:
        yield both[len(before) :]
