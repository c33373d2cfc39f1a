"""Comparing two runs: what several oracles share."""
