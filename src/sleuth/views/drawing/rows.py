"""Values of one behaviour as rows of a question."""

from collections.abc import Sequence

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value, escaped
from sleuth.tree.observe.behaviour import LOCAL, NAMESPACE, Behaviour, Seen
from sleuth.views.drawing.picture import Pictures, badge
from sleuth.views.drawing.sections import room, under_path
from sleuth.views.drawing.styled import MORE, Line, Piece, Role, fitted, line, padded, wrapped
from sleuth.views.drawing.styled import width as columns

MOST_ROWS = 200
_NARROW = 30
"""Columns with fewer than which a value may take several rows."""
_MOST_BROKEN = 3
"""Rows of such a value."""


class Drawing:
    """Draws values of one behaviour."""

    def __init__(self, trace: Trace, behaviour: Behaviour, *, width: int) -> None:
        self.trace = trace
        self.behaviour = behaviour
        self.width = width
        self.room = room(width)
        """Columns of a row beside the labels."""
        self.pictures = Pictures(trace)
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
        return [row for each in seen[:MOST_ROWS] for row in self._value_rows(each)]

    def _value_rows(self, seen: Seen) -> list[Line]:
        scope = f"  ({seen.scope})" if seen.scope not in ("", LOCAL, NAMESPACE) else ""

        def rows(left: int) -> list[Line]:
            left = max(left - 3 - len(scope), 8)
            first, *rest = self._broken(seen, left)
            head = line(f" = {first}", Piece(scope, Role.DIM))
            return [head, *(line(f"   {each}") for each in rest)]

        return under_path(seen.path, self.room, rows)

    def _broken(self, seen: Seen, left: int) -> list[str]:
        """Return a value on several rows where one would be too narrow to tell it from others."""
        text = self.value(seen.value, seen.at, left)
        if left >= _NARROW or not text.endswith(MORE):
            return [text]
        rows = wrapped(self.value(seen.value, seen.at, _MOST_BROKEN * left), left)
        last = fitted(" ".join(rows[_MOST_BROKEN - 1 :]), left)
        return [each for each in (*rows[: _MOST_BROKEN - 1], last) if each]

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
            rows.append(line(Piece(path, Role.PATH), fitted(text, self.room - columns(path))))
        return rows
