"""The entry: `tkinfer [FILE.gguf]`. Checks what is needed, then opens the window."""

import sys
from importlib import import_module
from importlib.util import find_spec

ENGINE_WORKER = "--engine-worker"
"""In a frozen program the engine process is this program, started with this argument."""


def main(arguments: list[str] | None = None) -> int:
    """Run the program; return its exit code. Called on the main thread."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == [ENGINE_WORKER]:
        from tkinfer.engines.worker import main as worker_main  # the child's own

        worker_main()
        return 0
    model = parse(given) if given else None
    problem = missing()
    if problem is not None:
        return complain(problem)
    from tkinfer.app import run  # only now is it known that tkinter is there
    from tkinfer.errors import SetupError

    try:
        return run(model)
    except SetupError as error:
        return complain(str(error))


def parse(arguments: list[str]) -> str | None:
    """The model to open; `--help`, `--version` and errors end the program."""
    import argparse  # 10 ms, and a double click gives no arguments

    from tkinfer import __version__

    parser = argparse.ArgumentParser(
        prog="tkinfer",
        description="Chat with a language model that runs on this computer, in a window that never "
        "freezes.",
    )
    parser.add_argument("model", nargs="?", metavar="FILE.gguf", help="the model to open")
    parser.add_argument("--version", action="version", version=f"tkinfer {__version__}")
    return parser.parse_args(arguments).model


def missing() -> str | None:
    """The first thing that must be installed, as one line; None when all is there."""
    try:
        import_module("tkinter")  # not only looked up: its library may be missing behind it
    except ImportError:
        return (
            "tkinfer needs Tk for Python: install the package python3-tk (Debian, Ubuntu), "
            "tk (Arch), python-tk (Homebrew) or python3-tkinter (Fedora)."
        )
    for module, package in (
        ("llama_cpp", "llama-cpp-python"),
        ("pykka", "pykka"),
        ("jinja2", "jinja2"),
        ("platformdirs", "platformdirs"),
        ("tomli_w", "tomli-w"),
    ):
        if find_spec(module) is None:
            return f"tkinfer needs the package {package}: run 'pip install {package}'."
    return None


def complain(line: str) -> int:
    """Say it where it can be seen; return the exit code 1."""
    if sys.stderr is not None:  # it is None under pythonw
        print(f"tkinfer: {line}", file=sys.stderr)  # there is no window to say it in
    return 1


if __name__ == "__main__":
    sys.exit(main())
