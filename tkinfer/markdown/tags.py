"""Names of the tags that say what drawn text is. What they look like is the window's business."""

from typing import Final

STRONG: Final = "strong"
EMPHASIS: Final = "em"
STRIKE: Final = "strike"
CODE_INLINE: Final = "code.inline"
LINK: Final = "link"
MATHS: Final = "maths"
FORMULA: Final = "maths.display"
HTML: Final = "html"
RULE: Final = "rule"
GAP: Final = "gap"
MARKER: Final = "marker"
DEFINITION: Final = "definition"
CODE: Final = "code"


MAX_NESTED: Final = 6


def heading(level: int) -> str:
    """The tag of a heading: 1 is the largest of 6."""
    return f"h{level}"


def is_heading(tag: str) -> bool:
    """Whether it is a tag of heading()."""
    return len(tag) == 2 and tag[0] == "h" and tag[1].isdigit()  # noqa: PLR2004 - h and a digit


def nested(items: int, quotes: int) -> str:
    """The tag of what stands in so many list items and quotes; beyond a depth all look the same."""
    return f"in.{min(items, MAX_NESTED)}.{min(quotes, MAX_NESTED)}"


def item(items: int, quotes: int) -> str:
    """The tag of the marker that begins an item; see nested."""
    return f"item.{min(items, MAX_NESTED)}.{min(quotes, MAX_NESTED)}"
