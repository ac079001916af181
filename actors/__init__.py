"""The streaming core: bounded mailboxes, credit, and the actors that carry an answer to the screen.

Nothing in this package imports tkinter, llama_cpp or tkinfer; import-linter keeps it so.
"""
