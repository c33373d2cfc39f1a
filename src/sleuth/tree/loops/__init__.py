"""Loops as nodes: their executions, their turns, how they ended."""
