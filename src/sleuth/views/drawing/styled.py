"""Text in pieces with roles; the code that prints it chooses the colours.

Nothing leaves here that could steer a terminal: what is not printable is shown as an escape.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from sleuth.trace.values import escaped

WIDTH = 80
MORE = "..."
_OWN_MORE = re.compile(r"\.+ *$")
"""A text that is cut behind its own ellipsis needs no second one."""


class Role(Enum):
    """What a piece of text is; the value is how a terminal is asked to show it."""

    PLAIN = ""
    STRONG = "1"
    """What the line is about: a function's name, a verdict."""
    LABEL = "36"
    """Says what follows: changed, returned."""
    PATH = "34"
    """Can be typed behind `o` or `w`."""
    OLD = "33"
    NEW = "32"
    WRONG = "31"
    """Exceptions, what is guilty."""
    DIM = "2"
    """Said for completeness."""


class Piece(NamedTuple):
    """Some text on one line."""

    text: str
    role: Role = Role.PLAIN


Line: TypeAlias = tuple[Piece, ...]
EMPTY: Line = ()


def line(*parts: str | Piece) -> Line:
    """Return a line of these parts; plain text becomes a piece."""
    return tuple(part if isinstance(part, Piece) else Piece(part) for part in parts)


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def width_of(pieces: Line) -> int:
    """Return how many columns a line takes."""
    return sum(width(escaped(piece.text)) for piece in pieces)


def fitted(text: str, room: int) -> str:
    """Return a text that takes at most so many columns; an ellipsis stands for what was cut."""
    text = escaped(text)
    if width(text) <= room:
        return text
    if room <= len(MORE):
        return MORE[: max(room, 0)]
    room -= len(MORE)
    used = 0
    for position, sign in enumerate(text):
        used += _columns(sign)
        if used > room:
            return _OWN_MORE.sub("", text[:position]) + MORE
    return text


def padded(text: str, room: int) -> str:
    """Return a text with spaces behind it."""
    return text + " " * max(room - width(text), 0)


def cut(pieces: Line, room: int) -> Line:
    """Return a line that takes at most so many columns."""
    found = []
    for piece in pieces:
        text = fitted(piece.text, room)
        room -= width(text)
        found.append(Piece(text, piece.role))
        if text != escaped(piece.text):
            break
    return tuple(found)


def wrapped(text: str, room: int) -> list[str]:
    """Return a sentence on as many lines as it takes, broken at spaces."""
    lines, current = [], ""
    for word in escaped(text).split(" "):
        longer = f"{current} {word}" if current else word
        if current and width(longer) > room:
            lines.append(current)
            longer = word
        current = longer
    return [fitted(each, room) for each in (*lines, current)]


def plain(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines as text alone."""
    for pieces in lines:
        yield "".join(escaped(piece.text) for piece in pieces).rstrip()


def coloured(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines with the escapes that ask a terminal for colours; values hold none of them."""
    for pieces in lines:
        yield "".join(
            f"\x1b[{piece.role.value}m{escaped(piece.text)}\x1b[0m"
            if piece.role.value
            else escaped(piece.text)
            for piece in pieces
        )
