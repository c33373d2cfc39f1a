"""The names in a function's code, read without the rest of its operations."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sleuth.trace.flow.operations import HAS_VALUE, MAKES_CODE, NAMELESS
from sleuth.trace.store.documents import checked

_OPERATIONS = 5
"""Column of a row of the table `flows`."""
_WORD = re.compile(r"\w+")
_NO_NAMES = frozenset({"compute", "make", "unpack", "other"})
"""Kinds of operations whose names are Sleuth's and not the program's."""


class Said(NamedTuple):
    """The names in the code of one function."""

    names: frozenset[str]
    """Variables, attributes, modules, names of arguments; and the words of string constants, as
    `getattr` takes an attribute's name as a string."""
    functions: tuple[int, ...]
    """Functions and class bodies defined in its own code."""


def unpacked(row: Sequence[Any]) -> Said | None:
    """Read the names in a row of the table `flows`; None: the row has no operations.

    ValueError, TypeError, LookupError: it is malformed.
    """
    if not row[_OPERATIONS]:
        return None
    forms, form_of, names, values, *_ = row[_OPERATIONS]
    kinds = [forms[at][0] for at in form_of]
    named = [kind for kind in kinds if kind not in NAMELESS]
    valued = [kind for kind in kinds if kind in HAS_VALUE]
    texts = [
        name
        for kind, name in zip(named, checked(names, [str]), strict=True)
        if kind not in _NO_NAMES and name
    ]
    made: list[int] = []
    for kind, value in zip(valued, values, strict=True):
        if kind not in MAKES_CODE:
            texts += _texts(value)
        elif type(value) is int:
            made.append(value)
    found = frozenset(word for text in dict.fromkeys(texts) for word in _WORD.findall(text))
    return Said(found, tuple(made))


def _texts(constant: object) -> Iterator[str]:
    """Yield the strings in a constant of the table; of a long one the beginning that was kept."""
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, dict):
        for inner in constant.values():
            if isinstance(inner, str):
                yield inner
            elif isinstance(inner, list):
                yield from (each for each in inner if isinstance(each, str))
