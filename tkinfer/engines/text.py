"""From the bytes of tokens to text."""

import codecs
from typing import Final

_UTF8: Final = codecs.getincrementaldecoder("utf-8")


class TextDecoder:
    """Decodes UTF-8 that arrives in arbitrary cuts; half a character waits for its rest.

    Bytes that can't be UTF-8 become U+FFFD, one for each bad sequence, just as if all had been
    decoded at once. Nothing else is changed: no space is ever cut.
    """

    def __init__(self) -> None:
        self._decoder = _UTF8(errors="replace")

    def feed(self, raw: bytes) -> str:
        """The text that is complete now; may be empty."""
        return self._decoder.decode(raw)

    def flush(self) -> str:
        """What is left at the end: nothing, or U+FFFD for a character that was cut off."""
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest
