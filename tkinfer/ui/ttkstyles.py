"""The ttk styles: one ttk theme per palette, on top of clam, with elements of our own images."""

from dataclasses import dataclass, replace
from tkinter import ttk

from tkinfer.ui import fonts
from tkinfer.ui.images import Images
from tkinfer.ui.palette import Palette
from tkinfer.ui.scale import Scale
from tkinfer.ui.shapes import Box, mixed

RADIUS = 8
ROW_RADIUS = 6
PANEL_RADIUS = 12
_FOCUS_WIDTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """How one kind of button looks in each state. Colours; lengths in design pixels."""

    outside: str
    normal: str
    hover: str
    pressed: str
    text: str
    disabled: str = ""
    disabled_text: str = ""
    edge: str = ""
    focus: str = ""
    font: str = fonts.UI
    padding: tuple[int, int] = (12, 6)
    radius: int = RADIUS
    anchor: str = "center"
    marks_hover_by_keyboard: bool = False


def use(style: ttk.Style, palette: Palette, images: Images, scale: Scale) -> None:
    """Make this palette's ttk theme the current one, building it the first time."""
    name = f"tkinfer-{palette.name}"
    if name in style.theme_names():
        style.theme_use(name)
        return
    style.theme_create(name, parent="clam")
    style.theme_use(name)
    _base(style, palette)
    Builder(style, palette, images, scale).build()


def _base(style: ttk.Style, palette: Palette) -> None:
    ground, text = palette.ground, palette.text
    style.configure(
        ".",
        background=ground["window"],
        foreground=text["normal"],
        font=fonts.UI,
        borderwidth=0,
        focuscolor=text["accent"],
    )
    style.configure("TFrame", background=ground["window"])
    style.configure("Hair.TFrame", background=palette.line["hair"])
    style.configure("Progress.TFrame", background=text["accent"])
    for prefix, behind in _grounds(palette).items():
        style.configure(f"{prefix.rstrip('.')}Flat.TFrame", background=behind)
        for suffix, colour, font in (
            ("", text["normal"], fonts.UI),
            ("Bold.", text["normal"], fonts.UI_BOLD),
            ("Title.", text["normal"], fonts.TITLE),
            ("Hero.", text["normal"], fonts.HERO),
            ("Dim.", text["dim"], fonts.UI),
            ("Small.", text["dim"], fonts.SMALL),
            ("SmallBold.", text["dim"], fonts.SMALL_BOLD),
        ):
            style.configure(
                f"{prefix}{suffix}TLabel", background=behind, foreground=colour, font=font
            )
    for phase in ("accent", "danger", "warning", "ok"):
        style.configure(
            f"{phase.capitalize()}.Status.TLabel", foreground=text[phase], font=fonts.SMALL_BOLD
        )


def _grounds(palette: Palette) -> dict[str, str]:
    """Style prefixes by what a widget lies on."""
    ground = palette.ground
    return {
        "": ground["window"],
        "Raised.": ground["raised"],
        "Plain.": ground["notice"],
        "Warning.": ground["warning"],
        "Error.": ground["error"],
    }


class Builder:
    """Makes the image elements of one palette's theme."""

    def __init__(self, style: ttk.Style, palette: Palette, images: Images, scale: Scale) -> None:
        self._style = style
        self._palette = palette
        self._images = images
        self._scale = scale

    def build(self) -> None:
        for name, spec in _buttons(self._palette).items():
            self.button(name, spec)
        self._panels()
        self._scrollbar()

    def box(
        self, key: str, *, outside: str, inside: str, edge: str, width: float, radius: int
    ) -> str:
        px = self._scale.px
        shape = Box(
            outside=outside,
            inside=inside,
            edge=edge,
            edge_width=px(width) if edge else 0,
            radius=px(radius),
        )
        return self._images.box(f"{self._palette.name}.{key}", shape)

    def element(
        self,
        name: str,
        normal: str,
        *states: tuple[str, ...],
        border: int,
        padding: tuple[int, int] = (0, 0),
        width: int = 0,
    ) -> None:
        """Create an image element; lengths in design pixels. Each state ends with its image."""
        px = self._scale.px
        pictures: list[str | tuple[str, ...]] = [normal]
        for state in states:
            pictures += [state[:-1], state[-1]]
        options: list[object] = ["-border", px(border), "-sticky", "nsew"]
        options += ["-padding", (px(padding[0]), px(padding[1]))]
        options += ["-width", px(width or 2 * border), "-height", px(2 * border)]
        self._style.tk.call("ttk::style", "element", "create", name, "image", pictures, *options)

    def layout(self, style: str, outer: str, inner: str = "") -> None:
        """An element that fills the widget, and one that fills the first."""
        filled = f"{outer} -sticky nsew"
        if inner:
            filled += f" -children {{{inner} -expand 1 -sticky nsew}}"
        self._style.tk.call("ttk::style", "layout", style, filled)

    def button(self, name: str, spec: Button) -> None:
        focus = spec.focus or self._palette.text["accent"]

        def face(state: str, inside: str, *, focused: bool = False) -> str:
            edge = focus if focused else spec.edge
            width = _FOCUS_WIDTH if focused else 1
            return self.box(
                f"{name}.{state}",
                outside=spec.outside,
                inside=inside,
                edge=edge,
                width=width,
                radius=spec.radius,
            )

        # Each image costs 0.3 ms of the start (Tk 8.6.13, X11), so only those that differ are made.
        hover = face("hover", spec.hover)
        focused = hover
        if not spec.marks_hover_by_keyboard:
            focused = face("focus", spec.normal, focused=True)
        states = [("pressed", face("pressed", spec.pressed)), ("focus", focused), ("active", hover)]
        if spec.disabled:
            states.insert(0, ("disabled", face("disabled", spec.disabled)))
        self.element(
            f"{name}.face",
            face("normal", spec.normal),
            *states,
            border=spec.radius,
            padding=spec.padding,
        )
        self.layout(f"{name}.TButton", f"{name}.face", "Button.label")
        self._style.configure(
            f"{name}.TButton",
            background=spec.normal,
            foreground=spec.text,
            font=spec.font,
            anchor=spec.anchor,
            relief="flat",
            padding=0,
        )
        self._style.map(
            f"{name}.TButton",
            background=[("disabled", spec.disabled or spec.normal), ("active", spec.hover)],
            foreground=[("disabled", spec.disabled_text or spec.text)],
        )

    def _panels(self) -> None:
        ground, line, text = self._palette.ground, self._palette.line, self._palette.text
        window = ground["window"]
        for name, inside, edge in (
            ("Composer", ground["raised"], line["edge"]),
            ("Popover", ground["raised"], line["edge"]),
            ("NoticePlain", ground["notice"], ""),
            ("NoticeWarning", ground["warning"], ""),
            ("NoticeError", ground["error"], ""),
        ):
            radius = PANEL_RADIUS if name != "Popover" else RADIUS + 2
            normal = self.box(
                name, outside=window, inside=inside, edge=edge, width=1, radius=radius
            )
            states: list[tuple[str, ...]] = []
            if name == "Composer":
                focused = self.box(
                    f"{name}.focus",
                    outside=window,
                    inside=inside,
                    edge=text["accent"],
                    width=1.5,
                    radius=radius,
                )
                states.append(("focus", focused))
            self.element(f"{name}.panel", normal, *states, border=radius)
            self.layout(f"{name}.TFrame", f"{name}.panel")
            self._style.configure(f"{name}.TFrame", background=inside)

    def _scrollbar(self) -> None:
        window, line = self._palette.ground["window"], self._palette.line

        def thumb(state: str, colour: str) -> str:
            return self.box(
                f"thumb.{state}", outside=window, inside=colour, edge="", width=0, radius=4
            )

        self.element(
            "Slim.thumb",
            thumb("normal", line["thumb"]),
            ("disabled", thumb("hidden", window)),
            ("pressed", thumb("hover", line["thumb_hover"])),
            ("active", thumb("hover", line["thumb_hover"])),
            border=4,
            width=8,
        )
        self.layout("Slim.Vertical.TScrollbar", "Vertical.Scrollbar.trough", "Slim.thumb")
        self._style.configure(
            "Slim.Vertical.TScrollbar",
            background=window,
            troughcolor=window,
            bordercolor=window,
            lightcolor=window,
            darkcolor=window,
            borderwidth=0,
        )


def _buttons(palette: Palette) -> dict[str, Button]:
    ground, text, line = palette.ground, palette.text, palette.line
    window, raised = ground["window"], ground["raised"]

    def ghost(behind: str) -> Button:
        return Button(
            outside=behind,
            normal=behind,
            hover=ground["hover"],
            pressed=ground["pressed"],
            text=text["normal"],
            disabled_text=text["dim"],
        )

    def filled(behind: str, group: str) -> Button:
        colours = palette.accent if group == "accent" else palette.danger
        return Button(
            outside=behind,
            normal=colours["ground"],
            hover=colours["hover"],
            pressed=colours["pressed"],
            text=colours["text"],
            disabled=palette.accent["faint"],
            disabled_text=palette.accent["faint_text"],
            focus=text["normal"],
            font=fonts.UI_BOLD,
        )

    outline = replace(ghost(window), normal=raised, edge=line["edge"])
    row = replace(ghost(raised), padding=(10, 6), radius=ROW_RADIUS, anchor="w")
    return {
        "Accent": filled(raised, "accent"),
        "Danger": filled(raised, "danger"),
        "Primary": filled(window, "accent"),
        "Ghost": replace(ghost(window), padding=(8, 6)),
        "RaisedGhost": replace(
            ghost(raised), padding=(8, 3), radius=ROW_RADIUS, font=fonts.SMALL_BOLD
        ),
        "Outline": outline,
        "Card": replace(outline, padding=(14, 9), anchor="w", radius=10),
        "Jump": replace(outline, padding=(14, 6), radius=14, font=fonts.SMALL_BOLD),
        "Row": replace(row, marks_hover_by_keyboard=True),
    } | {
        f"Notice{tone}": replace(
            ghost(ground[key]),
            hover=mixed(ground[key], text["normal"], 0.08),
            pressed=mixed(ground[key], text["normal"], 0.14),
            padding=(8, 4),
            radius=ROW_RADIUS,
            font=fonts.SMALL_BOLD,
        )
        for tone, key in (("Plain", "notice"), ("Warning", "warning"), ("Error", "error"))
    }
