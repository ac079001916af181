"""The error tree: what can go wrong, said to the user, with the next step.

TkinferError
├── SetupError            something that must be installed is missing
├── ModelError            a model can't be loaded
│   ├── ModelFileError      the file itself is not usable
│   └── ModelLoadError      llama.cpp refused it
├── PromptError           this request can't be answered as it is
├── EngineError           the engine process broke
└── SettingsError         the settings can't be read or written
"""


class TkinferError(Exception):
    """Base of all: `what` happened and to which file or server, and the `next_step` for the user.

    `detail` is for the log and the details view, such as the last lines of llama.cpp's log.
    """

    def __init__(self, what: str, next_step: str = "", detail: str = "") -> None:
        super().__init__(what, next_step, detail)
        self.what = what
        self.next_step = next_step
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}".strip()


class SetupError(TkinferError):
    """A package or a display is missing. Installing it helps."""


class ModelError(TkinferError):
    """A model can't be loaded. Trying again unchanged will fail again."""


class ModelFileError(ModelError):
    """The file is missing, no GGUF file, or incomplete."""


class ModelLoadError(ModelError):
    """llama.cpp refused the model: unknown architecture, not enough memory."""


class PromptError(TkinferError):
    """The request can't be answered as it is, such as a prompt longer than the context."""


class EngineError(TkinferError):
    """The engine process crashed or can't be started. Sending again starts a fresh one."""


class SettingsError(TkinferError):
    """The settings file can't be read or written."""
