"""Loops as nodes: their executions, their turns, and how they ended."""
