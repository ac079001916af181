"""What is kept in the name of a tag: what a copy has in its place, and where a link leads.

So it needs no table beside the Text, and goes when the text goes.
"""

from typing import Final

from tkinfer.markdown import tags
from tkinfer.ui.sanitise import NO_TEXT

_COPIED: Final = ("as0:", "as1:")
"""Two of them, so that equal neighbours stay two stretches."""
_LINK: Final = "to:"
STOPS: Final = "stops:"
"""Begins the tag that says where the tab stops of a table are, as `12l,90r`."""

STRONG_EMPHASIS: Final = "strong.em"


def emphasis_in(heading: str) -> str:
    """The tag of what is set off in a heading."""
    return f"{heading}.em"


def copied(source: str, *, flip: bool) -> str:
    """The tag of a stretch in whose place a copy has the source."""
    return _COPIED[flip] + NO_TEXT.sub("", source)


def source_of(tag: str) -> str | None:
    """What a copy has in place of a stretch with this tag; None: it is no such tag."""
    return tag[len(_COPIED[0]) :] if tag.startswith(_COPIED) else None


def link_to(address: str) -> str:
    """The tag of what leads to this address."""
    return _LINK + address


def address_of(tag: str) -> str | None:
    """Where a stretch with this tag leads; None: it is no such tag."""
    return tag[len(_LINK) :] if tag.startswith(_LINK) else None


def is_data(tag: str) -> bool:
    """Whether the tag was made for some stretch, and is of no use without it."""
    return tag.startswith((*_COPIED, _LINK, STOPS))


def styled(run_tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags with those for two styles at once: of two fonts Tk takes one."""
    if tags.EMPHASIS not in run_tags:
        return run_tags
    heading = next(filter(tags.is_heading, run_tags), None)
    if heading is not None:
        return (*run_tags, emphasis_in(heading))
    if tags.STRONG in run_tags:
        return (*run_tags, STRONG_EMPHASIS)
    return run_tags
