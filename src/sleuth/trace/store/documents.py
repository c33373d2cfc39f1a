"""JSON documents in a trace, read and checked against patterns.

A pattern is `str`, `bool`, or a range of numbers; a list of one pattern, for a list of such items;
a tuple, for a list with one item of each; a dict with these keys, of which those that begin with ?
are optional; or `Rows`, for many rows of numbers.  Anything else is refused with a ValueError, so
that no reader has to check again.
"""

import json
from itertools import chain
from typing import Any, NamedTuple, TypeAlias


class Rows(NamedTuple):
    """A list of rows, each a list of `width` numbers."""

    width: int
    numbers: range


Pattern: TypeAlias = "type | range | Rows | list[Any] | tuple[Any, ...] | dict[str, Any]"

ID = range(1 << 23)
"""Numbers of functions, sites and modules; bounded, as some arrays have an item for each."""
COUNT = range(1 << 53)
"""Moments, calls, rows, processes."""
_ANY = range(1 << 64)
_LINE = range(-1, 1 << 22)
_SPAN = (_LINE,) * 4

NOTES: Pattern = [(COUNT, range(256), _ANY, range(256), str)]
FUNCTION: Pattern = (
    *(ID, str, str, str, _LINE, _LINE, str, [str], Rows(5, range(-1, 1 << 31)), [str], [str]),
    [(str, _LINE)],
)
WORDING: Pattern = {
    "?digest": str,
    "?annotations": [str],
    "?defaults": [str],
    "?returns": str,
    "?decorators": [(str, _LINE, _LINE, str)],
    "?digests": [(ID, str)],
    "?conditions": [(ID, *_SPAN)],
}
"""The wording of a function: see `wording.Wording`."""
SITE: Pattern = (ID, ID, str, str, *_SPAN, ID)
_CHECK: Pattern = (_SPAN, str, str, [(str, _SPAN, str, bool)])
MODULE: Pattern = {
    "name": str,
    "path": str,
    "reason": str,
    "encoding": str,
    "?foreign": bool,
    "?own": bool,
    "?test": bool,
    "?checks": [_CHECK],
    "?template": {"name": str, "lines": [(_LINE, _LINE)], "names": [(str, str)]},
}
PROCESS: Pattern = {"pid": COUNT, "how": str}
META: dict[str, Pattern] = {
    "language": str,
    "cwd": str,
    "started": str,
    "argv": [str],
    "options": [str],
    "pid": COUNT,
    "test": {"id": str, "?outcome": str},
    "ending": {"how": str},
    "complete": bool,
}
"""Keys that are read; a recorder may write more."""

_FREE_ITEMS = 400_000
"""Items that any document may have, plus one for each byte that it has in the file."""


def read(text: str | bytes, *, packed: int | None = None) -> Any:
    """Parse JSON; packed: its size in the file, if it is compressed.

    A few bytes can unpack to very many brackets, each of which takes a hundred bytes of memory.
    """
    if packed is not None:
        plain = text.encode("utf-8", "replace") if isinstance(text, str) else text
        if sum(map(plain.count, (b",", b"[", b"{"))) > _FREE_ITEMS + packed:
            raise ValueError("it says more than so few bytes can say")
    return json.loads(text, parse_constant=_refused)


def _refused(word: str) -> None:
    raise ValueError(f"{word} is no number")


def checked(found: Any, pattern: Pattern) -> Any:
    """Return a document that matches a pattern; ValueError: it does not."""
    if not _fits(found, pattern):
        raise ValueError(f"{str(found)[:60]} is of another form")
    return found


def _fits(found: Any, pattern: Pattern) -> bool:
    match pattern:
        case range():
            return type(found) is int and found in pattern
        case Rows(width, numbers):
            return isinstance(found, list) and _are_rows(found, width, numbers)
        case list():
            return isinstance(found, list) and all(_fits(each, pattern[0]) for each in found)
        case tuple():
            is_long = isinstance(found, list) and len(found) == len(pattern)
            return is_long and all(map(_fits, found, pattern))
        case dict():
            return isinstance(found, dict) and all(
                _fits(found[key.removeprefix("?")], inner)
                if key.removeprefix("?") in found
                else key.startswith("?")
                for key, inner in pattern.items()
            )
    return type(found) is pattern


def _are_rows(found: list[Any], width: int, numbers: range) -> bool:
    """Whether all items are rows of numbers; fast, as there can be a million."""
    if not set(map(type, found)) <= {list} or not set(map(len, found)) <= {width}:
        return False
    flat = list(chain.from_iterable(found))
    return set(map(type, flat)) <= {int} and (
        not flat or (min(flat) in numbers and max(flat) in numbers)
    )
