"""The layout of rows: under labels, beside names, below long paths; folded to fit a screen."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sleuth.views.drawing.styled import (
    MORE,
    Line,
    Piece,
    Role,
    cut,
    fitted,
    line,
    padded,
    width_of,
    wrapped,
)
from sleuth.views.drawing.styled import width as columns

CONTINUED = Piece("")
"""Begins a row that belongs to the one above it."""
_NARROW = 60
"""Columns with fewer than which labels stand above their rows."""
LABEL = 10
"""Columns of a label."""
INDENT = 2
_LEAST = 2
"""Rows of each section that are shown before other sections get more."""
_FURTHER = 2
"""Columns by which what follows on a line below is indented."""
_LEAST_ROOM = 8
"""Columns without which nothing can stand beside a path."""
_LEAST_CALL = 30
"""Columns that a call needs on the line of something else."""
_LEAST_TEXT = 24
"""Columns that a text beside a name needs; with less it stands below the name."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one label."""

    label: str
    rows: Sequence[Line]
    opens: str = ""
    """The argument of `o` that shows all of it."""
    more: int = 0
    """The number of further rows that were not made."""
    rest: str = ""
    """A hint about the rows that are not shown."""


def is_narrow(width: int) -> bool:
    """Whether labels stand above their rows, as there is too little room beside them."""
    return width < _NARROW


def room(width: int) -> int:
    """Return the columns of a row beside, or below, its label."""
    return width - 2 * INDENT if is_narrow(width) else width - INDENT - LABEL


def labelled(label: str, rows: Sequence[Line], width: int) -> Iterator[Line]:
    """Yield rows with their label."""
    if _is_above(rows, width):
        yield line(" " * INDENT, Piece(label, Role.LABEL))
        yield from (cut((Piece(" " * 2 * INDENT), *row), width) for row in rows)
        return
    for number, row in enumerate(rows):
        text = padded(label if not number else "", LABEL - 1)
        yield cut((Piece(f"{' ' * INDENT}{text} ", Role.LABEL), *row), width)


def _is_above(rows: Sequence[Line], width: int) -> bool:
    """Whether a label stands above its rows."""
    is_one = len(rows) == 1 and width_of(rows[0]) <= width - INDENT - LABEL
    return bool(rows) and is_narrow(width) and not is_one


def fitting(ways: Sequence[Sequence[Section]], *, height: int, width: int) -> list[Section]:
    """Return each section drawn with as many lines as possible, so that no other one is folded.

    The first way to draw the sections takes the least lines, the last one the most.  A section that
    is folded even when it is drawn the first way stays as it is.
    """
    best = list(ways[0])
    long = _too_long(best, height, width)
    for way in ways[1:]:
        for at, section in enumerate(way):
            tried = [*best[:at], section, *best[at + 1 :]]
            if at not in long and not _too_long(tried, height, width) - long:
                best = tried
    return best


def _too_long(sections: Sequence[Section], height: int, width: int) -> set[int]:
    """Return the numbers of the sections that are folded."""
    wanted = [_rows(section, width) for section in sections]
    shares = _shares(wanted, height)
    return {at for at, share in enumerate(shares) if share < wanted[at]}


def folded(sections: Sequence[Section], *, height: int, width: int) -> Iterator[Line]:
    """Yield the rows of all sections, on a limited number of lines."""
    wanted = [section for section in sections if section.rows]
    shares = _shares([_rows(section, width) for section in wanted], height)
    for section, share in zip(wanted, shares, strict=True):
        yield from _folded(section, share, width)


def _rows(section: Section, width: int) -> int:
    return len(section.rows) + bool(section.more) + _is_above(section.rows, width)


def _shares(wanted: Sequence[int], height: int) -> list[int]:
    """Return the rows of each section; where there are too many, the longest sections get less."""
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
    if _rows(section, width) <= share and not section.more:
        yield from labelled(section.label, rows, width)
        return
    share = max(share - _is_above(rows, width), 1)
    kept = max(share - 1, 0) if share > 1 or not rows else 1
    while kept > 1 and rows[kept:] and rows[kept][:1] == (CONTINUED,):
        kept -= 1  # no row is shown without those that belong to it
    left = sum(row[:1] != (CONTINUED,) for row in rows[kept:]) + section.more
    if share == 1 and rows:
        shown = _and_more(rows[0], left, width) if left else rows[0]
        yield from labelled(section.label, [cut(shown, width - INDENT - LABEL)], width)
        return
    rest = [line(Piece(each, Role.DIM)) for each in _hint(section, left, room(width))]
    yield from labelled(section.label, [*rows[:kept], *rest], width)


def _hint(section: Section, left: int, room: int) -> list[str]:
    """Say how many rows are left out and what opens them; on one line also what they are."""
    how = f", `o {section.opens}` opens it" if section.opens else ""
    words = f"... {left:,} more{how}"
    longer = f"{words}: {section.rest}" if section.rest else words
    return [fitted(longer, room)] if columns(words) <= room else wrapped(words, room)


def _and_more(row: Line, left: int, width: int) -> Line:
    words = f"  ... {left:,} more"
    return (*cut(row, width - INDENT - LABEL - len(words)), Piece(words, Role.DIM))


def table(
    rows: Sequence[tuple[str, str]], width: int, *, indent: int = INDENT, gap: int = 2
) -> Iterator[str]:
    """Yield names with a text beside each, or below it where the terminal is narrow."""
    column = indent + max((columns(name) for name, _ in rows), default=0) + gap
    is_below = width - column < _LEAST_TEXT
    start = indent + _FURTHER if is_below else column
    for name, text in rows:
        head = " " * indent + name
        first, *rest = wrapped(text, width - start)
        if is_below:
            yield from (head, *(" " * start + each for each in (first, *rest) if each))
        else:
            yield from ((padded(head, column) + first).rstrip(), *(" " * start + e for e in rest))


def beside(
    head: Line, text: Callable[[int], str], width: int, *, role: Role = Role.DIM
) -> list[Line]:
    """Return a text made for the columns right of a head; below it if these are too few."""
    left = width - width_of(head)
    if left >= _LEAST_CALL:
        return [(*head, Piece(text(left), role))]
    indent = 2 * INDENT
    return [head, line(" " * indent, Piece(text(width - indent), role))]


def under_path(
    path: str, room: int, rows: Callable[[int], Sequence[Line]], *, column: int = 0
) -> list[Line]:
    """Return a path with rows beside it, or above them where it leaves too little room.

    A path is never cut: it is what the user types, and what tells the rows apart.
    """
    start = Piece(padded(path, column), Role.PATH)
    left = room - columns(start.text)
    made = rows(left) if left >= _LEAST_ROOM else ()
    is_one = len(made) == 1 and _is_whole(made, left)
    if made and (left >= _LEAST_TEXT or is_one):
        indent = Piece(" " * columns(start.text))
        return [(start, *made[0]), *((CONTINUED, indent, *row) for row in made[1:])]
    first, *rest = (Piece(each, Role.PATH) for each in wrapped(path.rstrip(" "), room))
    indent = Piece(" " * _FURTHER)
    below = [(indent, *_without_gap(row)) for row in rows(room - _FURTHER)]
    return [(first,), *((CONTINUED, *row) for row in (*((each,) for each in rest), *below))]


def _is_whole(rows: Sequence[Line], room: int) -> bool:
    """Whether nothing of these rows had to be cut."""
    return all(
        width_of(row) <= room and not any(MORE in piece.text for piece in row) for row in rows
    )


def _without_gap(row: Line) -> Line:
    """Return the row without the spaces that part it from the path before it."""
    first, *rest = row
    return (first._replace(text=first.text.lstrip(" ")), *rest)
