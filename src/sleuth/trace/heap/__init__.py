"""The contents of objects at any moment, and the differences between two moments."""
