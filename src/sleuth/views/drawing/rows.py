"""Values of one behaviour as rows of a question."""

from collections.abc import Sequence

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value, escaped
from sleuth.tree.observe.behaviour import LOCAL, NAMESPACE, Behaviour, Seen
from sleuth.views.drawing.picture import Pictures, badge
from sleuth.views.drawing.sections import room, under_path
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, line, padded
from sleuth.views.drawing.styled import width as columns

MOST_ROWS = 200


class Drawing:
    """Draws values of one behaviour."""

    def __init__(
        self, trace: Trace, behaviour: Behaviour, *, width: int, expected: str = ""
    ) -> None:
        self.trace = trace
        self.behaviour = behaviour
        self.width = width
        self.expected = expected
        """The result that a test expects, if one does."""
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
            text = self.value(seen.value, seen.at, max(left - 3 - len(scope), 8))
            return [line(f" = {text}", Piece(scope, Role.DIM))]

        return under_path(seen.path, self.room, rows)

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
