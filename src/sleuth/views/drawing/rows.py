"""Values of one behaviour as rows of a question."""

from collections.abc import Sequence

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value, escaped
from sleuth.tree.observe.behaviour import LOCAL, NAMESPACE, Behaviour, Seen
from sleuth.views.drawing.broken import broken, limited
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.sections import CONTINUED, room, under_path
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line, padded
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.table import table_lines, table_of
from sleuth.views.drawing.touched import touched
from sleuth.views.drawing.value_text import badge

MOST_ROWS = 200
MANY = 20
"""Values with more than which each has one row: they fill the screen."""
_MOST_TABLE, _FIRST_OF_TABLE = 8, 5
"""Rows of a table that is shown whole, and of the beginning of a longer one."""
MOST_LINES = 3
"""Rows of a value where there is no need to spare them."""


class Drawing:
    """Draws values of one behaviour."""

    def __init__(
        self,
        trace: Trace,
        behaviour: Behaviour,
        *,
        width: int,
        most: int = MOST_LINES,
        pictures: Pictures | None = None,
    ) -> None:
        self.trace = trace
        self.behaviour = behaviour
        self.width = width
        self.room = room(width)
        """Columns of a row beside the labels."""
        self.most = most
        """Rows of a value, before it is cut."""
        self.cut = 0
        """The number of values of which more rows would have shown more."""
        self.pictures = pictures or Pictures(trace, touched(trace, behaviour))
        self.conventions = conventions.of(trace.meta.get("language"))

    def value(self, value: Value, at: int, left: int) -> str:
        """Return a value with as much of its contents as there is room for."""
        return self.pictures.deep(value, at, left)

    def short(self, value: Value, at: int, left: int) -> str:
        """Return a value without a look into the objects that it contains."""
        return self.pictures.short(value, at, left)

    def name(self, value: Value) -> str:
        """Return the type and number of an object; any other value as it is."""
        if isinstance(value, Ref):
            return f"<{escaped(value.type_name).rpartition('.')[2]} {badge(value)}>"
        return self.pictures.name(value)

    def is_nothing(self, value: Value) -> bool:
        """Whether it is the constant that stands for no value."""
        return isinstance(value, Constant) and value.name in self.conventions.nothing

    def is_code(self, value: Value) -> bool:
        """Whether it is a function, a type, a module."""
        return isinstance(value, Ref) and value.type_name in self.conventions.code

    def values(self, seen: Sequence[Seen]) -> list[Line]:
        """Return `path = value`, a row for each."""
        if len(seen) > MANY:
            cut, most, self.most = self.cut, self.most, 1
            rows = [row for each in seen[:MOST_ROWS] for row in self._value_rows(each)]
            self.cut, self.most = cut, most
            return rows
        return [row for each in seen for row in self._value_rows(each)]

    def _value_rows(self, seen: Seen) -> list[Line]:
        scope = f"  ({seen.scope})" if seen.scope not in ("", LOCAL, NAMESPACE) else ""

        def rows(left: int) -> list[Line]:
            left = max(left - 3, 8)
            if drawn := self.table_rows(seen.value, seen.at, left):
                start, *below = drawn
                head = line(" = ", *start, Piece(scope, Role.DIM))
                return [head, *((Piece("   "), *each) for each in below)]
            texts = self.value_lines(seen.value, seen.at, left)
            # The scope stands where it takes no room from the value.
            ends = [at for at in (0, -1) if columns(texts[at]) + len(scope) <= left]
            if scope and not ends:
                texts.append("")
            end = range(len(texts))[ends[0] if ends else -1]
            starts = (" = ", *["   "] * (len(texts) - 1))
            return [
                line(start + text, Piece(scope if at == end else "", Role.DIM))
                for at, (start, text) in enumerate(zip(starts, texts, strict=True))
            ]

        return under_path(seen.path, self.room, rows)

    def table_rows(self, value: Value, at: int, left: int) -> list[Line]:
        """Return a frame or an array as a table; nothing: it is none, or there is no room."""
        shape = self.trace.shape(value, at) if isinstance(value, Ref) else None
        table = table_of(shape) if shape is not None else None
        if table is None or self.most < MOST_LINES:
            self.cut += table is not None
            return []
        most = _MOST_TABLE if len(table.rows) <= _MOST_TABLE else _FIRST_OF_TABLE
        rows = table_lines(table, self.pictures, at, left, slice(most))
        if table.count > most:
            rows.append(line(Piece(f"... {counted(table.count - most, 'more row')}", Role.DIM)))
        return [line(f"{self.name(value)}, {table.size}"), *rows]

    def value_lines(self, value: Value, at: int, left: int, most: int | None = None) -> list[str]:
        """Return a value on one line, or on a few if it would be cut."""
        most = self.most if most is None else most
        found = self.pictures.filled(value, at, left)
        if found.is_whole or most == 1:
            self.cut += not found.is_whole
            return [found.text]
        # What is broken between its items fills no row to its end.
        for filled in range(8, 2, -1):
            found = self.pictures.filled(value, at, left * most * filled // 8)
            rows = broken(found.text, left)
            if len(rows) <= most:
                break
        if found.is_long and most > MOST_LINES:
            return self.value_lines(value, at, left, MOST_LINES)
        self.cut += not found.is_whole or len(rows) > most
        return limited(rows, most, left)

    def names(self, names: Sequence[str]) -> list[Line]:
        """Return names on one row, and the number of those that don't fit."""
        text = ""
        for number, name in enumerate(names):
            more = f", ... {len(names) - number:,} more"
            longer = f"{text}, {name}" if text else name
            if text and columns(longer) + len(more) > self.room:
                return [line(Piece(text + more, Role.DIM))]
            text = longer
        return [line(Piece(fitted(text, self.room), Role.DIM))] if text else []

    def flow(self, seen: Sequence[Seen], count: int) -> list[Line]:
        """Return values one after the other, on as many rows as they take."""
        rows, current = [], ""
        for each in seen:
            # Objects have a row of their own: their contents tell them apart.
            is_object = isinstance(each.value, Ref)
            draw = self.value if is_object else self.short
            text = draw(each.value, each.at, self.room - 2)
            longer = f"{current}, {text}" if current else text
            if current and (is_object or columns(longer) > self.room - 1):
                rows.append(line(Piece(current + ",", Role.NEW)))
                longer = text
            current = longer
        rows.append(line(Piece(current, Role.NEW)))
        if count > len(seen):
            rows.append(line(Piece(f"... {count - len(seen):,} more", Role.DIM)))
        return rows

    def printed(self, texts: Sequence[str], stream: str, *, first: int = 0) -> list[Line]:
        """Return printed lines, a row for each, under the paths they have."""
        widest = columns(f"{stream}[{first + len(texts)}]")
        rows = []
        for number, text in enumerate(texts[:MOST_ROWS], first):
            path = padded(f"{stream}[{number}]", widest + 2)
            left = self.room - columns(path)
            pieces = broken(escaped(text), left, further=0)
            self.cut += len(pieces) > self.most
            start, *rest = limited(pieces, self.most, left)
            rows.append(line(Piece(path, Role.PATH), start))
            rows += [line(CONTINUED, " " * columns(path), each) for each in rest]
        return rows
