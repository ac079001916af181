"""Generated images, made once per palette and kept by the Tk interpreter under their names.

Widgets and ttk elements refer to images by name. No Python object owns them, so none can delete an
image that an element still uses, or be collected in another thread.
"""

import tkinter as tk

from tkinfer.ui import shapes
from tkinfer.ui.icons import ICONS
from tkinfer.ui.scale import Scale

ICON_SIZE = 16


class Images:
    """Makes images on demand. Sizes are in design pixels unless said otherwise."""

    def __init__(self, root: tk.Misc, scale: Scale) -> None:
        self._tk = root.tk
        self._scale = scale
        self._known: set[str] = {str(name) for name in root.image_names()}

    def icon(self, name: str, colour: str, size: int = ICON_SIZE) -> str:
        """The name of an icon's image in this colour."""
        key = f"tkinfer.icon.{name}.{colour[1:]}.{size}"
        if key not in self._known:
            self.put(key, shapes.icon(self._scale.px(size), colour, ICONS[name]))
        return key

    def box(self, key: str, shape: shapes.Box) -> str:
        """The name of a box's image; `key` must tell boxes apart, palette included."""
        key = f"tkinfer.box.{key}"
        if key not in self._known:
            self.put(key, shapes.box(shape))
        return key

    def put(self, key: str, data: bytes) -> None:
        """Create the image `key`, or give it a new picture wherever it is shown."""
        self._tk.call("image", "create", "photo", key, "-format", "png", "-data", data)
        self._known.add(key)
