"""The difference of two texts, line by line with marks, as pytest shows it.

- the line that is in the second text only
+ the line that is in the first text only
?          ^^^^
"""

from collections.abc import Iterator
from itertools import zip_longest

from sleuth.trace.heap.alignment import hunks
from sleuth.trace.values import escaped
from sleuth.views.drawing.styled import Line, Piece, Role, counted, line, windows
from sleuth.views.drawing.styled import width as columns

_MARK = 2
"""Columns of the mark in front of a line."""


def text_rows(one: str, other: str, *, room: int, most: int) -> list[Line]:
    """Return the lines in which two texts differ, in order, and how many are left out."""
    mine, its = one.split("\n"), other.split("\n")
    rows: list[Line] = []
    told = 0
    found = hunks(mine, its)
    count = sum(max(len(first), len(second)) for first, second in found)
    for first, second in found:
        for place, (i, j) in enumerate(zip_longest(first, second)):
            block = _block(None if i is None else mine[i], None if j is None else its[j], room)
            where = _place(i, len(mine)) if i is not None else _place(j, len(its), " in -")
            start = [] if place else [where]
            if told and len(rows) + len(start) + len(block) > most:
                return [*rows, _left_out(count - told)]
            rows += [*start, *block]
            told += 1
    return rows


def _place(number: int | None, count: int, side: str = "") -> Line:
    """Name a line of the first text, or of the second one if only that has it."""
    return line(Piece(f"line {(number or 0) + 1:,} of {count:,}{side}:", Role.DIM))


def _left_out(count: int) -> Line:
    verb = "differs" if count == 1 else "differ"
    return line(Piece(f"... {counted(count, 'more line')} {verb}", Role.DIM))


def _block(one: str | None, other: str | None, room: int) -> list[Line]:
    """Return the rows for a pair of lines; None: there is no such line."""
    if one is not None and other is not None:
        return list(_pair(one, other, room - _MARK))
    is_new = one is not None
    text = (one if one is not None else other) or ""
    is_plain = text.strip() and not _is_like_a_mark(text)
    shown = windows(text if is_plain else repr(text), "", (room - _MARK, 0))[0]
    return [marked("+" if is_new else "-", shown)]


def _is_like_a_mark(text: str) -> bool:
    """Whether a line begins like a mark, so that it is shown in quotes."""
    return text[:1] in ("+", "-", "?")


def _pair(one: str, other: str, room: int) -> Iterator[Line]:
    if one.split() == other.split() or _is_like_a_mark(one) or _is_like_a_mark(other):
        one, other = repr(one), repr(other)  # else the spaces that differ could not be seen
    mine, its = windows(one, other, (room, room))
    yield marked("-", its)
    yield marked("+", mine)
    if row := pointer(mine, its):
        yield marked("?", row)


def marked(mark: str, text: str) -> Line:
    """Return a row with a mark: `-` second value, `+` first value, `?` where they differ."""
    role = {"-": Role.OLD, "+": Role.NEW}.get(mark, Role.WRONG)
    return line(Piece(f"{mark} ", role), Piece(text, role)) if text else line(Piece(mark, role))


def pointer(one: str, other: str) -> str:
    """Return a row with `^` below the characters of the first text that differ."""
    one, other = escaped(one), escaped(other)
    if one == other:
        return ""
    least = min(len(one), len(other))
    head = next((at for at in range(least) if one[at] != other[at]), least)
    tail = 0
    while tail < least - head and one[~tail] == other[~tail]:
        tail += 1
    return " " * columns(one[:head]) + "^" * max(columns(one[head : len(one) - tail]), 1)
