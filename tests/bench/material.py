"""What benches stream: text made by rule, the same in each run, cut into pieces as by a model."""

import random
import time
from collections.abc import Iterable, Iterator
from itertools import count, islice

from tkinfer.ui.view import Entry

TEXT = """
the window a queue credit stops draws piece under load and each frame while one thread waits for its
turn to paint short lines of text with care or sends more than before so that memory stays small
even when an engine runs far ahead of what anybody could read on a slow machine
"""
WORDS = TEXT.split()
CHAT = 2_000
"""Messages in a long chat."""


def markdown(seed: int = 1) -> Iterator[str]:
    """Endless technical prose: headings, lists, formulae, links, tables, quotes, code."""
    chance = random.Random(seed)
    for number in count(1):
        yield f"## Part {number}\n\n"
        for _ in range(2):
            yield paragraph(chance) + "\n\n"
        for item in range(1, 4):
            yield f"{item}. **{sentence(chance, 3)}** {sentence(chance, 8)}\n"
        yield f"\nWith $x_{{{number}}}^2 \\le \\frac{{a}}{{b}}$ and [a link](https://example.org/{number}):\n"
        yield from table(chance, 6)
        yield f"\n> {sentence(chance, 12)}\n"
        yield "\n```python\n"
        yield from code(chance, 12)
        yield "```\n\n"


def table(chance: random.Random, rows: int) -> Iterator[str]:
    yield "\n| Layer | Latency | Note |\n|:--|--:|:-:|\n"
    for _ in range(rows):
        name, value = chance.choice(WORDS), chance.randint(1, 99_999)
        yield f"| {name} | {value:,} ms | **{chance.choice(WORDS)}** {sentence(chance, 3)} |\n"


def paragraph(chance: random.Random) -> str:
    text = " ".join(sentence(chance, chance.randint(6, 16)) for _ in range(chance.randint(2, 5)))
    return text + f" See `draw_{chance.randint(1, 99)}()`, *if in doubt*."


def sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def code(chance: random.Random, lines: int) -> Iterator[str]:
    for line in range(lines):
        indent = "    " * (line % 4)
        name, value = chance.choice(WORDS), chance.randint(0, 9_999)
        yield f"{indent}{name}_{line} = step({value}, key='{name}')  # {sentence(chance, 3)}\n"


def pieces(text: Iterable[str], seed: int = 2) -> Iterator[str]:
    """Cut into pieces of 1 to 8 characters, some four on average, as tokens are."""
    chance = random.Random(seed)
    for part in text:
        at = 0
        while at < len(part):
            size = chance.choice((1, 2, 3, 4, 4, 5, 6, 8))
            yield part[at : at + size]
            at += size


def paced(items: Iterable[str], per_s: float) -> Iterator[str]:
    """The same, so many a second; what a pause has delayed is not caught up in a burst."""
    due = time.perf_counter()
    for item in items:
        now = time.perf_counter()
        due = max(due, now - 0.1)
        if due > now:
            time.sleep(due - now)
        due += 1 / per_s
        yield item


def paragraphs(seed: int = 4) -> Iterator[str]:
    """Endless prose, as a model thinks."""
    chance = random.Random(seed)
    while True:
        yield paragraph(chance) + "\n\n"


def streamed_markdown(amount: int, per_s: float) -> Iterator[str]:
    return paced(islice(pieces(markdown()), amount), per_s)


def numbered(amount: int) -> Iterator[str]:
    """Pieces of 8 characters, each different; every tenth ends its line (case B-1)."""
    for number in range(amount):
        yield f"{number:07d}" + ("\n" if number % 10 == 9 else " ")


def beginning(text: Iterable[str], chars: int) -> str:
    """So many characters of an endless text."""
    parts: list[str] = []
    for part in text:
        parts.append(part)
        chars -= len(part)
        if chars <= 0:
            break
    return "".join(parts)


def batches(text: str, chars: int = 32) -> Iterator[str]:
    """Cut as the relay does when the screen keeps up: some eight pieces for a frame."""
    for start in range(0, len(text), chars):
        yield text[start : start + chars]


def chat_entries(amount: int, seed: int = 3) -> list[Entry]:
    """Messages of a chat, half of them answers of real Markdown: prose, lists, code, a table."""
    chance = random.Random(seed)
    parts = [beginning(islice(markdown(seed + number), 9), 10**6) for number in range(24)]
    entries: list[Entry] = []
    for number in range(amount // 2):
        question = sentence(chance, chance.randint(5, 30))
        entries.append(Entry(author="You", text=question, is_user=True))
        text = parts[number % len(parts)] if number % 2 else paragraph(chance)
        entries.append(Entry(author="Model", text=text + TABLE, figures="120 tokens · 60/s"))
    return entries


TABLE = """

| Layer | Latency | Note |
|:--|--:|:-:|
| engine | 12 ms | **fast** |
| relay | 0.4 ms | ok |
"""
