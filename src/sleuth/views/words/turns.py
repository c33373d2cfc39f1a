"""The table of a loop's turns: a row for each turn, and a line of bars for each variable."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from sleuth.trace.heap.difference import Change
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.failing.interrupted import was_interrupted
from sleuth.tree.loops.turns import Course, TurnTable
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.drawing.broken import broken, limited
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import INDENT, is_narrow
from sleuth.views.drawing.styled import (
    Line,
    Piece,
    Role,
    counted,
    fitted,
    fitted_end,
    hanging,
    line,
    padded,
)
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.change_rows import ChangeRows
from sleuth.views.words.moved_items import by_objects
from sleuth.views.words.outcome import ended_by, error_text
from sleuth.views.words.title import Title

_STEPS = "▁▂▃▄▅▆▇█"
_ASCII_STEPS = "_.-:=+*#"
_MOST_CHANGES = 3
_LEAST_ROOM = 8
_LEAST_BESIDE = 30
"""Columns that the outcome of a turn needs beside its item."""
_LINES = (3, 2, 1)
"""Lines of a turn; the first number with which the table is not too long is taken."""
_MOST_LINES = 20
"""Lines of a table."""


def table_lines(
    trace: Trace, table: TurnTable, *, width: int, is_ascii: bool = False
) -> Iterator[Line]:
    """Yield a row for each turn, and a line of bars for each number that changed."""
    drawing = Drawing(trace, table.behaviour, width=width)
    yield from Title(drawing).lines()
    if table.part.head:
        yield line(Piece(fitted(f"  {table.part.head}", width), Role.DIM))
    yield from turn_rows(trace, table, width=width)
    yield from _courses(table.courses, width, _ASCII_STEPS if is_ascii else _STEPS)
    yield from _hint(table, width)


def sparkline(values: Sequence[float], steps: str = _STEPS) -> str:
    """Return a bar for each number: the lowest for the least, the highest for the greatest."""
    least, greatest = min(values), max(values)
    # In halves: the difference of two numbers can be too large for a float.
    reach = greatest / 2 - least / 2
    if not reach:
        return steps[0] * len(values)
    places = (min(int((each / 2 - least / 2) / reach * len(steps)), 7) for each in values)
    return "".join(steps[place] for place in places)


def turn_rows(trace: Trace, table: TurnTable, *, width: int) -> list[Line]:
    """Return a row for each turn, below a row of titles; more lines for each if there is room."""
    rows: list[Line] = []
    for lines in _LINES:
        rows = list(_rows(trace, table, width, lines))
        most = _MOST_LINES * (2 if is_narrow(width) else 1)
        if len(rows) <= max(most, len(table.rows) + 1):
            break
    return rows


def _rows(trace: Trace, table: TurnTable, width: int, lines: int) -> Iterator[Line]:
    """Yield the rows of a table, each on at most so many lines."""
    number = max(len(f"{table.part.last:,}"), 4)
    left = width - INDENT - number - 2
    title = ", ".join(table.part.names)
    item = _item_width(trace, table, width // 3)
    # Beside the item there is too little room on a narrow terminal: then it stands above.
    is_above = bool(item) and left - item - 2 < _LEAST_BESIDE
    room = left if is_above or not item else left - item - 2
    noun = "next" if table.part.is_stream else "turn"
    head = _beside(title, item) if item and not is_above else f"{title}: " if title else ""
    if table.part.count > 1:  # of one turn the row alone says it
        yield line(" " * INDENT, Piece(f"{noun:>{number}}  {head}what came of it", Role.LABEL))
    before = table.part.first - 1
    rest = ": nothing came of them" if table.is_rest_silent else ""
    for _, part, behaviour in table.rows:
        if part.first > before + 1:
            more = f"{'...':>{number}}  {part.first - before - 1:,} more{rest}"
            yield line(" " * INDENT, Piece(more, Role.DIM))
        before = part.first
        came = limited(broken(_came(trace, behaviour, room, lines), room, further=2), lines, room)
        start = " " * INDENT + f"{part.first:>{number},}  "
        text = _item(trace, behaviour, left if is_above else item) if item else ""
        if is_above:
            yield line(start, fitted(text, left))
            start, text = " " * len(start), ""
        start += _beside(text, item) if item and not is_above else ""
        yield line(start, came[0])
        yield from (line(" " * columns(start), each) for each in came[1:])


def _item_width(trace: Trace, table: TurnTable, widest: int) -> int:
    """Return the columns that the items of the turns take."""
    texts = [_item(trace, behaviour, widest) for _, _, behaviour in table.rows]
    titles = (", ".join(table.part.names), *texts)
    return min(max(map(columns, titles), default=0), widest)


def _beside(text: str, item: int) -> str:
    return f"{padded(fitted(text, item), item)}  "


def _item(trace: Trace, behaviour: Behaviour, room: int) -> str:
    drawing = Drawing(trace, behaviour, width=room)
    return ", ".join(drawing.short(each.value, each.at, room) for each in behaviour.given)


def _came(trace: Trace, behaviour: Behaviour, room: int, lines: int) -> str:
    """Return the outcome of one turn in a few words."""
    room = room if lines == 1 else room * lines * 7 // 8
    drawing = Drawing(trace, behaviour, width=room)
    ended = list(_ended(trace, drawing, room))
    left = room - sum(columns(each) + 2 for each in ended)
    found = [*_given(drawing)]
    changes = by_objects(trace, behaviour, behaviour.changes)
    found += _fitting(list(_changes(drawing, _by_weight(changes))), left)
    return ", ".join([*found, *ended]) or _nothing(behaviour)


def _by_weight(changes: Sequence[Change]) -> list[Change]:
    """Put changes of objects before those of variables, most of which are auxiliary."""
    return sorted(changes, key=lambda change: change.holder is None)


def _fitting(texts: Sequence[str], room: int) -> Iterator[str]:
    """Yield the texts for which there is room, at least one, and how many more there are."""
    used = 0
    for number, text in enumerate(texts):
        used += columns(text) + 2
        rest = len(texts) - number - 1
        if number and used + (len(f"... {rest:,} more") if rest else 0) > room:
            yield f"... {rest + 1:,} more"
            return
        yield text


def _ended(trace: Trace, drawing: Drawing, room: int) -> Iterator[str]:
    """Yield how a turn ended, and what it printed."""
    behaviour = drawing.behaviour
    outcome, printed = behaviour.outcome, behaviour.printed.lines
    if was_interrupted(trace, outcome):
        yield "interrupted while it ran"
    elif outcome.how == words.RETURNED:
        value = drawing.short(outcome.value, behaviour.last, max(room - 9, _LEAST_ROOM))
        yield f"returned {value}"
    elif outcome.how == words.RAISED:
        label = ended_by(drawing) if outcome.is_thrown else "raised"
        yield f"{label} {error_text(drawing)}"
    elif outcome.how == words.LEFT:
        yield "left the loop"
    elif outcome.how == words.STOPPED:
        yield "stopped"
    if len(printed) == 1:
        yield f"printed {escaped(printed[0].rstrip())}"
    elif printed:
        yield f"printed {counted(len(printed), 'line')}"


def _nothing(behaviour: Behaviour) -> str:
    """Say that a turn did nothing that can be seen; a comprehension may have made something."""
    part, made = behaviour.part, behaviour.made
    if part is None or not part.around or behaviour.stream is not None:
        gives = behaviour.stream is not None
        return "yielded nothing" if gives else "nothing changed"
    return "what it made is not recorded" if made is None else "made no item"


def _given(drawing: Drawing) -> Iterator[str]:
    """Yield the values that a turn of a generator or a comprehension gave."""
    stream, made = drawing.behaviour.stream, drawing.behaviour.made
    if stream is not None:
        for each in stream.given[:_MOST_CHANGES]:
            yield f"yielded {drawing.value(each.value, each.at, drawing.width - 8)}"
    if made is not None:
        for each in made.items[:_MOST_CHANGES]:
            yield f"made {drawing.value(each.value, each.at, drawing.width - 5)}"


def _changes(drawing: Drawing, changes: Sequence[Change]) -> Iterator[str]:
    """Yield changes in words; members of one container that came or went together."""
    for (path, kind, part), group in groupby(changes, key=lambda e: (e.path, e.kind, e.part)):
        several = list(group)
        texts = [_change(drawing, each) for each in several]
        if part == "set" and len(several) > 1:
            members = [text.removeprefix(f"{path} {kind} ") for text in texts]
            yield f"{path} {kind} {' and '.join(members)}"
        else:
            yield from texts


def _change(drawing: Drawing, change: Change) -> str:
    left = drawing.width - columns(change.path) - 5
    room = left if change.kind == "added" else left // 2
    rows = ChangeRows(drawing)
    old, new = rows.pair(change, room, room)
    if old == new and rows.is_replaced(change):
        return f"{change.path} = another object with the same contents"
    if change.part == "set":
        return f"{change.path} {change.kind} {new if change.kind == 'added' else old}"
    if change.kind == "added":
        return f"{change.path} = {new}"
    if change.kind == "removed":
        return f"{change.path} removed"
    return f"{change.path} {old} -> {new}"


def _courses(courses: Sequence[Course], width: int, steps: str) -> Iterator[Line]:
    if not courses:
        return
    widest = min(max(columns(each.path) for each in courses), width // 4)
    for each in courses:
        path = padded(fitted_end(each.path, widest), widest)
        drawn = sparkline(_some(each.values, width - INDENT - widest - 2), steps)
        ends = f"  {_plain(each.values[0])} to {_plain(each.values[-1])}"
        start = line(" " * INDENT, Piece(path, Role.PATH), "  ", Piece(drawn, Role.NEW))
        room = width - INDENT - widest - 2 - len(drawn)
        yield (*start, Piece(fitted(ends, room), Role.DIM))


def _some(values: Sequence[float], most: int) -> Sequence[float]:
    """Return at most so many numbers, evenly spread, with the first and the last."""
    if len(values) <= most:
        return values
    return [values[position * (len(values) - 1) // (most - 1)] for position in range(most)]


def _plain(number: float) -> str:
    return f"{int(number)}" if number == int(number) and abs(number) < 1e15 else f"{number:.4g}"


def _hint(table: TurnTable, width: int) -> Iterator[Line]:
    shown = [part.first for _, part, _ in table.rows]
    gaps = [(low + 1, high - 1) for low, high in pairwise(shown)]
    wide = [gap for gap in gaps if gap[1] >= gap[0]]
    if wide:
        low, high = wide[0]
        words_ = f"turns {low} {high} shows those in between; first TURN names the first wrong one"
        yield from (line(Piece(each, Role.DIM)) for each in hanging(f"  {words_}", width))
