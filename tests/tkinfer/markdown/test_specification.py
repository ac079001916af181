"""The law on the examples of the CommonMark specification.

The examples are CC-BY-SA 4.0, so they are not in this repository: `.ci/run` takes them from the
source archive of a parser that carries them, and says where they are.
"""

import json
import os
from pathlib import Path

import pytest

from tests.tkinfer.markdown.test_renderer import flat, rendered, source

EXAMPLES = os.environ.get("TKINFER_COMMONMARK_EXAMPLES", "")

pytestmark = pytest.mark.skipif(
    not EXAMPLES, reason="TKINFER_COMMONMARK_EXAMPLES names no file with the examples"
)


def texts() -> list[str]:
    return [example["markdown"] for example in json.loads(Path(EXAMPLES).read_text("utf-8"))]


def test_there_are_as_many_as_the_specification_has() -> None:
    assert len(texts()) > 600


def test_each_example_looks_the_same_however_it_is_cut() -> None:
    for text in texts():
        whole = rendered([text])
        assert source(whole) == text
        for size in (1, 2, 3, 7):
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            ops = rendered(pieces)
            assert source(ops) == text
            assert flat(ops) == flat(whole), text


def test_all_of_them_as_one_text() -> None:
    text = "\n".join(texts())
    whole = flat(rendered([text]))
    assert flat(rendered([text[at : at + 5] for at in range(0, len(text), 5)])) == whole
