"""How much of the computer's memory can be had."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

_CGROUPS: Final = Path("/sys/fs/cgroup")
_OWN_CGROUP: Final = Path("/proc/self/cgroup")


def available_bytes() -> int:
    """Memory that can be had without swapping, within the limits of a container. Some 0.1 ms."""
    free = psutil.virtual_memory().available
    return max(0, min(free, *cgroup_rooms(), free))


def cgroup_rooms(own: Path = _OWN_CGROUP, root: Path = _CGROUPS) -> Iterator[int]:
    """What each control group (v2) around this process still allows it; nothing where none does.

    Cached files are in what a group uses, but give way when memory is needed, so they count as
    free.
    """
    try:
        line = next(line for line in own.read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        return
    group = root / line.removeprefix("0::").lstrip("/")
    for folder in (group, *group.parents):
        room = _room(folder)
        if room is not None:
            yield room
        if folder == root:
            return


def _room(folder: Path) -> int | None:
    try:
        limit = int((folder / "memory.max").read_text())  # "max" is no number: no limit
        used = int((folder / "memory.current").read_text())
        stat = dict(
            line.split(" ", 1) for line in (folder / "memory.stat").read_text().splitlines()
        )
        cached = int(stat.get("inactive_file", 0)) + int(stat.get("active_file", 0))
    except (OSError, ValueError):
        return None
    return limit - used + cached
