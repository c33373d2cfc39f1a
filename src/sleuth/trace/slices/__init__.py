"""Slices of a run: the code that a value depends on."""
