"""Locations that a path points at, and what was written to them."""
