import pytest

from tests.tkinfer.ui.rig import Rig, closed, opened, plain
from tkinfer.markdown.highlight import COLOURS
from tkinfer.ui import palette as palettes
from tkinfer.ui.markdownstyles import CODE_COLOURS
from tkinfer.ui.palette import Palette
from tkinfer.ui.shapes import mixed, rgb
from tkinfer.ui.view import Appearance, EmptyState, Notice

LEAST_CONTRAST = 4.5


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def text_pairs(palette: Palette) -> list[tuple[str, str, str]]:
    """Every (what, text colour, ground) that the window shows."""
    text, ground = palette.text, palette.ground
    pairs = [
        (f"normal on {name}", text["normal"], colour)
        for name, colour in ground.items()
        if name != "found_now"
    ]
    pairs.append(("found now", text["found_now"], ground["found_now"]))
    pairs += [
        (f"{name} in code", colour, ground[where])
        for name, colour in palette.code.items()
        for where in ("code", "window", "quote")
    ]
    pairs += [(f"accent on {name}", text["accent"], ground[name]) for name in ("quote", "tint")]
    pairs += [
        (f"dim on {name}", text["dim"], ground[name])
        for name in ("window", "raised", "tint", "code", "quote", "notice", "warning", "error")
    ]
    pairs += [
        (f"{name} on window", text[name], ground["window"])
        for name in ("accent", "danger", "warning", "ok")
    ]
    pairs += [(f"accent on {name}", text["accent"], ground[name]) for name in ("hover", "pressed")]
    pairs.append(("danger on raised", text["danger"], ground["raised"]))
    pairs.append(("accent on code", text["accent"], ground["code"]))
    for name in ("ground", "hover", "pressed"):
        pairs.append((f"accent {name}", palette.accent["text"], palette.accent[name]))
        pairs.append((f"danger {name}", palette.danger["text"], palette.danger[name]))
    pairs.append(("unusable", palette.accent["faint_text"], palette.accent["faint"]))
    for tone in ("notice", "warning", "error"):
        pressed = mixed(ground[tone], text["normal"], 0.14)
        pairs.append((f"pressed on {tone}", text["normal"], pressed))
    return pairs


PALETTES = [look.value for look in Appearance if look is not Appearance.SYSTEM]


@pytest.mark.parametrize(
    ("name", "least"), [("light", LEAST_CONTRAST), ("dark", LEAST_CONTRAST), ("contrast", 7.0)]
)
def test_every_text_stands_out_from_its_ground(name: str, least: float) -> None:
    weak = {
        what: round(contrast(colour, ground), 2)
        for what, colour, ground in text_pairs(palettes.load(name))
        if contrast(colour, ground) < least
    }
    assert weak == {}


def test_lines_stand_out_where_contrast_is_high() -> None:
    palette = palettes.load("contrast")
    assert all(contrast(line, palette.ground["window"]) > 4.5 for line in palette.line.values())


@pytest.mark.parametrize("name", PALETTES)
def test_all_palettes_name_the_same_colours(name: str) -> None:
    palette, light = palettes.load(name), palettes.load("light")
    for group in ("ground", "text", "line", "accent", "danger", "code"):
        assert getattr(palette, group).keys() == getattr(light, group).keys()


def test_what_the_highlighter_tells_apart_has_a_colour() -> None:
    assert set(palettes.load("light").code) == set(COLOURS) == set(CODE_COLOURS)


def painted(rig: Rig) -> dict[str, str]:
    """Colours of the classic widgets and tags, and the ttk theme in use."""
    text = rig.text
    style = str(rig.root.tk.call("ttk::style", "theme", "use"))
    return {
        "style": style,
        "root": str(rig.root.cget("background")),
        "transcript": str(text.cget("background")),
        "words": str(text.cget("foreground")),
        "user": str(text.tag_cget("user", "background")),
        "code": str(text.tag_cget("code.block", "background")),
        "box": str(rig.box.cget("background")),
        "cursor": str(rig.box.cget("insertbackground")),
        "corner": str(rig.root.tk.call("tkinfer.cap.user.top", "get", 0, 0)),
    }


@pytest.mark.ui
def test_switching_the_palette_repaints_everything_at_once(rig: Rig) -> None:
    rig.window.add_user_message("hello")
    rig.answer("there")
    rig.window.draw([opened(), plain("code\n"), closed()])
    rig.window.show_notice(Notice(what="something"))
    light = painted(rig)
    rig.window.show_appearance(Appearance.DARK)
    dark = painted(rig)
    assert [key for key in light if light[key] == dark[key]] == []
    rig.window.show_appearance(Appearance.LIGHT)
    assert painted(rig) == light
    rig.settle()


@pytest.mark.ui
def test_zoom_changes_every_named_font_and_goes_back(rig: Rig) -> None:
    before = rig.text.bbox("1.0")
    rig.window.show_empty(EmptyState.READY)
    rig.press(rig.box, "<Control-plus>", "<Control-equal>")
    assert rig.window.zoom() == 2
    assert before
    larger = rig.text.bbox("1.0")
    assert larger
    assert larger[3] > before[3]
    rig.press(rig.box, "<Control-Key-0>")
    assert rig.window.zoom() == 0
    assert rig.text.bbox("1.0") == before
