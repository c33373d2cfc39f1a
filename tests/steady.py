"""Shown text without the parts that depend on the version.

They are object numbers, gaps, cuts, and the number of changes inside objects of the library.
"""

import re


def steady(shown: str) -> list[str]:
    """Return the lines that should be the same everywhere."""
    text = re.sub(r"\S*\.\.\.", "...", re.sub(r"#\d+", "#N", shown))
    text = re.sub(r"\d+ changes inside library", "N changes inside library", text)
    return [re.sub(" +", " ", line).rstrip() for line in text.splitlines()]
