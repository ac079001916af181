"""The rows of the ⋯ menu."""

from collections.abc import Callable
from dataclasses import dataclass

from tkinfer.ui.popover import SEPARATOR, Heading, Item, Row
from tkinfer.ui.view import Appearance

_LOOKS = (
    ("System", Appearance.SYSTEM),
    ("Light", Appearance.LIGHT),
    ("Dark", Appearance.DARK),
    ("High contrast", Appearance.CONTRAST),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MainMenuActions:
    """What the menu reports."""

    open_file: Callable[[], None]
    new_chat: Callable[[], None]
    settings: Callable[[], None]
    look: Callable[[Appearance], None]
    keys: Callable[[], None]
    about: Callable[[], None]


def main_menu_rows(actions: MainMenuActions, chosen: Appearance) -> list[Row]:
    """The menu as it is now; `chosen` is the appearance with the tick."""

    def look(label: str, appearance: Appearance) -> Item:
        return Item(
            label=label,
            action=lambda: actions.look(appearance),
            checked=chosen is appearance,
        )

    return [
        Item(label="Open GGUF…", action=actions.open_file, shortcut="Ctrl+O"),
        Item(label="New chat", action=actions.new_chat, shortcut="Ctrl+N"),
        Item(label="Settings", action=actions.settings, shortcut="Ctrl+,"),
        SEPARATOR,
        Heading(label="Appearance"),
        *(look(label, appearance) for label, appearance in _LOOKS),
        SEPARATOR,
        Item(label="Keyboard", action=actions.keys, shortcut="F1"),
        Item(label="About", action=actions.about),
    ]
