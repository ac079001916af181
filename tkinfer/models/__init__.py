"""Model files: what a GGUF header says, and where models are found."""
