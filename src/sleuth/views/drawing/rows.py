"""Values as rows of a question: what the parts of a question share."""

from collections.abc import Sequence

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value, escaped
from sleuth.tree.observe.behaviour import LOCAL, NAMESPACE, Behaviour, Seen
from sleuth.views.drawing.picture import FULL, SHORT, Pictures, badge
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, line
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.sections import room

MOST_ROWS = 200
_DEPTHS = (6, 4, 3, FULL)


def deepest(pictures: Pictures, value: Value, at: int, left: int) -> str:
    """Return a value as deep as there is room for, whole if that is possible."""
    if isinstance(value, Ref):
        for depth in _DEPTHS:
            text = pictures.of(value, at, width=2 * left, depth=depth)
            if columns(text) <= left:
                return text
    return fitted(pictures.of(value, at, width=left, depth=FULL), left)


class Drawing:
    """Draws values of one behaviour."""

    def __init__(self, trace: Trace, behaviour: Behaviour, *, width: int) -> None:
        self.trace = trace
        self.behaviour = behaviour
        self.width = width
        self.room = room(width)
        """Columns of a row."""
        self.pictures = Pictures(trace)
        self.conventions = conventions.of(trace.meta.get("language"))

    def value(self, value: Value, at: int, left: int) -> str:
        """Return a value as deep as there is room for."""
        return deepest(self.pictures, value, at, left)

    def short(self, value: Value, at: int, left: int) -> str:
        """Return a value without looking deep into it."""
        return fitted(self.pictures.of(value, at, width=left, depth=SHORT), left)

    def name(self, value: Value) -> str:
        """Return which object it is."""
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
        rows = []
        for each in seen[:MOST_ROWS]:
            scope = f"  ({each.scope})" if each.scope not in ("", LOCAL, NAMESPACE) else ""
            path = fitted(each.path, self.room // 2)
            left = max(self.room - columns(path) - 3 - len(scope), 12)
            text = self.value(each.value, each.at, left)
            rows.append(line(Piece(path, Role.PATH), f" = {text}", Piece(scope, Role.DIM)))
        return rows

    def names(self, names: Sequence[str]) -> list[Line]:
        """Return names on one row; of those that don't fit how many they are."""
        text = ""
        for number, name in enumerate(names):
            more = f", ... {len(names) - number:,} more"
            longer = f"{text}, {name}" if text else name
            if text and columns(longer) + len(more) > self.room:
                return [line(Piece(text + more, Role.DIM))]
            text = longer
        return [line(Piece(fitted(text, self.room), Role.DIM))] if text else []

    def flow(self, seen: Sequence[Seen], count: int) -> list[Line]:
        """Return values one behind the other, on as many rows as they take."""
        rows, current = [], ""
        for each in seen:
            # Objects have a row of their own: what they contain is what tells them apart.
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
            path = f"{stream}[{number}]".ljust(widest + 2)
            rows.append(line(Piece(path, Role.PATH), fitted(text, self.room - len(path))))
        return rows
