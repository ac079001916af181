"""Random stops of the engine alone, in all that a user may do to a chat. One part of `stop`."""

from pathlib import Path

from actors.turn import Phase
from tests.bench.common import Figures, say, starter
from tests.tkinfer.engines.mixed_stops import MixedStops
from tests.tkinfer.engines.rig import Rig

SEED = 7
TELL_EVERY = 50


def mixed(stops: int) -> Figures:
    """Stop so often amid sends, edits, second tries and continuing, in three chats by turns.

    `mixed_poisoned` counts later answers that differ from a fresh engine's. Runs that were over
    before their stop are made up for.
    """
    with Rig() as rig, Rig() as fresh:
        chats = MixedStops(rig, fresh, Path(starter()), SEED)
        done = 0
        while done < stops:
            missed = chats.kinds[Phase.IDLE.value]
            chats.stop_once()
            done += chats.kinds[Phase.IDLE.value] == missed
            if done % TELL_EVERY == 0:
                say(f"mixed: {done} stops, {len(chats.poisoned)} poisoned")
    for case in chats.poisoned:
        say(f"poisoned: {case}")
    kinds = {f"mixed_{kind.replace(' ', '_')}": count for kind, count in chats.kinds.items()}
    return {
        "mixed_stops": done,
        "mixed_poisoned": len(chats.poisoned),
        **dict(sorted(kinds.items())),
    }
