"""The difference of two tables: the rows that differ, with marks below the cells that changed.

             item      price
    - row 1  'coffee'  4.0
    + row 1  'coffee'  3.0
    ?                  ^^^

Lists of dicts, of tuples and of objects of one class are tables, and so are arrays of two
dimensions and pandas' frames.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from sleuth.trace.heap.alignment import hunks
from sleuth.trace.heap.contrast import contrast, equal_key, key_words
from sleuth.trace.heap.nested import Nested
from sleuth.trace.values import Atom, escaped
from sleuth.views.drawing.line_difference import marked
from sleuth.views.drawing.styled import Line, Piece, Role, counted, line, padded, windows
from sleuth.views.drawing.styled import width as columns

Draw = Callable[[Nested, int], str]
"""Returns a value as text for a number of columns."""
_WIDEST_CELL = 24
_NARROWEST_CELL = 8
_MOST_COLUMNS = 60
_GAP = 2
_ROW = "row "
_DIMENSIONS = 2


@dataclass(frozen=True, slots=True)
class _Grid:
    """A value as a table."""

    names: tuple[str, ...]
    rows: tuple[tuple[Nested, ...], ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of one table, of the other, or of both, and the columns in which they differ."""

    number: tuple[int | None, int | None]
    cells: tuple[tuple[Nested, ...] | None, tuple[Nested, ...] | None]
    changed: frozenset[int]


def table_rows(
    one: Nested, other: Nested, draw: Draw, *, room: int, most: int
) -> list[Line] | None:
    """Return the rows in which two tables differ; None: they are no tables, or have no room."""
    grids = _grid(one), _grid(other)
    if grids[0] is None or grids[1] is None or grids[0].names != grids[1].names:
        return None
    rows = _differing(grids[0], grids[1])
    height = max((most - 1) // 3, 1)
    shown = rows[:height]
    drawn = _Drawn(grids[0].names, shown, draw, room)
    if not shown or not drawn.is_fitting:
        return None
    lines = drawn.lines()
    if left := len(rows) - len(shown):
        verb = "differs" if left == 1 else "differ"
        lines.append(line(Piece(f"... {counted(left, 'more row')} {verb}", Role.DIM)))
    return lines


def _differing(one: _Grid, other: _Grid) -> list[_Row]:
    """Return the rows that differ, in order; rows that moved are aligned."""
    keys = [[tuple(map(equal_key, row)) for row in grid.rows] for grid in (one, other)]
    found = []
    for first, second in hunks(keys[0], keys[1]):
        for i, j in zip_longest(first, second):
            mine = None if i is None else one.rows[i]
            its = None if j is None else other.rows[j]
            changed: frozenset[int] = frozenset()
            if mine is not None and its is not None:
                pairs = enumerate(zip(mine, its, strict=True))
                changed = frozenset(at for at, pair in pairs if contrast(*pair).count)
                if not changed:
                    continue  # they differ at most in what was not recorded
            found.append(_Row((i, j), (mine, its), changed))
    return found


class _Drawn:
    """Some rows, drawn in columns that are wide enough for them."""

    def __init__(self, names: Sequence[str], rows: Sequence[_Row], draw: Draw, room: int) -> None:
        self._names = names
        self._room = room
        self._rows = rows
        self._draw = draw
        self._label = max((columns(_label(row)) for row in rows), default=0) + _GAP
        self._cells = [self._texts(row) for row in rows]
        self._widths = [self._width(at) for at in range(len(names))]
        self._kept = self._chosen(room - 2 - self._label)

    @property
    def is_fitting(self) -> bool:
        """Whether there is room for the cells that changed."""
        return bool(self._kept)

    def _texts(self, row: _Row) -> tuple[list[str], list[str]]:
        """Return the cells of both tables; those that changed around their first difference."""
        mine, its = row.cells
        both: tuple[list[str], list[str]] = ([], [])
        for at in range(len(self._names)):
            pair = ["" if side is None else self._draw(side[at], 400) for side in (mine, its)]
            cut = windows(pair[0], pair[1], (_WIDEST_CELL, _WIDEST_CELL))
            both[0].append(cut[0])
            both[1].append(cut[1])
        return both

    def _width(self, at: int) -> int:
        texts = [side[at] for cells in self._cells for side in cells]
        return max(map(columns, (*texts, self._name(at))))

    def _name(self, at: int) -> str:
        return windows(self._names[at], "", (_WIDEST_CELL, 0))[0]

    def _chosen(self, room: int) -> list[int]:
        """Return the columns that are shown: those that changed, then others from the left."""
        changed = sorted(frozenset().union(*(row.changed for row in self._rows)))
        others = [at for at in range(len(self._names)) if at not in changed]
        kept: list[int] = []
        left = room
        for at in (*changed, *others):
            left -= self._widths[at] + (_GAP if kept else 0)
            if left >= 0:
                kept.append(at)
            elif at in changed:
                return []
            else:
                break
        return sorted(kept)

    def lines(self) -> list[Line]:
        """Return the head and the rows."""
        rows = self._head()
        for row, cells in zip(self._rows, self._cells, strict=True):
            label = padded(_label(row), self._label)
            for mark, side in (("-", 1), ("+", 0)):
                if row.cells[side] is not None:
                    texts = self._joined([cells[side][at] for at in self._kept])
                    rows.append(marked(mark, (label + texts).rstrip()))
            if row.changed:
                signs = [
                    "^" * max(columns(cells[0][at]), 1) if at in row.changed else ""
                    for at in self._kept
                ]
                pointers = (" " * self._label + self._joined(signs)).rstrip()
                rows.append(marked("?", pointers))
        return rows

    def _head(self) -> list[Line]:
        """Return the names of the columns, and how many are left out."""
        start = " " * (2 + self._label)
        left = len(self._names) - len(self._kept)
        note = f"({counted(left, 'column')} left out)" if left else ""
        head = (start + self._joined([self._name(at) for at in self._kept])).rstrip()
        if left and columns(head) + _GAP + len(note) > self._room:
            return [line(Piece(each, Role.DIM)) for each in (start + note, head)]
        return [line(Piece(f"{head}  {note}".rstrip(), Role.DIM))]

    def _joined(self, texts: Sequence[str]) -> str:
        cells = zip(texts, self._kept, strict=True)
        return "".join(padded(text, self._widths[at] + _GAP) for text, at in cells).rstrip()


def _label(row: _Row) -> str:
    number = row.number[0] if row.number[0] is not None else row.number[1]
    return f"{_ROW}{number or 0:,}"


# --- Values as tables ----------------------------------------------------------------------------


def _grid(value: Nested) -> _Grid | None:
    """Return a value as a table; None: it is none."""
    grid = _array(value) if value.layout is not None else _listed(value)
    return grid if grid is not None and 0 < len(grid.names) <= _MOST_COLUMNS else None


def _array(value: Nested) -> _Grid | None:
    part, layout = value.part("sequence"), value.layout
    if part is None or layout is None:
        return None
    names = layout.columns
    if names is None and len(layout.lengths) == _DIMENSIONS:
        names = tuple(f"[{column}]" for column in range(layout.lengths[1]))
    if not names or not part.is_complete:
        return None
    rows = [part.items[at : at + len(names)] for at in range(0, len(part.items), len(names))]
    if any(len(row) != len(names) for row in rows):
        return None
    return _Grid(tuple(names), tuple(rows))


def _listed(value: Nested) -> _Grid | None:
    """Return a list of rows of one shape as a table."""
    part = value.part("sequence")
    if value.type_name not in ("list", "tuple") or part is None or not part.is_complete:
        return None
    rows = [_fields(item) for item in part.items]
    first = rows[0] if rows else None
    if first is None or len(first) < _DIMENSIONS:
        return None
    names = tuple(first)
    if any(row is None or set(row) != set(names) for row in rows):
        return None
    if len({item.type_name for item in part.items}) != 1:
        return None
    return _Grid(names, tuple(tuple(row[name] for name in names) for row in rows if row))


def _fields(item: Nested) -> dict[str, Nested] | None:
    """Return the cells of a row by the names of their columns; None: it is no row."""
    if not item.parts:
        return None
    sequence, mapping = item.part("sequence"), item.part("mapping")
    if item.type_name in ("tuple", "list") and sequence is not None and sequence.is_complete:
        return {f"[{at}]": cell for at, cell in enumerate(sequence.items)}
    if item.type_name == "dict" and mapping is not None and mapping.is_complete:
        return {key_words(key): cell for key, cell in zip(mapping.keys, mapping.items, strict=True)}
    held = item.part("attributes")
    if held is None or not held.is_complete or len(item.parts) != 1:
        return None
    pairs = zip(held.keys, held.items, strict=True)
    return {
        escaped(str(key.value.content)): cell for key, cell in pairs if isinstance(key.value, Atom)
    }
