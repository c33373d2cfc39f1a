"""Shown text without the parts that depend on the version: object numbers, gaps, cuts."""

import re


def steady(shown: str) -> list[str]:
    """Return the lines that should be the same everywhere."""
    text = re.sub(r"\S*\.\.\.", "...", re.sub(r"#\d+", "#N", shown))
    return [re.sub(" +", " ", line).rstrip() for line in text.splitlines()]
