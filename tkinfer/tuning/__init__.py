"""What the settings panels change: sampling, prompts, loading, presets; without a window."""
