"""The user's choice of palette: what the window shows, and the settings remember."""

from enum import StrEnum


class Appearance(StrEnum):
    """SYSTEM follows the desktop's own."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"
