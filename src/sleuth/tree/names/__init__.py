"""The names that a person knows calls and values by."""
