"""Loops, turns and groups of calls in words."""

from collections.abc import Iterable, Iterator

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.observe.behaviour import Group, LoopPart
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, line
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.text import arguments, counted, headed
from sleuth.views.words.brief_outcome import came_of
from sleuth.views.words.sections import Section


def part_name(part: LoopPart) -> str:
    """Return which turns are meant, of which loop if the user gave it a name."""
    if part.is_stream:
        which = f"{part.first:,}" if part.first == part.last else f"{part.first:,} to {part.last:,}"
        return f"next {which} of {part.count:,}"
    start = f"{part.name}: " if part.name else ""
    if part.is_loop:
        return f"{start}loop of {counted(part.count, 'turn')}"
    if part.first == part.last:
        return f"{start}turn {part.first:,} of {part.count:,}"
    return f"{start}turns {part.first:,} to {part.last:,} of {part.count:,}"


def part_title(drawing: Drawing, part: LoopPart, space: int) -> Line:
    """Return which turns of which function are asked about."""
    behaviour, name = drawing.behaviour, part_name(part)
    return line(Piece(name, Role.STRONG), f" in {fitted(behaviour.name, space - len(name) - 4)}")


def group_name(trace: Trace, group: Group) -> str:
    """Return how many calls there are, and of what if they are all of one function."""
    functions = {call.function for call in group.members}
    is_one = len(functions) == 1 and len(group.members) == group.count
    function = trace.function(functions.pop()) if is_one else None
    of = f" of {function.qualified_name}" if function is not None else ""
    return f"group of {counted(group.count, 'call')}{of}"


def group_title(drawing: Drawing, group: Group, space: int) -> Line:
    """Return who made which calls."""
    name, by = group_name(drawing.trace, group), drawing.behaviour.name
    if columns(name) + columns(by) + 9 > space:
        name = f"group of {counted(group.count, 'call')}"
    by = fitted(by, space - columns(name) - 9)
    return line(Piece(name, Role.STRONG), f" made by {by}")


def members_section(drawing: Drawing, group: Group) -> Iterator[Section]:
    """List the calls, each with what came of it."""
    rows = member_lines(drawing.trace, group.members, drawing.room)
    more = group.count - len(rows)
    is_group = drawing.behaviour.part is None
    hint = "calls lists them, unfold asks one by one" if is_group else ""
    yield Section("calls", rows, "", more, hint)


def member_lines(trace: Trace, members: Iterable[Call], room: int) -> list[Line]:
    """Return a row for each call: its number, what ran with what, and what came of it."""
    rows = []
    for call in members:
        function = trace.function(call.function)
        given = arguments(trace, call, function, width=16)
        came = came_of(trace, call, width=20)
        number = f"{call.id:>5}  "
        text = headed(trace, call, fitted(given, 36), came)
        rows.append(line(Piece(number, Role.DIM), fitted(text, room - len(number))))
    return rows


def head_section(drawing: Drawing, part: LoopPart) -> Iterator[Section]:
    """Say how the loop is written, and what the item of a turn is."""
    rows = [line(fitted(part.head, drawing.room))] if part.head else []
    if part.around:
        rows.append(line(Piece(fitted(f"in {part.around}", drawing.room), Role.DIM)))
    yield Section("written", rows)
    yield Section("item", drawing.values(drawing.behaviour.given), "given")
    yield from _made_section(drawing, part)


def _made_section(drawing: Drawing, part: LoopPart) -> Iterator[Section]:
    """Say what a comprehension made."""
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
    """Say that nothing changed, where that is what came of it."""
    behaviour = drawing.behaviour
    gave = behaviour.stream is not None and behaviour.stream.count
    part = behaviour.part
    gives = part is not None and (part.around or part.is_stream)
    if not behaviour.changes and not gives and not gave:
        yield Section("changed", [line(Piece("nothing", Role.DIM))])
