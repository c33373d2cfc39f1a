"""Loops, turns and groups of calls in words."""

from collections.abc import Iterator, Sequence

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.observe.behaviour import Group, LoopPart
from sleuth.views.drawing.calls import call_lines, neighbours
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import CONTINUED, Section
from sleuth.views.drawing.styled import MORE, Line, Piece, Role, counted, fitted, hanging, line
from sleuth.views.drawing.styled import width as columns

_NUMBER = 7
"""Columns of a call's number in a list."""
_MOST_LINES = 3
"""Lines of a call in a list."""
_MOST_HEAD = 4
"""Lines of a loop's head."""


def part_name(part: LoopPart) -> str:
    """Return the numbers of the turns, and the name of the loop if the user gave it one."""
    if part.is_stream:
        which = f"{part.first:,}" if part.first == part.last else f"{part.first:,} to {part.last:,}"
        return f"next {which} of {part.count:,}"
    start = f"{part.name}: " if part.name else ""
    if part.is_loop:
        return f"{start}loop of {counted(part.count, 'turn')}"
    if part.count == 1:
        return f"{start}the only turn"
    if part.first == part.last:
        return f"{start}turn {part.first:,} of {part.count:,}"
    if (part.first, part.last) == (1, part.count):
        return f"{start}all {part.count:,} turns"
    return f"{start}turns {part.first:,} to {part.last:,} of {part.count:,}"


def part_title(drawing: Drawing, part: LoopPart, space: int) -> Line:
    """Return the turns that are asked about, and their function."""
    name = fitted(part_name(part), space - 12)
    by = fitted(drawing.behaviour.name, space - columns(name) - 4)
    return line(Piece(name, Role.STRONG), f" in {by}")


def group_name(trace: Trace, group: Group) -> str:
    """Return the number of calls in a group, and their function if all have the same one."""
    functions = {call.function for call in group.members}
    is_one = len(functions) == 1 and len(group.members) == group.count
    function = trace.function(functions.pop()) if is_one else None
    of = f" of {function.qualified_name}" if function is not None else ""
    return f"group of {counted(group.count, 'call')}{of}"


def group_title(drawing: Drawing, group: Group, space: int) -> Line:
    """Return the group that is asked about, and the function that made its calls."""
    name, by = group_name(drawing.trace, group), drawing.behaviour.name
    if columns(name) + columns(by) + 9 > space:
        name = f"group of {counted(group.count, 'call')}"
    by = fitted(by, space - columns(name) - 9)
    return line(Piece(name, Role.STRONG), f" made by {by}")


def members_section(drawing: Drawing, group: Group) -> Iterator[Section]:
    """List the calls of a group, each with its outcome."""
    trace, members, room = drawing.trace, group.members, drawing.room
    rows = member_lines(trace, members, room, lines=min(drawing.most, _MOST_LINES))
    drawing.cut += drawing.most < _MOST_LINES
    more = group.count - len(members)
    is_group = drawing.behaviour.part is None
    hint = "calls lists them, unfold asks one by one" if is_group else ""
    yield Section("calls", rows, "", more, hint)


def member_lines(trace: Trace, members: Sequence[Call], room: int, *, lines: int = 1) -> list[Line]:
    """Return rows for each call: its number, its arguments, its outcome."""
    rows = []
    for position, call in enumerate(members):
        beside = neighbours(members, position)
        first, *rest = call_lines(trace, call, room - _NUMBER, lines, beside=beside)
        rows.append(line(Piece(f"{call.id:>{_NUMBER - 2}}  ", Role.DIM), first))
        rows += [line(CONTINUED, " " * _NUMBER, each) for each in rest]
    return rows


def head_section(drawing: Drawing, part: LoopPart) -> Iterator[Section]:
    """Yield the text of the loop's head, and the item of a turn."""
    # A condition that is cut can't be judged.
    rows = [line(each) for each in _broken(part.head, drawing.room)] if part.head else []
    if part.around:
        rows.append(line(Piece(fitted(f"in {part.around}", drawing.room), Role.DIM)))
    yield Section("written", rows)
    yield Section("item", drawing.values(drawing.behaviour.given), "given")
    yield from _made_section(drawing, part)


def _broken(text: str, room: int) -> list[str]:
    """Return a text on a few lines."""
    lines = hanging(text, room, further=2)
    if len(lines) > _MOST_HEAD:
        lines = [*lines[: _MOST_HEAD - 1], fitted(lines[_MOST_HEAD - 1] + MORE, room)]
    return lines


def _made_section(drawing: Drawing, part: LoopPart) -> Iterator[Section]:
    """Yield the items that a comprehension made."""
    made = drawing.behaviour.made
    if made is None or not part.around:
        if part.around and drawing.behaviour.stream is None:
            yield Section("made", [line(Piece("not known for these turns alone", Role.DIM))])
        return
    if made.whole is not None:
        text = drawing.value(made.whole.value, made.whole.at, drawing.room)
        yield Section("made", [line(Piece(text, Role.NEW))], "made[0]")
    elif not made.count:
        yield Section("made", [line("no item")])
    else:
        yield Section("made", drawing.flow(made.items, made.count), "made[0]")


def unchanged_section(drawing: Drawing) -> Iterator[Section]:
    """Say that nothing changed, where nothing else tells the outcome."""
    behaviour = drawing.behaviour
    gave = behaviour.stream is not None and behaviour.stream.count
    part = behaviour.part
    gives = part is not None and (part.around or part.is_stream)
    if not behaviour.changes and not gives and not gave:
        yield Section("changed", [line(Piece("nothing", Role.DIM))])
