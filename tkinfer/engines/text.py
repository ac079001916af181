"""From the bytes of tokens to text."""

import codecs
from typing import Final

_SURROGATE_LEAD: Final = 0xED
_SURROGATE_NEXT: Final = range(0xA0, 0xC0)


class TextDecoder:
    """Decodes UTF-8 that arrives in arbitrary cuts; half a character waits for its rest.

    Bytes that can't be UTF-8 become U+FFFD, one for each bad sequence, just as if all had been
    decoded at once, and as soon as they are known to be bad. Nothing else is changed: no space is
    ever cut.
    """

    def __init__(self) -> None:
        self._rest = b""

    @property
    def half(self) -> bool:
        """A character has begun and waits for its rest. At the end it would be one U+FFFD."""
        return bool(self._rest)

    def feed(self, raw: bytes) -> str:
        """The text that is complete now; may be empty."""
        data = self._rest + raw
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return self._decode_leniently(data)
        self._rest = b""
        return text

    def flush(self) -> str:
        """What is left at the end: nothing, or U+FFFD for a character that was cut off."""
        rest, self._rest = self._rest, b""
        return rest.decode("utf-8", "replace")

    def _decode_leniently(self, data: bytes) -> str:
        text, used = codecs.utf_8_decode(data, "replace", False)
        rest = data[used:]
        if len(rest) > 1 and rest[0] == _SURROGATE_LEAD and rest[1] in _SURROGATE_NEXT:
            # Half a surrogate: Python waits for its third byte, though nothing can mend it.
            text += rest.decode("utf-8", "replace")
            rest = b""
        self._rest = rest
        return text
