"""Benches: what the program does in its real window, in figures.

`python -m tests.bench NAME [--json] [--quick]` runs one. Progress goes to stderr; with `--json` the
last line of stdout is one flat JSON object with the figures and the facts of the machine.

To add one: a module in this folder with a function `run(options) -> Figures` and, if the design
sets any, `BUDGETS`: a dict from a figure to `at_most(limit)` or `at_least(limit)`.
"""
