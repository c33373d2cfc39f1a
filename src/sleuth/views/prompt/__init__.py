"""The conversation at the prompt: its commands, their handlers, and its messages."""
