"""Runs a program until its window takes keys, prints when that was, and goes on.

`python -m tests.bench.takes_keys bare|tkinfer`. Started by the bench `start` as a process of its
own. A window takes keys once the window manager has given it the focus and a key press has reached
the widget that has it. Works on any Tk program: it watches from its main loop.
"""

import sys
import time
import tkinter as tk
from typing import Any

LOOK_MS = 1


def watch(root: tk.Misc) -> None:
    """Look each millisecond for the focus, then press a key."""

    def look() -> None:
        if not root.winfo_exists():
            return
        widget = root.focus_get()
        if widget is None or not widget.winfo_viewable() or widget is root:
            root.after(LOOK_MS, look)
            return
        widget.bind("<KeyPress>", pressed, add=True)
        widget.event_generate("<KeyPress>", keysym="a", when="tail")

    def pressed(_event: "tk.Event[tk.Misc]") -> None:
        root.after_idle(lambda: print(f"ready {time.monotonic_ns()}", flush=True))

    root.after(0, look)


def main() -> int:
    mainloop = tk.Misc.mainloop

    def watched_mainloop(self: tk.Misc, *args: Any) -> None:
        watch(self)
        mainloop(self, *args)

    tk.Misc.mainloop = watched_mainloop  # type: ignore[method-assign]
    if sys.argv[1] == "bare":
        root = tk.Tk()
        entry = tk.Text(root)
        entry.pack()
        entry.focus_set()
        root.mainloop()
        return 0
    from tkinfer.__main__ import main as tkinfer_main

    return tkinfer_main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
