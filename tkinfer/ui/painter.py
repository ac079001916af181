"""Painting: one message of the history, drawn step by step."""

from collections.abc import Iterator
from typing import Final

from actors.drawing import TextRenderer
from tkinfer.ui.composition import CHROME, NOTE, RAW, USER, Drawn
from tkinfer.ui.messagerows import Shown
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.view import Entry, Tone
from tkinfer.ui.writer import Writer

STEP_CHARS: Final = 2_000
"""Characters of a step: some 3 ms of rendering and drawing."""


class Painting:
    """Draws an entry with a writer. The steps belong together, but not into one tick."""

    def __init__(
        self, row: Shown, entry: Entry, writer: Writer, renderer: TextRenderer | None
    ) -> None:
        """`renderer` is that of an answer with text."""
        self.row = row
        self.entry = entry
        self.writer = writer
        self._renderer = renderer
        self._steps = self._all()

    def step(self) -> bool:
        """Draw a little more. False: that was all."""
        return next(self._steps, False)

    def _all(self) -> Iterator[bool]:
        entry, writer, composer = self.entry, self.writer, self.writer.composer
        writer.put(composer.heading(entry.author, entry.figures))
        if entry.left_out:
            writer.put(composer.chrome(*left_out_note(entry.left_out)))
        if entry.reasoning:
            thoughts = self.row.thoughts = writer.begin_thoughts()
            thoughts.add(entry.reasoning)
            thoughts.tell(entry.thought_s, over=not entry.grows or bool(entry.text))
            if self.row.manner.thoughts_open:
                thoughts.toggle()
        yield True
        if entry.is_user:
            writer.put(composer.open_user_band())
            yield from self._plain(USER)
            writer.put(composer.close_user_band())
        elif entry.grows:
            yield from self._answer()
        else:
            yield from self._plain(RAW) if self.row.manner.raw else self._answer()
            writer.put(composer.answer_end(entry.note, entry.tone.value))

    def _plain(self, tag: str) -> Iterator[bool]:
        for part in _parts(self.entry.text):
            self.writer.write(part, tag)
            yield True

    def _answer(self) -> Iterator[bool]:
        writer, renderer = self.writer, self._renderer
        if renderer is None:
            return
        for part in _parts(self.entry.text):
            writer.draw(renderer.feed(part, tail=False))
            yield True
        writer.draw(renderer.feed("") if self.entry.grows else renderer.finish())


def left_out_note(words: str) -> Drawn:
    """Says under a heading what the prompt has no room for."""
    return f"{clean_line(words)}\n", (CHROME, NOTE, f"{NOTE}.{Tone.WARNING.value}")


def _parts(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + STEP_CHARS
        if text[end - 1 : end] == "\r":
            end += 1
        yield text[start:end]
        start = end
