"""From the text of a bias to tokens."""

from actors.sampling import BAN, TokenBias
from tkinfer.engines.llama.bias import token_biases

WORDS = {"\n": 0, " ": 1, "ship": 2, " ship": 3, "Ship": 4, "sh": 6, "ore": 7, " sh": 8, "🙂": 9}


def tokenize(text: str) -> list[int]:
    """The longest word of the list, again and again; all others are the token 99."""
    tokens: list[int] = []
    while text:
        word = max((word for word in WORDS if text.startswith(word)), key=len, default="")
        tokens.append(WORDS.get(word, 99))
        text = text[len(word) or 1 :]
    return tokens


def sentencepiece(text: str) -> list[int]:
    """The same words, by a tokenizer that puts a space in front of every text."""
    return tokenize(f" {text}")


def test_a_bias_counts_for_the_whole_word_with_and_without_space() -> None:
    assert token_biases([TokenBias(text="ship", bias=2)], tokenize) == {2: 2, 3: 2}
    assert token_biases([TokenBias(text=" ship", bias=2)], tokenize) == {3: 2}


def test_a_ban_counts_for_the_word_with_a_capital_too() -> None:
    assert token_biases([TokenBias(text="ship", bias=BAN)], tokenize) == dict.fromkeys(
        (2, 3, 4), BAN
    )
    assert token_biases([TokenBias(text="Ship", bias=BAN)], tokenize) == {4: BAN}


def test_a_longer_text_stands_for_its_first_token_but_never_for_the_space() -> None:
    assert token_biases([TokenBias(text="shore", bias=BAN)], tokenize) == {6: BAN, 8: BAN}
    assert token_biases([TokenBias(text="🙂🙂", bias=1)], tokenize) == {9: 1}


def test_a_tokenizer_that_adds_a_space_knows_the_word_without_it() -> None:
    assert token_biases([TokenBias(text="ship", bias=2)], sentencepiece) == {2: 2, 3: 2}


def test_biases_of_the_same_token_add_up_and_a_ban_stays() -> None:
    one, two = TokenBias(text=" ship", bias=1), TokenBias(text=" ship", bias=2)
    ban = TokenBias(text=" ship", bias=BAN)
    assert token_biases([one, two], tokenize) == {3: 3}
    assert token_biases([one, ban], tokenize)[3] == BAN
