"""Origins: the operation that made a value, and the way from there."""
