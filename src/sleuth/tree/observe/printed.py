"""The output of a call and its callees, line by line."""

from collections.abc import Iterable, Iterator, Sequence

from sleuth.trace.events import Call, Event, EventKind, Moment
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Cut, Value
from sleuth.tree.node import Key
from sleuth.tree.observe.attribution import Doers
from sleuth.tree.observe.behaviour import Printed

_MOST_MOMENTS = 200_000
"""For a longer call only the beginning and the end are read."""
_MOST_LINES = 2000
_ERRORS = 2
"""The number of standard error."""


def printed_in(trace: Trace, call: Call, last: Moment, part: Key | None = None) -> Printed:
    """Return what a call and its callees wrote.

    A call with a negative number means the whole run.
    """
    is_whole = last - call.first <= _MOST_MOMENTS
    return _printed(_written_by(trace, call, last, part), is_whole=is_whole)


def printed_by(trace: Trace, calls: Sequence[Call]) -> Printed:
    """Return what some calls and their callees wrote, in the order of the run."""
    found: dict[Moment, Event] = {}
    left = _MOST_MOMENTS
    for call in calls:
        last = end_of(trace, call)
        left -= last - call.first
        if left < 0:
            break
        found |= {event.moment: event for event in _written_by(trace, call, last)}
    return _printed([found[moment] for moment in sorted(found)], is_whole=left >= 0)


def _written_by(trace: Trace, call: Call, last: Moment, part: Key | None = None) -> Iterator[Event]:
    doers = Doers(trace, call, trace.function(call.function), part) if call.id >= 0 else None
    for event in _outputs(trace, call.first, last):
        if doers is None or doers.is_own(event.moment) or doers.is_started(event.moment):
            yield event


def _printed(outputs: Iterable[Event], *, is_whole: bool) -> Printed:
    texts: dict[bool, list[str]] = {False: [], True: []}
    for event in outputs:
        texts[event.number == _ERRORS].append(_text(event.values[0]))
    lines, errors = (_lines("".join(texts[which])) for which in (False, True))
    is_whole = is_whole and max(len(lines), len(errors)) <= _MOST_LINES
    return Printed(tuple(lines[:_MOST_LINES]), tuple(errors[:_MOST_LINES]), is_whole)


def _outputs(trace: Trace, first: int, last: int) -> Iterator[Event]:
    spans = [(first, last)]
    if last - first > _MOST_MOMENTS:
        half = _MOST_MOMENTS // 2
        spans = [(first, first + half), (last - half, last)]
    for low, high in spans:
        yield from trace.events(low, high, kind=EventKind.OUTPUT)


def _text(value: Value) -> str:
    match value:
        case Atom(str() as content):
            return content
        case Cut(_, _, _, str() as kept):
            return f"{kept}..."
    return ""


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines
