"""How the parameters of a function are passed, as the head of its source says."""

import io
import tokenize
from collections.abc import Sequence
from enum import Enum

_OPENING, _CLOSING = "([{", ")]}"


class Passing(Enum):
    """How an argument is written where the function is called."""

    BY_PLACE = "by place"
    BY_NAME = "by name"
    ALL_PLACES = "all further places"
    """`*args`"""
    ALL_NAMES = "all further names"
    """`**kwargs`"""


def passing(lines: Sequence[str]) -> dict[str, Passing] | None:
    """Return how each parameter is passed, in the order of the head; None: it can't be read.

    The lines are those of the function, its decorators included.
    """
    found: dict[str, Passing] = {}
    then, stars = Passing.BY_PLACE, ""
    is_name_next = True
    for text, kind, depth in _head(lines):
        if depth == 1 and text == ",":
            if stars == "*":  # alone
                then = Passing.BY_NAME
            is_name_next, stars = True, ""
        elif depth == 1 and is_name_next and text in ("*", "**"):
            stars = text
        elif depth == 1 and is_name_next and kind == tokenize.NAME:
            found[text] = {"*": Passing.ALL_PLACES, "**": Passing.ALL_NAMES}.get(stars, then)
            if stars == "*":
                then = Passing.BY_NAME
            is_name_next, stars = False, ""
    return found or None


def _head(lines: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the tokens between the brackets of `def name(...)`, each with how deep it stands."""
    source = io.StringIO("\n".join(lines) + "\n")
    found: list[tuple[str, int, int]] = []
    depth, is_def = 0, False
    try:
        for token in tokenize.generate_tokens(source.readline):
            if not is_def:
                is_def = token.string == "def"
                continue
            depth -= token.string in _CLOSING and token.type == tokenize.OP
            if depth:
                found.append((token.string, token.type, depth))
            elif found or (token.string == ")" and token.type == tokenize.OP):
                break
            depth += token.string in _OPENING and token.type == tokenize.OP
    except (tokenize.TokenError, SyntaxError):
        pass  # what follows the head may be cut
    return found
