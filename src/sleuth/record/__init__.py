"""Turns one run of a Python program into a trace, without the program noticing."""
