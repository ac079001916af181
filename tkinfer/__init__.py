"""tkinfer: a desktop chat program for language models that run on the user's own machine."""

__version__ = "0.1.0"
