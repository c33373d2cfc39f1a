"""What a call took from generators, in words: from which call, and the values."""

from collections.abc import Iterator

from sleuth.tree.observe.behaviour import Seen, Taken
from sleuth.views.drawing.calls import call_name
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import Section
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line

_MOST_ROWS = 10
_MOST_ITEMS = 100


def took_sections(drawing: Drawing) -> Iterator[Section]:
    """Yield what a call took: the inputs that came one by one, as they were asked for."""
    for taken in drawing.behaviour.taken:
        rows = _values(drawing, taken)
        head = _source(drawing, taken)
        shown = rows[: _MOST_ROWS - len(head)]
        more = len(rows) - len(shown)
        least = "" if taken.is_whole else "at least "
        rest = f"{least}{counted(taken.count, 'value')} in all"
        yield Section("took", [*head, *shown], "", more, rest)


def _source(drawing: Drawing, taken: Taken) -> list[Line]:
    """Name the generator that gave the values."""
    if taken.source is None:
        return []
    name = call_name(drawing.trace, drawing.trace.call(taken.source))
    into = f"{taken.path} = " if taken.path else ""
    said = f"from {into}{name}(...), call {taken.source}:"
    return [line(Piece(fitted(said, drawing.room), Role.DIM))]


def _values(drawing: Drawing, taken: Taken) -> list[Line]:
    items = taken.items[:_MOST_ITEMS]
    if not items:
        return [line("nothing")]
    if all(len(item) == 1 for item in items):
        rows = drawing.flow([item[0] for item in items], taken.count)
        name = items[0][0].path if taken.source is None else ""
        start = [line(Piece(f"{name}, one after the other:", Role.DIM))] if name else []
        return [*start, *rows]
    room = drawing.room
    each = (", ".join(_stored(drawing, seen) for seen in item) for item in items)
    more = taken.count - len(items)
    rest = [line(Piece(f"... {more:,} more", Role.DIM))] if more > 0 else []
    return [*(line(fitted(text, room)) for text in each), *rest]


def _stored(drawing: Drawing, seen: Seen) -> str:
    return f"{seen.path} = {drawing.short(seen.value, seen.at, drawing.room // 2)}"
