"""Long values broken into rows: where they are nested the least, in quoted texts only if needed.

No sign is left out where a row ends, so the rows joined together are the value.
"""

import re
from collections.abc import Iterator

from sleuth.views.drawing.styled import MORE, fitted
from sleuth.views.drawing.styled import width as columns

_QUOTES = "'\""
_OPENING, _CLOSING = "([{<", ")]}>"
_CLOSED = re.compile(r"[\[{(][\d,]+ items?[)}\]]")
_NOWHERE = 1_000
"""The rank of a place where a value is not broken."""
_BEHIND = {",": 0, ":": 16, "=": 16}
"""How bad it is to break behind a sign: a value is not parted from its key."""
_COUNTED = ("item", "items", "more", "nan", "more>", "items]", "items}", "items)", "->", "= ")
"""Words that stay beside the number before them."""


def broken(text: str, room: int, *, further: int = 1) -> list[str]:
    """Return a value on as many rows as it takes; rows behind the first are indented."""
    rows: list[str] = []
    ranks = _ranks(text)
    start = 0
    while start < len(text):
        indent = " " * (further if rows else 0)
        end = _end(text, start, max(room - len(indent), 1), ranks)
        rows.append(indent + text[start:end])
        start = end
    return [row.rstrip(" ") for row in rows] or [""]


def limited(rows: list[str], most: int, room: int) -> list[str]:
    """Return the first rows; the last one ends with an ellipsis if there were more."""
    if len(rows) <= most:
        return rows
    last = rows[most - 1]
    is_short = columns(last) + len(MORE) < room
    return [*rows[: most - 1], f"{last} {MORE}" if is_short else fitted(last + "." * room, room)]


def is_short(text: str) -> bool:
    """Whether a drawn value was cut, or something is left out of it."""
    return MORE in text or bool(_CLOSED.search(text))


def _end(text: str, start: int, room: int, ranks: list[int]) -> int:
    """Return where a row ends that begins at a position: where the value is nested the least."""
    used, end = 0, start
    while end < len(text) and used + columns(text[end]) <= room:
        used += columns(text[end])
        end += 1
    end = max(end, start + 1)
    if end == len(text):
        return end
    # A space that does not fit any more is not seen at the end of a row.
    last = end + 1 if text[end] == " " else end
    for part in (2, 4):
        places = range(last, start + (end - start) // part, -1)
        best = min(places, key=lambda at: ranks[at], default=last)
        if ranks[best] < _NOWHERE:
            return best
    while end > start + 1 and " " in text[end - 1 : end + 1]:
        end -= 1  # at the end of a row a space of a text is not seen
    return end


def _ranks(text: str) -> list[int]:
    """Return for each position how bad it is to break before it: how deep it is nested."""
    ranks = [_NOWHERE] * (len(text) + 2)
    depth = 0
    for at in _outside(text):
        sign = text[at]
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth = max(depth - 1, 0)
        elif sign == " " and not text.startswith(_COUNTED, at + 1):
            ranks[at + 1] = 2 * depth + _BEHIND.get(text[at - 1 : at], 1)
    return ranks


def _outside(text: str) -> Iterator[int]:
    """Yield the positions that are in no quoted text."""
    quote, is_escaped = "", False
    for at, sign in enumerate(text):
        if quote:
            if is_escaped:
                is_escaped = False
            elif sign == "\\":
                is_escaped = True
            elif sign == quote:
                quote = ""
        elif sign in _QUOTES:
            quote = sign
        else:
            yield at
