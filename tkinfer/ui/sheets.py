"""The sheets that can lie over the window; at most one is open."""

from typing import TYPE_CHECKING

from tkinfer.ui.sheet import Sheet
from tkinfer.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from actors.messages import TokenChoice
    from tkinfer.ui.tokensheet import TokenSheet


class Sheets:
    """Keyboard help, About, and the tokens of the last answer."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._short = Sheet(theme.root, theme)
        self._tokens: TokenSheet | None = None

    def show_keys(self) -> None:
        self.close()
        self._short.show_keys()

    def show_about(self) -> None:
        self.close()
        self._short.show_about()

    def show_tokens(self, places: "Sequence[TokenChoice]") -> None:
        """Show an answer's tokens with what else could have stood there."""
        self.close()
        if self._tokens is None:
            from tkinfer.ui.tokensheet import TokenSheet  # not needed before this

            self._tokens = TokenSheet(self._theme)
        self._tokens.open(places)

    def close(self) -> bool:
        """Take away what is open. False: nothing is."""
        return self._short.close() or (self._tokens is not None and self._tokens.close())
