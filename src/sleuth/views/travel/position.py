"""The selected moment in words: event, call and place, stack, source, threads, values."""

from collections.abc import Iterator
from itertools import chain, islice

from sleuth.trace.events import Call
from sleuth.trace.flow.lines import Lines
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.output import last_lines
from sleuth.trace.history.strands import Strand, strands_at
from sleuth.trace.history.writes import line_of
from sleuth.trace.values import Ref, escaped
from sleuth.tree.travel.state import parts_between
from sleuth.views.drawing.calls import call_text
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import brief_place, where
from sleuth.views.drawing.styled import Line, fitted, line
from sleuth.views.words import variables
from sleuth.views.words.events import EventWords
from sleuth.views.words.origins import origin_lines
from sleuth.views.words.writes import write_line

_AROUND = 4
"""Lines of source before and after the current one."""
_MOST_WRITES = 100
_MOST_CALLS = 20
_MOST_STRANDS = 40
_MOST_PARTS = 20
_MOST_LINES = 12
_MOST_EVENTS = 100_000
"""Events of a call whose lines are marked."""
_LEAST = 20


def position(here: Cursor, width: int) -> Iterator[str | Line]:
    """Yield the selected event, and the call with its place."""
    trace, event = here.trace, here.event
    call = trace.call(here.call)
    known = line_of(trace, event) if event.call == here.call else None
    yield EventWords(trace, is_counting=False).line(event)
    yield line(f"          in {call_text(trace, call, max(width - 13, _LEAST))}")
    yield f"          {brief_place(trace, call, known)}"


def stack(here: Cursor, width: int) -> Iterator[str | Line]:
    """Yield the calls that are going on, the outermost first."""
    calls = list(islice(here.stack(), _MOST_CALLS + 1))
    if not calls:
        yield "No recorded call is going on."
    if len(calls) > _MOST_CALLS:
        yield "  ..."
    for call in reversed(calls[:_MOST_CALLS]):
        mark = ">" if call.id == here.call else " "
        yield line(f"{mark} {_call(here, call, width - 2)}")


def threads(here: Cursor, width: int) -> Iterator[str | Line]:
    """Yield the threads and tasks that are going on."""
    found = strands_at(here.trace, here.to, _MOST_STRANDS)
    event = here.event
    for strand in found.going_on:
        is_here = (strand.thread, strand.task) == (event.thread, event.task)
        yield line(_strand(here, strand, width, ">" if is_here else " "))
    counts = (
        (found.ended, "ended"),
        (found.not_begun, "not begun"),
        (found.not_looked_at, "not looked at"),
    )
    if others := [f"{count:,} {how}" for count, how in counts if count]:
        start = "Besides" if found.going_on else "None is going on"
        yield f"{start}: {', '.join(others)}."


def _strand(here: Cursor, strand: Strand, width: int, mark: str) -> str:
    kind = "task" if strand.task else "thread"
    name = escaped(strand.name) or str(strand.task or strand.thread)
    start = f"{mark} {strand.number:>3}  {fitted(f'{kind} {name}', 24):<24}  {strand.at:>8}  "
    if strand.call is None:
        return f"{start}in code that is not recorded"
    return f"{start}{_call(here, here.trace.call(strand.call), width - len(start))}"


def _call(here: Cursor, call: Call, room: int) -> str:
    return f"{call.id:>6}  {call_text(here.trace, call, max(room - 8, _LEAST))}"


def source(here: Cursor) -> Iterator[str | Line]:
    """Yield the source around the current line; lines that ran in the call are marked."""
    trace, event = here.trace, here.event
    call = trace.call(here.call)
    function = trace.function(call.function)
    lines = trace.source(function.module).splitlines() if function else []
    if function is None or not lines:
        yield "The source is not in the trace."
        return
    known = line_of(trace, event) if event.call == here.call else None
    middle = known or function.first_line
    ran = Lines(trace).of(call) if call.events <= _MOST_EVENTS else None
    touched = set(ran.touched) if ran else set()
    for number in range(max(middle - _AROUND, 1), min(middle + _AROUND, len(lines)) + 1):
        mark = ">" if number == known else "." if number in touched else " "
        yield line(f"{mark} {number:>5}  {escaped(lines[number - 1])}")
    if call.events > _MOST_EVENTS:
        yield f"The call has {call.events:,} events: the lines that it ran are not marked."


def value(here: Cursor, path: str, width: int) -> Iterator[str | Line]:
    """Yield a value and what is in it; without a path all variables."""
    trace, call = here.trace, here.trace.call(here.call)
    if not path:
        yield from variables.state(trace, call, here.seen)
        return
    found = trace.pointed(path, call=call, at=here.seen)
    pictures = Pictures(trace)
    room = max(width - len(found.path) - 3, _LEAST)
    drawn = pictures.of(found.value, found.at, width=room)
    yield f"{escaped(found.path)} = {drawn}"
    if not isinstance(found.value, Ref):
        return
    shape = trace.shape(found.value, found.at)
    if shape is None:
        yield "  What it contains is not known."
        return
    if not shape.is_sure:
        yield "  Code that is not recorded may have changed it."
    rows, _ = parts_between(trace, found.path, found.value, found.at, found.at)
    for row in rows[:_MOST_PARTS]:
        start = f"  {escaped(row.path)} = "
        yield line(f"{start}{pictures.of(row.new, found.at, width=max(width - len(start), 12))}")
    lost = sum(part.full_length - len(part.items) for part in shape.parts)
    more = len(rows) - _MOST_PARTS
    if more > 0:
        yield f"  ... {more:,} more; one of them: p {escaped(rows[_MOST_PARTS].path)}"
    if lost > 0:
        yield f"  {lost:,} more were not kept."


def history(here: Cursor, width: int, *, is_in_call: bool) -> Iterator[str]:
    """Yield the writes to the selected path, of the run or while the call was going on."""
    trace, call = here.trace, here.trace.call(here.call)
    if here.path is None:
        return
    first, last = (call.first, call.last) if is_in_call else (0, None)
    writes = trace.writes(here.path.location, first, last)
    if (begin := next(writes, None)) is None:
        yield f"{escaped(here.path.path)} is not written{' in this call' if is_in_call else ''}."
        return
    writes = chain([begin], writes)
    for write in islice(writes, _MOST_WRITES):
        mark = ">" if write.moment == here.to else " "
        yield f"{mark}{write_line(trace, write, width - 1)}"
    if next(writes, None) is not None:
        yield f"... more than {_MOST_WRITES}; all of them: sleuth history"


def why(here: Cursor, path: str, width: int) -> Iterator[str | Line]:
    """Yield the operation that made a value."""
    call = here.trace.call(here.call)
    yield from origin_lines(here.trace, here.trace.why(path, call=call, at=here.seen), width)


def printed(here: Cursor) -> Iterator[str | Line]:
    """Yield the last lines that were printed before this moment."""
    found = last_lines(here.trace, here.seen, _MOST_LINES)
    if not found:
        yield "Nothing was printed before this moment."
    for stream, text in found:
        yield line(f"{'  ' if stream == 1 else '! '}{escaped(text)}")
    if any(stream != 1 for stream, _ in found):
        yield "! was written to stderr."


def line_note(here: Cursor, number: int) -> str:
    """Say which line runs next."""
    function = here.trace.function(here.trace.call(here.call).function)
    return f"          next runs {where(here.trace, function, number)}"
