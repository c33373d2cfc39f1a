"""Text in pieces with roles, measured and cut by the columns of a terminal.

Unprintable characters become escapes, so that no recorded text can steer the terminal.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from sleuth.trace.values import escaped

MORE = "..."
_OWN_MORE = re.compile(r"\.+ *$")
"""The ellipsis at the end of a text that was cut before: it needs no second one."""
_CONTEXT = 12
"""Columns shown before the first difference of two long texts."""
_LONGEST_ESCAPE = 10
"""Characters of an escape like `\\U0001f600`."""
_JAMO = range(0x1160, 0x1200)
"""Vowels and final consonants of Korean, which join the character before them."""


class Role(Enum):
    """The meaning of a piece of text; the value is the terminal's code for its colour."""

    PLAIN = ""
    STRONG = "1"
    """The subject of the line: a function's name, a verdict."""
    LABEL = "36"
    """The word before a value: changed, returned."""
    PATH = "34"
    """A path, which can be typed behind `o` or `w`."""
    OLD = "33"
    NEW = "32"
    WRONG = "31"
    """Exceptions and guilty code."""
    DIM = "2"
    """Details for completeness."""


class Piece(NamedTuple):
    """A part of a line with one role."""

    text: str
    role: Role = Role.PLAIN


Line: TypeAlias = tuple[Piece, ...]
EMPTY: Line = ()


def counted(number: int, noun: str) -> str:
    """Return `1 call`, `2,000 calls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def line(*parts: str | Piece) -> Line:
    """Return a line of these parts; a string becomes a piece without a role."""
    return tuple(part if isinstance(part, Piece) else Piece(part) for part in parts)


def width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    if ord(sign) in _JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def width_of(pieces: Line) -> int:
    """Return the number of columns that a line takes."""
    return sum(width(escaped(piece.text)) for piece in pieces)


def fitted(text: str, room: int) -> str:
    """Return the text cut to a number of columns; an ellipsis stands for the rest."""
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


def fitted_end(text: str, room: int) -> str:
    """Return the end of the text, cut to a number of columns behind an ellipsis."""
    text = escaped(text)
    if width(text) <= room:
        return text
    if room <= len(MORE):
        return MORE[: max(room, 0)]
    return MORE + text[_back(text, len(text), room - len(MORE)) :]


def windows(first: str, second: str, rooms: tuple[int, int]) -> tuple[str, str]:
    """Return two texts cut to their rooms so that their first difference is seen in both."""
    first, second = escaped(first), escaped(second)
    short = fitted(first, rooms[0]), fitted(second, rooms[1])
    at = next(
        (at for at, (one, two) in enumerate(zip(first, second, strict=False)) if one != two),
        min(len(first), len(second)),
    )
    if first == second or all(map(_shows, (first, second), short, (at, at))):
        return short
    before = min(_CONTEXT, max((min(rooms) - 2 * len(MORE)) // 2, 0))
    start = _whole_escape(first, _back(first, at, before))
    if start <= len(MORE):
        return short
    one, two = (
        fitted(MORE + text[start:], room) for text, room in zip((first, second), rooms, strict=True)
    )
    return one, two


def _shows(text: str, short: str, at: int) -> bool:
    """Whether the character at a position, or the end of the text, is left in its short form."""
    return short == text or (text.startswith(short[: at + 1]) and at < len(short) - len(MORE))


def _back(text: str, end: int, room: int) -> int:
    """Return the position from which on the text up to `end` takes at most so many columns."""
    start, used = end, 0
    while start > 0:
        used += _columns(text[start - 1])
        if used > room:
            break
        start -= 1
    while start < end and start > 0 and not _columns(text[start]):
        start += 1  # a combining mark without its letter would join the ellipsis
    return start


def _whole_escape(text: str, start: int) -> int:
    """Return the start moved back to a backslash shortly before it, if there is one."""
    escape = text.rfind("\\", max(start - _LONGEST_ESCAPE, 0), start)
    return start if escape < 0 else escape


def padded(text: str, room: int) -> str:
    """Return the text filled with spaces up to a number of columns."""
    return text + " " * max(room - width(text), 0)


def cut(pieces: Line, room: int) -> Line:
    """Return the line cut to a number of columns."""
    found = []
    for piece in pieces:
        text = fitted(piece.text, room)
        room -= width(text)
        found.append(Piece(text, piece.role))
        if text != escaped(piece.text):
            break
    return tuple(found)


def wrapped(text: str, room: int) -> list[str]:
    """Return a sentence on as many lines as it takes, broken at spaces, and in long words."""
    lines, current = [], ""
    for word in escaped(text).split(" "):
        longer = f"{current} {word}" if current else word
        if current and width(longer) > room:
            lines.append(current)
            longer = word
        current = longer
        while width(current) > room:
            start = _fitting(current, room)
            lines.append(current[:start])
            current = current[start:]
    return [*lines, current]


def _fitting(text: str, room: int) -> int:
    """Return the number of characters, at least one, that fit into so many columns."""
    used = 0
    for position, sign in enumerate(text):
        used += _columns(sign)
        if used > room and position:
            return position
    return len(text)


def hanging(text: str, room: int, *, further: int | None = None) -> list[str]:
    """Return a sentence on several lines, which keep its indentation or have another one."""
    bare = text.lstrip(" ")
    start = " " * (len(text) - len(bare))
    indent = start if further is None else " " * further
    least = room // 2
    if len(indent) > least:
        indent = indent[:least]
    if width(escaped(text)) <= room:
        return [escaped(text)]
    first, *_ = wrapped(bare, room - len(start))
    rest = escaped(bare)[len(first) :].lstrip(" ")
    more = wrapped(rest, room - len(indent)) if rest else []
    return [start + first, *(indent + each for each in more)]


def plain(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines as text without colours."""
    for pieces in lines:
        yield "".join(escaped(piece.text) for piece in pieces).rstrip()


def coloured(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines with the terminal's codes for colours; values can't contain such codes."""
    for pieces in lines:
        yield "".join(
            f"\x1b[{piece.role.value}m{escaped(piece.text)}\x1b[0m"
            if piece.role.value
            else escaped(piece.text)
            for piece in pieces
        )
