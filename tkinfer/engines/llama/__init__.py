"""llama.cpp through the binding's low-level API. The only package that imports `llama_cpp`.

Runs in the child. All calls come from its main thread; only the abort flag is set from another, and
token counts are asked for there. The binding's own `Llama` class is not used: its text stream costs
time that grows with the square of the answer, loses pieces over 32 bytes, and can neither be
aborted nor report progress.
"""
