"""The table of a loop's turns: a row for each turn, and a line of bars for each number."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sleuth.trace.heap.difference import Change
from sleuth.trace.reader import Trace
from sleuth.tree.loops.turns import Course, TurnTable
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import WIDTH, Line, Piece, Role, fitted, line, padded
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.text import counted
from sleuth.views.words.change_rows import ChangeRows
from sleuth.views.words.outcome import error_text
from sleuth.views.words.sections import INDENT
from sleuth.views.words.title import Title

_STEPS = "▁▂▃▄▅▆▇█"
_ASCII_STEPS = "_.-:=+*#"
_WIDEST_ITEM = 26
_WIDEST_PATH = 20
_WIDEST_GIVEN = 60
_WIDEST_CHANGE = 24
_MOST_CHANGES = 3


def table_lines(
    trace: Trace, table: TurnTable, *, width: int = WIDTH, is_ascii: bool = False
) -> Iterator[Line]:
    """Yield the turns, a row for each, and the courses of numbers."""
    drawing = Drawing(trace, table.behaviour, width=width)
    yield from Title(drawing).lines()
    if table.part.head:
        yield line(Piece(fitted(f"  {table.part.head}", width), Role.DIM))
    yield from turn_rows(trace, table, width=width)
    yield from _courses(table.courses, width, _ASCII_STEPS if is_ascii else _STEPS)
    yield from _hint(table)


def sparkline(values: Sequence[float], steps: str = _STEPS) -> str:
    """Return a sign for each number: the least is the lowest, the greatest the highest."""
    least, greatest = min(values), max(values)
    # In halves, since the difference of two numbers can be too large to be one.
    reach = greatest / 2 - least / 2
    if not reach:
        return steps[0] * len(values)
    places = (min(int((each / 2 - least / 2) / reach * len(steps)), 7) for each in values)
    return "".join(steps[place] for place in places)


def turn_rows(trace: Trace, table: TurnTable, *, width: int = WIDTH) -> Iterator[Line]:
    """Yield a row for each turn, below a row of titles."""
    number = max(len(f"{table.part.last:,}"), 4)
    texts = [_item(trace, behaviour) for _, _, behaviour in table.rows]
    title = ", ".join(table.part.names)
    item = min(max(map(columns, (title, *texts)), default=0), _WIDEST_ITEM)
    room = width - INDENT - number - 2 - item - (2 if item else 0)
    gap = "  " if item else ""
    noun = "next" if table.part.is_stream else "turn"
    head = f"{noun:>{number}}  {padded(fitted(title, item), item)}{gap}what came of it"
    yield line(" " * INDENT, Piece(head, Role.LABEL))
    before = table.part.first - 1
    for text, (_, part, behaviour) in zip(texts, table.rows, strict=True):
        if part.first > before + 1:
            more = f"{'...':>{number}}  {part.first - before - 1:,} more"
            yield line(" " * INDENT, Piece(more, Role.DIM))
        before = part.first
        start = f"{part.first:>{number},}  {padded(fitted(text, item), item)}{gap}"
        yield line(" " * INDENT, start, fitted(_came(trace, behaviour), room))


def _item(trace: Trace, behaviour: Behaviour) -> str:
    drawing = Drawing(trace, behaviour, width=WIDTH)
    return ", ".join(drawing.short(each.value, each.at, _WIDEST_ITEM) for each in behaviour.given)


def _came(trace: Trace, behaviour: Behaviour) -> str:
    """Return what came of one turn."""
    drawing = Drawing(trace, behaviour, width=WIDTH)
    found = list(_given(drawing))
    found += [_change(drawing, each) for each in behaviour.changes[:_MOST_CHANGES]]
    more = len(behaviour.changes) - _MOST_CHANGES
    if more > 0:
        found.append(f"... {more:,} more")
    outcome = behaviour.outcome
    if outcome.how == words.RETURNED:
        found.append(f"returned {drawing.short(outcome.value, behaviour.last, 30)}")
    elif outcome.how == words.RAISED:
        found.append(f"raised {error_text(drawing)}")
    elif outcome.how == words.LEFT:
        found.append("left the loop")
    elif outcome.how == words.STOPPED:
        found.append("stopped")
    if behaviour.printed.lines:
        found.append(f"printed {counted(len(behaviour.printed.lines), 'line')}")
    return ", ".join(found) or _nothing(behaviour)


def _nothing(behaviour: Behaviour) -> str:
    """Say that a turn did nothing that can be seen; a comprehension may have made something."""
    part, made = behaviour.part, behaviour.made
    if part is None or not part.around or behaviour.stream is not None:
        return "nothing changed"
    return "what it made is not recorded" if made is None else "made no item"


def _given(drawing: Drawing) -> Iterator[str]:
    """Yield what a turn gave: of a generator, of a comprehension."""
    stream, made = drawing.behaviour.stream, drawing.behaviour.made
    if stream is not None:
        for each in stream.given[:_MOST_CHANGES]:
            yield f"yielded {drawing.value(each.value, each.at, _WIDEST_GIVEN)}"
    if made is not None:
        for each in made.items[:_MOST_CHANGES]:
            yield f"made {drawing.value(each.value, each.at, _WIDEST_GIVEN)}"


def _change(drawing: Drawing, change: Change) -> str:
    old, new = ChangeRows(drawing).pair(change, _WIDEST_CHANGE, _WIDEST_CHANGE)
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
    widest = min(max(columns(each.path) for each in courses), _WIDEST_PATH)
    for each in courses:
        path = padded(fitted(each.path, widest), widest)
        drawn = sparkline(each.values, steps)
        ends = f"  {_plain(each.values[0])} to {_plain(each.values[-1])}"
        start = line(" " * INDENT, Piece(path, Role.PATH), "  ", Piece(drawn, Role.NEW))
        room = width - INDENT - widest - 2 - len(drawn)
        yield (*start, Piece(fitted(ends, room), Role.DIM))


def _plain(number: float) -> str:
    return f"{int(number)}" if number == int(number) and abs(number) < 1e15 else f"{number:.4g}"


def _hint(table: TurnTable) -> Iterator[Line]:
    shown = [part.first for _, part, _ in table.rows]
    gaps = [(low + 1, high - 1) for low, high in pairwise(shown)]
    wide = [gap for gap in gaps if gap[1] >= gap[0]]
    if wide:
        low, high = wide[0]
        words_ = f"turns {low} {high} shows those in between; first TURN names the first wrong one"
        yield line(Piece(f"  {words_}", Role.DIM))
