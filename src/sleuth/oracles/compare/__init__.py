"""Comparison of two runs, shared by several oracles."""
