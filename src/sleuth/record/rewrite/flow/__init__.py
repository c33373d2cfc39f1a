"""The flow table of a function: statements, steps, operations, wording."""
