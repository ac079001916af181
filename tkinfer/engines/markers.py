"""The markers that models put around their reasoning and their answer."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What opens reasoning and what closes it, as text or as the text of a control token."""

    open: str
    close: str
    label: str = ""
    """A name that may stand on a line of its own behind `open`; part of the marker."""
    anywhere: bool = False
    """As a control token it opens reasoning also in the middle of an answer."""
    messages: bool = False
    """The answer is a new message, with a header, behind `close`."""


HARMONY: Final = Marker(open="<|channel|>", close="<|end|>", anywhere=True, messages=True)
_MARKERS: Final = (
    *(
        Marker(open=f"<{name}>", close=f"</{name}>")
        for name in (
            "think",  # DeepSeek, Qwen, GLM, Granite and most others
            "thinking",
            "thought",  # EXAONE Deep
            "reasoning",
            "reason",
            "seed:think",  # Seed-OSS
            "mm:think",  # MiniMax M3
            "longcat_think",  # LongCat
            "think:opensource",  # Hunyuan 3
        )
    ),
    Marker(open="[THINK]", close="[/THINK]"),  # Magistral
    Marker(open="◁think▷", close="◁/think▷"),  # Kimi
    Marker(open="<|START_THINKING|>", close="<|END_THINKING|>"),  # Cohere
    Marker(open="<|inner_prefix|>", close="<|inner_suffix|>", anywhere=True),  # Apertus
    Marker(open="<|begin_of_thought|>", close="<|end_of_thought|>"),  # OpenThinker
    Marker(open="<|plamo:begin_think:plamo|>", close="<|plamo:end_think:plamo|>"),  # PLaMo 3
    Marker(open="<|think:start|>", close="<|think:end|>"),  # Solar Open 2
    Marker(open="<|think|>", close="<|end|>", messages=True),  # Solar Open
    Marker(open="[unused16]", close="[unused17]"),  # openPangu
    Marker(open="<|channel>", close="<channel|>", label="thought", anywhere=True),  # Gemma 4
    Marker(open="<unused94>", close="<unused95>", label="thought"),  # MedGemma
)
BY_OPEN: Final = {marker.open: marker for marker in _MARKERS}

# Around the answer, and no part of it: Cohere, OpenThinker, Solar Open.
FRAMES: Final = {
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|begin_of_solution|>": "<|end_of_solution|>",
    "<|content|>": "",
}

# The harmony format of gpt-oss, and Solar Open's dialect of it: a message has a header, such as
# <|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>
HEADS: Final = ("<|start|>", "<|channel|>", "<|begin|>")
HEAD_ENDS: Final = ("<|message|>", "<|content|>")
_HARMONY_OPEN: Final = re.compile(r"<\|channel\|>(?:analysis|commentary)<\|message\|>$")

OPENERS: Final = (*BY_OPEN, *HEADS[:2], *FRAMES)


def opened_by(prompt: str) -> str:
    """The marker with which the end of a prompt opens the reasoning; empty if it doesn't."""
    tail = prompt.rstrip()
    if harmony := _HARMONY_OPEN.search(tail):
        return harmony[0]
    for marker in _MARKERS:
        for form in (marker.open + marker.label, marker.open):
            if tail.endswith(form):
                return form
    return ""


def marker_of(opened: str) -> Marker:
    """What a prompt has opened with this. An unknown marker is closed by itself with a slash."""
    if opened.startswith(HARMONY.open):
        return HARMONY
    for marker in _MARKERS:
        if opened in (marker.open, marker.open + marker.label):
            return marker
    return Marker(open=opened, close=f"{opened[:1]}/{opened[1:]}")
