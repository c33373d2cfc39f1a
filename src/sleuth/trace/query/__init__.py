"""Queries over a recorded run, such as `calls of f where x > 3`: docs/reference/queries.md."""
