"""What is shown, without what depends on the version: numbers of objects, gaps, where it is cut."""

import re


def steady(shown: str) -> list[str]:
    """Return the lines that should be the same everywhere."""
    text = re.sub(r"\S*\.\.\.", "...", re.sub(r"#\d+", "#N", shown))
    return [re.sub(" +", " ", line).rstrip() for line in text.splitlines()]
