"""Queries over a recorded run: `calls of f where x > 3`.  The language: docs/reference/queries.md."""
