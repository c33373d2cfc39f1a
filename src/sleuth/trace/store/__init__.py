"""The trace as a file: its tables, how they are written, read and checked."""
