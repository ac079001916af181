"""The rest of a line, measured in columns: a tab reaches to the next multiple of four.

As CommonMark 0.31, section 2.2 has it: tabs aren't replaced by spaces, except where part of one
belongs to what the line is nested in.
"""

from dataclasses import dataclass
from typing import Final

TAB_STOP: Final = 4


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a line, without its line feed, and the column where that begins."""

    text: str
    column: int = 0

    @property
    def indent(self) -> int:
        """The width of the white space that it begins with, in columns."""
        column = self.column
        for char in self.text:
            if char == " ":
                column += 1
            elif char == "\t":
                column += TAB_STOP - column % TAB_STOP
            else:
                break
        return column - self.column

    @property
    def is_blank(self) -> bool:
        return not self.text.strip(" \t")

    @property
    def words(self) -> str:
        """The text without the white space in front."""
        return self.text.lstrip(" \t")

    def without_indent(self) -> "Rest":
        return Rest(self.words, self.column + self.indent)

    def after(self, count: int) -> "Rest":
        """Behind so many characters, none of which is a tab."""
        return Rest(self.text[count:], self.column + count)

    def without_columns(self, width: int) -> "Rest":
        """Take away white space of up to this width; what is left of a split tab becomes spaces."""
        column, taken = self.column, 0
        end = column + width
        for char in self.text:
            if column >= end or char not in " \t":
                break
            column += 1 if char == " " else TAB_STOP - column % TAB_STOP
            taken += 1
        if column <= end:
            return Rest(self.text[taken:], column)
        return Rest(" " * (column - end) + self.text[taken:], end)
