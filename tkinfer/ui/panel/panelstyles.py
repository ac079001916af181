"""The ttk styles of the settings panels: entries, switches, sliders, tabs. Made at first use."""

import math
from tkinter import ttk

from tkinfer.ui import fonts, shapes
from tkinfer.ui.palette import Palette
from tkinfer.ui.shapes import Rgb, mix, rgb
from tkinfer.ui.theme import Theme
from tkinfer.ui.ttkstyles import Builder, Button

_FIELD_RADIUS = 6
_TRACK = (30, 18)
_KNOB = 14
_TROUGH = 4


class PanelStyles:
    """Adds the panels' styles to each palette's ttk theme, before a panel's parts are painted."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._style = ttk.Style(theme.root)
        theme.on_paint(self._use)

    def _use(self, palette: Palette) -> None:
        known: tuple[str, ...] = self._style.element_names()
        if "Field.face" in known:
            return
        theme = self._theme
        make = Builder(self._style, palette, theme.images, theme.scale)
        self._labels(palette)
        self._fields(make, palette)
        self._buttons(make, palette)
        self._tabs(make, palette)
        self._switch(make, palette)
        self._slider(make, palette)

    def _labels(self, palette: Palette) -> None:
        for name, colour, font in (
            ("Wrong", palette.text["danger"], fonts.SMALL),
            ("WrongBold", palette.text["danger"], fonts.UI_BOLD),
            ("Caution", palette.text["warning"], fonts.SMALL),
        ):
            for prefix, ground in (("", "window"), ("Raised.", "raised")):
                self._style.configure(
                    f"{prefix}{name}.TLabel",
                    foreground=colour,
                    background=palette.ground[ground],
                    font=font,
                )

    def _fields(self, make: Builder, palette: Palette) -> None:
        ground, line, text = palette.ground, palette.line, palette.text

        def face(state: str, edge: str, width: float) -> str:
            return make.box(
                f"Field.{state}",
                outside=ground["window"],
                inside=ground["raised"],
                edge=edge,
                width=width,
                radius=_FIELD_RADIUS,
            )

        states = [
            ("invalid", face("invalid", text["danger"], 1.5)),
            ("focus", face("focus", text["accent"], 1.5)),
        ]
        normal = face("normal", line["edge"], 1)
        make.element("Field.face", normal, *states, border=_FIELD_RADIUS, padding=(8, 5))
        make.element("Field.panel", normal, *states, border=_FIELD_RADIUS)
        make.layout("Field.TFrame", "Field.panel")
        make.layout("Field.TEntry", "Field.face", "Entry.textarea")
        self._style.configure("Field.TFrame", background=ground["raised"])
        self._style.configure(
            "Field.TEntry",
            foreground=text["normal"],
            fieldbackground=ground["raised"],
            background=ground["raised"],
            insertcolor=text["normal"],
            insertwidth=self._theme.px(1.5),
            selectbackground=ground["selection"],
            selectforeground=text["normal"],
            padding=0,
        )
        self._style.map("Field.TEntry", foreground=[("disabled", text["dim"])])

    def _buttons(self, make: Builder, palette: Palette) -> None:
        ground, text, line = palette.ground, palette.text, palette.line
        window = ground["window"]
        quiet = Button(
            outside=window,
            normal=window,
            hover=ground["hover"],
            pressed=ground["pressed"],
            text=text["accent"],
            disabled_text=text["dim"],
            font=fonts.SMALL,
            padding=(5, 2),
            radius=5,
        )
        make.button("Quiet", quiet)
        choice = Button(
            outside=window,
            normal=ground["raised"],
            hover=ground["hover"],
            pressed=ground["pressed"],
            text=text["normal"],
            disabled_text=text["dim"],
            edge=line["edge"],
            padding=(8, 4),
            radius=_FIELD_RADIUS,
            anchor="w",
        )
        make.button("Choice", choice)

    def _tabs(self, make: Builder, palette: Palette) -> None:
        ground, text = palette.ground, palette.text

        def face(state: str, inside: str, edge: str = "") -> str:
            return make.box(
                f"Tab.{state}",
                outside=ground["window"],
                inside=inside,
                edge=edge,
                width=2,
                radius=_FIELD_RADIUS,
            )

        accent = text["accent"]
        make.element(
            "Tab.face",
            face("normal", ground["window"]),
            ("selected", "focus", face("chosen.focus", ground["pressed"], accent)),
            ("focus", face("focus", ground["window"], accent)),
            ("selected", face("chosen", ground["pressed"])),
            ("active", face("hover", ground["hover"])),
            border=_FIELD_RADIUS,
            padding=(10, 5),
        )
        make.layout("Tab.TRadiobutton", "Tab.face", "Radiobutton.label")
        self._style.configure(
            "Tab.TRadiobutton", font=fonts.UI_BOLD, foreground=text["dim"], padding=0
        )
        self._style.map(
            "Tab.TRadiobutton",
            foreground=[("selected", text["normal"])],
            background=[("selected", ground["pressed"]), ("active", ground["hover"])],
        )

    def _switch(self, make: Builder, palette: Palette) -> None:
        text = palette.text

        def picture(state: str, track: str, *, on: bool, ring: str = "") -> str:
            key = f"tkinfer.switch.{palette.name}.{state}"
            self._theme.images.put(key, self._switch_picture(palette, track, on=on, ring=ring))
            return key

        on = palette.accent["ground"]
        off = shapes.mixed(palette.ground["window"], text["dim"], 0.7)
        ring = text["normal"]
        width, height = _TRACK
        options = ("-sticky", "", "-border", 0, "-width", self._theme.px(width + 6))
        self._style.tk.call(
            *("ttk::style", "element", "create", "Switch.track", "image"),
            [
                picture("off", off, on=False),
                ["selected", "focus", "!alternate"],
                picture("on.focus", on, on=True, ring=ring),
                ["focus", "!alternate"],
                picture("off.focus", off, on=False, ring=ring),
                ["selected", "!alternate"],
                picture("on", on, on=True),
            ],
            *(*options, "-height", self._theme.px(height + 6)),
        )
        make.layout("Switch.TCheckbutton", "Switch.track")
        self._style.configure("Switch.TCheckbutton", background=palette.ground["window"])

    def _switch_picture(self, palette: Palette, track: str, *, on: bool, ring: str) -> bytes:
        """A pill with a knob at one end, and a ring around it if it has the keyboard."""
        factor = self._theme.scale.factor
        width, height = (round((side + 6) * factor) for side in _TRACK)
        ground, middle = rgb(palette.ground["window"]), height / 2
        pill, knob = _TRACK[1] / 2 * factor, _KNOB / 2 * factor
        left, right = middle, width - middle
        centre = right if on else left

        def colour(x: float, y: float) -> Rgb:
            beyond = max(left - x, x - right, 0.0)
            distance = math.hypot(beyond, y - middle)
            shade = ground
            if ring:
                shade = mix(shade, rgb(ring), _cover(pill + 3 * factor - distance))
                shade = mix(shade, ground, _cover(pill + 1.5 * factor - distance))
            shade = mix(shade, rgb(track), _cover(pill - distance))
            inside = _cover(knob - math.hypot(x - centre, y - middle))
            return mix(shade, (255, 255, 255), inside)

        rows = [
            b"".join(bytes(colour(x + 0.5, y + 0.5)) for x in range(width)) for y in range(height)
        ]
        return shapes.png(rows, width)

    def _slider(self, make: Builder, palette: Palette) -> None:
        window, line = palette.ground["window"], palette.line
        low = shapes.Box(
            outside=window,
            inside=line["thumb"],
            radius=self._theme.px(_TROUGH / 2),
            middle=(32, 0),
        )
        trough = self._theme.images.box(f"{palette.name}.trough", low)

        def knob(state: str, colour: str) -> str:
            return make.box(
                f"knob.{state}", outside=window, inside=colour, edge="", width=0, radius=7
            )

        px = self._theme.px
        self._style.tk.call(
            *("ttk::style", "element", "create", "Slim.trough", "image", [trough]),
            *("-border", px(_TROUGH / 2), "-sticky", "ew", "-height", px(14)),
        )
        self._style.tk.call(
            *("ttk::style", "element", "create", "Slim.slider", "image"),
            [
                knob("normal", palette.accent["ground"]),
                "pressed",
                knob("pressed", palette.accent["pressed"]),
                "active",
                knob("hover", palette.accent["hover"]),
            ],
            *("-border", px(7), "-sticky", "", "-width", px(14), "-height", px(14)),
        )
        self._style.tk.call(
            *("ttk::style", "layout", "Slim.Horizontal.TScale"),
            "Slim.trough -sticky ew -children {Slim.slider -side left -sticky {}}",
        )
        self._style.configure("Slim.Horizontal.TScale", background=window, sliderlength=px(14))


def _cover(inside: float) -> float:
    """How much of a pixel is covered whose centre lies so far inside of an edge."""
    return min(max(inside + 0.5, 0.0), 1.0)
