"""The conversation at the prompt: what can be typed, and what it does."""
