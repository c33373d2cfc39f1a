"""Labelled rows, folded so that all of them fit on a screen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleuth.views.drawing.styled import Line, Piece, Role, cut, line, padded

LABEL = 10
"""Columns of a label."""
INDENT = 2
_LEAST = 2
"""So many rows of each section are shown before others get more."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one label."""

    label: str
    rows: Sequence[Line]
    opens: str = ""
    """What to type behind `o` to see all of it."""
    more: int = 0
    """How many further rows there are that were not made."""
    rest: str = ""
    """A hint about the rows that are not shown."""


def room(width: int) -> int:
    """Return how many columns a row has."""
    return width - INDENT - LABEL


def labelled(section: Section, *, width: int) -> Iterator[Line]:
    """Yield all rows of a section."""
    for number, row in enumerate(section.rows):
        yield _with_label(section.label if not number else "", row, width)


def folded(sections: Sequence[Section], *, height: int, width: int) -> Iterator[Line]:
    """Yield the rows of all sections, on at most so many lines."""
    wanted = [section for section in sections if section.rows]
    shares = _shares([_rows(section) for section in wanted], height)
    for section, share in zip(wanted, shares, strict=True):
        yield from _folded(section, share, width)


def _rows(section: Section) -> int:
    return len(section.rows) + bool(section.more)


def _shares(wanted: Sequence[int], height: int) -> list[int]:
    """Give each its rows; if there is no room, the longest ones give way."""
    shares = [min(rows, _LEAST) for rows in wanted]
    left = height - sum(shares)
    while left > 0 and any(share < rows for share, rows in zip(shares, wanted, strict=True)):
        open_ones = [at for at, rows in enumerate(wanted) if shares[at] < rows]
        shares[min(open_ones, key=lambda at: shares[at])] += 1
        left -= 1
    for at in reversed(range(len(shares))):
        if left < 0 and shares[at] > 1:
            shares[at] -= 1
            left += 1
    return shares


def _folded(section: Section, share: int, width: int) -> Iterator[Line]:
    rows = list(section.rows)
    if _rows(section) <= share and not section.more:
        yield from labelled(section, width=width)
        return
    kept = max(share - 1, 0) if share > 1 or not rows else 1
    left = len(rows) - kept + section.more
    for number, row in enumerate(rows[:kept]):
        is_last = share == 1 and left
        shown = _and_more(row, left, width) if is_last else row
        yield _with_label(section.label if not number else "", shown, width)
    if share > 1 or not rows:
        yield _with_label("" if kept else section.label, line(_rest(section, left)), width)


def _rest(section: Section, left: int) -> Piece:
    how = f", `o {section.opens}` opens it" if section.opens else ""
    rest = f": {section.rest}" if section.rest else ""
    return Piece(f"... {left:,} more{how}{rest}", Role.DIM)


def _and_more(row: Line, left: int, width: int) -> Line:
    words = f"  ... {left:,} more"
    return (*cut(row, room(width) - len(words)), Piece(words, Role.DIM))


def _with_label(label: str, row: Line, width: int) -> Line:
    start = Piece(" " * INDENT + padded(label, LABEL - 1) + " ", Role.LABEL)
    return cut((start, *row), width)
