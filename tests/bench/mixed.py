"""Random stops of the engine alone, in all that a user may do to a chat. One part of `stop`.

Each stop is followed by an answer of a fresh engine, which reads a whole chat: with the starter
model that takes seconds. So a small one makes most of the stops, beside it on the other core.
"""

import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from actors.turn import Phase
from tests.bench.common import Figures, say, starter
from tests.tiny_gguf import write_tiny_gguf
from tests.tkinfer.engines.mixed_stops import MixedStops
from tests.tkinfer.engines.rig import Rig

STARTER_SHARE = 0.08
SEEDS = {"starter": 7, "small": 8}
SMALL_LAYERS = 4
SMALL_WIDTH = 128
TELL_EVERY = 10


def mixed(stops: int) -> Figures:
    """Stop so often amid sends, edits, second tries and continuing, in three chats by turns.

    `mixed_poisoned` counts later answers that differ from a fresh engine's.
    """
    by_starter = max(1, round(stops * STARTER_SHARE))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        path = Path(folder) / "small.gguf"
        small = write_tiny_gguf(path, quantised=True, layers=SMALL_LAYERS, width=SMALL_WIDTH)
        runs = [
            threads.submit(stop_often, "starter", Path(starter()), by_starter),
            threads.submit(stop_often, "small", small, stops - by_starter),
        ]
        done = [run.result() for run in runs]
    kinds = sum((chats.kinds for chats in done), Counter[str]())
    figures: Figures = {
        "mixed_stops": stops,
        "mixed_poisoned": sum(len(chats.poisoned) for chats in done),
        "mixed_stops_of_starter": by_starter,
    }
    for kind, count in sorted(kinds.items()):
        figures[f"mixed_{kind.replace(' ', '_')}"] = count
    return figures


def stop_often(name: str, model: Path, stops: int) -> MixedStops:
    """So many stops with one model. Runs that were over before their stop are made up for."""
    with Rig() as rig, Rig() as fresh:
        chats = MixedStops(rig, fresh, model, SEEDS[name])
        done = 0
        while done < stops:
            missed = chats.kinds[Phase.IDLE.value]
            chats.stop_once()
            if chats.kinds[Phase.IDLE.value] == missed:
                done += 1
                if done % TELL_EVERY == 0:
                    say(f"mixed, {name}: {done} stops, {len(chats.poisoned)} poisoned")
    for case in chats.poisoned:
        say(f"poisoned, {name}: {case}")
    return chats
