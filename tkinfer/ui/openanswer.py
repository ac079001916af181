"""OpenAnswer: the answer that is being made, as the transcript's last message."""

import tkinter as tk
from collections.abc import Sequence
from typing import Final

from actors.drawing import DrawOp, Tail
from actors.turn import Channel
from tkinfer.ui.composition import CHROME, FIGURES, HEADING, MENU_LABEL
from tkinfer.ui.messagerows import Shown
from tkinfer.ui.painter import left_out_note
from tkinfer.ui.sanitise import clean_line
from tkinfer.ui.view import Tone
from tkinfer.ui.writer import Writer

_MOST_REDRAWN: Final = 20_000
"""Characters: what is longer is not drawn anew only because its last words may look otherwise."""


class OpenAnswer:
    """Draws what comes of one answer. Main thread."""

    def __init__(self, text: tk.Text, row: Shown, writer: Writer) -> None:
        self._text = text
        self._writer = writer
        self.row: Final = row

    def draw(self, ops: Sequence[DrawOp], channel: Channel) -> bool:
        """Draw at the end; composing may raise, and then nothing was drawn. False: no change."""
        row, writer = self.row, self._writer
        if channel is Channel.REASONING:
            row.thoughts = row.thoughts or writer.begin_thoughts()
            row.thoughts.add("".join(op.source for op in ops))
        elif not writer.draw(ops):
            return False
        row.size += sum(len(op.source) for op in ops if not isinstance(op, Tail))
        return True

    def tell_thinking(self, seconds: float, *, over: bool) -> None:
        """So long its model thinks now, or has thought."""
        if self.row.thoughts is not None:
            self.row.thoughts.tell(seconds, over=over)

    def show_left_out(self, words: str) -> None:
        """Say under the heading what the prompt has no room for."""
        if self.row.thoughts is not None:
            self.row.thoughts.make_room(lambda: self._insert_left_out(words))
        else:
            self._insert_left_out(words)

    def end(self, figures: str, note: str, tone: Tone) -> None:
        """Nothing more comes: figures go beside the author, a note below the text."""
        row, writer = self.row, self._writer
        if figures:
            place = f"{row.start} lineend -{len(MENU_LABEL) + 1} indices"
            tags = (CHROME, HEADING, FIGURES)
            self._text.insert(place, f"   {clean_line(figures)}", tags)
        # What a tail shows is a guess at what would follow; nothing does.
        row.stale = writer.settle() and row.size < _MOST_REDRAWN
        row.has_table = writer.composer.has_table
        writer.put(writer.composer.answer_end(note, tone.value))

    def close(self) -> None:
        """Nothing is written here any more."""
        self._writer.close()

    def _insert_left_out(self, words: str) -> None:
        self._text.insert(f"{self.row.start} lineend +1 indices", *left_out_note(words))
