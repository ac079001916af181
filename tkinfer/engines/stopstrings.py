"""Stop strings: texts at which an answer ends, none of which is ever shown."""

import re
from collections.abc import Iterable


def overlap(text: str, pattern: str) -> int:
    """How many characters at the end of `text` may be the beginning of `pattern`.

    The whole pattern doesn't count: at most `len(pattern) - 1`.
    """
    at = text.find(pattern[0], max(0, len(text) - len(pattern) + 1))
    while at >= 0:
        if pattern.startswith(text[at:]):
            return len(text) - at
        at = text.find(pattern[0], at + 1)
    return 0


class StopStrings:
    """Lets text through up to the first stop string, wherever the pieces are cut.

    The first is the one that is complete first, as if the text came character by character; of
    several that end at the same place it is the longest. So nothing depends on their order, nor
    on the cuts, and there is never a need to wait once a stop string is there. Empty ones are
    ignored.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(dict.fromkeys(stop for stop in stops if stop))
        # One look for the first letters spares ordinary pieces two looks for each stop string.
        letters = "".join(map(re.escape, sorted({stop[0] for stop in self._stops})))
        self._first = re.compile(f"[{letters}]" if letters else "(?!)")
        self._held = ""
        self.matched = False
        """A stop string was met: what came before it was let through, and nothing will be."""

    def __bool__(self) -> bool:
        return bool(self._stops)

    @property
    def held(self) -> int:
        """Characters that are kept back, as they may begin a stop string."""
        return len(self._held)

    def feed(self, text: str) -> str:
        """What can be shown now: all but the end that may still become a stop string."""
        if self.matched:
            return ""
        if not self._held and not self._first.search(text):
            return text
        data = self._held + text
        ends = [(at + len(stop), at) for stop in self._stops if (at := data.find(stop)) >= 0]
        if ends:
            self.matched, self._held = True, ""
            return data[: min(ends)[1]]
        keep = max([overlap(data, stop) for stop in self._stops], default=0)
        cut = len(data) - keep
        self._held = data[cut:]
        return data[:cut]

    def release(self) -> str:
        """What was held, when nothing that could complete a stop string follows."""
        held, self._held = self._held, ""
        return held
