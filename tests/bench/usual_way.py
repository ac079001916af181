"""How such programs are often written: the binding's stream in a thread, one insert per token.

The other side of `overhead`, with its own window. A process of its own, with the same arguments and
lines as `bare_loop`.
"""

import json
import queue
import sys
import threading
import time
import tkinter as tk
from typing import Any

from llama_cpp import Llama

from tests.binding import avoid_amx

POLL_MS = 10


class UsualWindow:
    """A Text, a queue, and a poll that empties it."""

    def __init__(self, path: str, threads: int, context_size: int) -> None:
        avoid_amx()
        self._llama = Llama(
            path, n_ctx=context_size, n_threads=threads, n_threads_batch=threads, verbose=False
        )
        self._root = tk.Tk()
        self._text = tk.Text(self._root, wrap="word")
        self._text.pack(fill="both", expand=True)
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._times: list[float] = []

    def answer(self, question: str, tokens: int) -> dict[str, Any]:
        self._text.delete("1.0", "end")
        self._times.clear()
        worker = threading.Thread(target=self._generate, args=(question, tokens))
        worker.start()
        self._root.after(POLL_MS, self._poll)
        self._root.mainloop()
        worker.join()
        times = self._times
        rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0.0
        return {"tokens": len(times), "per_s": rate, "text": self._text.get("1.0", "end-1c")}

    def _generate(self, question: str, tokens: int) -> None:
        self._llama.reset()
        stream: Any = self._llama.create_chat_completion(
            [{"role": "user", "content": question}], temperature=0, max_tokens=tokens, stream=True
        )
        for part in stream:
            piece = part["choices"][0]["delta"].get("content")
            if piece:
                self._queue.put(piece)
        self._queue.put(None)

    def _poll(self) -> None:
        try:
            while True:
                piece = self._queue.get_nowait()
                if piece is None:
                    self._root.quit()
                    return
                self._text.insert("end", piece)
                self._text.see("end")
                self._times.append(time.perf_counter())
        except queue.Empty:
            self._root.after(POLL_MS, self._poll)


def main() -> None:
    path, threads, context_size = sys.argv[1:]
    window = UsualWindow(path, int(threads), int(context_size))
    for line in sys.stdin:
        print(json.dumps(window.answer(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
