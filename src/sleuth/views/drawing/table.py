"""Frames and arrays of two dimensions, drawn with a row for each row and all their cells.

day         shop      count
0  2024-01-03  'North'   10
1  2024-01-03  'North '  2
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sleuth.trace.heap.arrays import fact, layout
from sleuth.trace.path import text_of
from sleuth.trace.values import Atom, Part, Shape, Value, escaped
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line, padded
from sleuth.views.drawing.styled import width as columns

_WIDEST_CELL = 24
_GAP = 2
_DIMENSIONS = 2
_MIDNIGHT = "T00:00:00"


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a frame or of an array."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    """The types of the columns, as far as they are known."""
    rows: tuple[tuple[Value, ...], ...]
    """The rows that are kept."""
    count: int
    """The number of all rows."""

    @property
    def size(self) -> str:
        """The number of rows and columns."""
        return f"{counted(self.count, 'row')}, {counted(len(self.names), 'column')}"


def table_of(shape: Shape) -> Table | None:
    """Return the cells of an object; None: it is neither a frame nor such an array."""
    places, items, summary = layout(shape), shape.part("sequence"), shape.part("summary")
    if places is None or items is None or summary is None:
        return None
    if places.columns is not None:
        names = tuple(text_of(name) or name for name in places.columns)
    elif len(places.lengths) == _DIMENSIONS:
        names = tuple(map(str, range(places.lengths[1])))
    else:
        return None
    if not names or len(items.items) < len(names):
        return None
    size = len(names)
    whole = len(items.items) // size
    rows = tuple(items.items[at * size : (at + 1) * size] for at in range(whole))
    types = tuple(_type(summary, name) for name in names)
    return Table(names, types, rows, items.full_length // size)


def _type(summary: Part, name: str) -> str:
    for words in (f"dtype of {name}", "dtype"):
        value = fact(summary, words)
        if isinstance(value, Atom):
            return escaped(str(value.content))
    return ""


def table_lines(table: Table, pictures: Pictures, at: int, room: int, some: slice) -> list[Line]:
    """Return some rows of a table below the names of its columns."""
    rows, first = table.rows[some], some.start or 0
    label = columns(f"{first + len(rows):,}") + _GAP
    cells = [
        _column([row[number] for row in rows], table.types[number], pictures, at)
        for number in range(len(table.names))
    ]
    names = [fitted(name, _WIDEST_CELL) for name in table.names]
    widths = [max(map(columns, (name, *texts))) for name, texts in zip(names, cells, strict=True)]
    kept = _fitting(widths, room - label)
    left = len(names) - len(kept)
    note = f"({counted(left, 'column')} left out)" if left else ""
    head = " " * label + _joined([names[number] for number in kept], [widths[n] for n in kept])
    found = [line(Piece(head, Role.DIM))]
    for position in range(len(rows)):
        texts = [cells[number][position] for number in kept]
        start = padded(f"{first + position:,}", label)
        joined = _joined(texts, [widths[number] for number in kept])
        found.append(line(Piece(start, Role.DIM), joined))
    return [*found, line(Piece(note, Role.DIM))] if note else found


def _column(values: Sequence[Value], kind: str, pictures: Pictures, at: int) -> list[str]:
    """Return the cells of a column; moments as pandas writes them."""
    if kind.startswith("datetime64") and all(_is_text(value) for value in values):
        texts = [str(value.content) for value in values if isinstance(value, Atom)]
        texts = [text.rstrip("0").rstrip(".") if "." in text else text for text in texts]
        is_day = all(text.endswith(_MIDNIGHT) for text in texts)
        ends = [text.removesuffix(_MIDNIGHT) if is_day else text for text in texts]
        return [fitted(text.replace("T", " "), _WIDEST_CELL) for text in ends]
    return [pictures.short(value, at, _WIDEST_CELL) for value in values]


def _is_text(value: Value) -> bool:
    return isinstance(value, Atom) and isinstance(value.content, str)


def _fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return the numbers of the columns for which there is room, at least one."""
    kept: list[int] = []
    for number, width in enumerate(widths):
        room -= width + (_GAP if kept else 0)
        if room < 0 and kept:
            break
        kept.append(number)
    return kept


def _joined(texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = zip(texts, widths, strict=True)
    return "".join(padded(text, width + _GAP) for text, width in cells).rstrip()
