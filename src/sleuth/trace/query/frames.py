"""Plain variables of calls, followed through the events of a run: each time that one is set."""

from collections.abc import Iterator, Mapping
from heapq import merge
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sleuth.trace.events import CallId, Event, EventKind, Function, Moment, Site
from sleuth.trace.history.writes import ARGUMENT, DELETED, SET
from sleuth.trace.query.names import is_local
from sleuth.trace.values import ABSENT, Absent, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_KINDS = (EventKind.ENTER, EventKind.BIND, EventKind.UNBIND, EventKind.TURN)
_NO_VARIABLE = ("attribute", "comprehension", "global", "nonlocal")


class Set(NamedTuple):
    """A variable of a call was set."""

    call: CallId
    name: str
    value: Value
    """Absent: it was deleted."""
    moment: Moment
    line: int
    how: str
    """As in `Write`."""


def settings(
    trace: "Trace", functions: list[Function], names: frozenset[str], span: tuple[int, int]
) -> Iterator[list[Set]]:
    """Yield the variables with some names that each event of a span sets, in order.

    Only variables that no other code can set are followed: see `is_local`.
    """
    places: dict[int, list[tuple[int, str]]] = {}
    sites: dict[int, Site] = {}
    for function in functions:
        known = {name for name in names if is_local(trace, function, name)}
        places[function.id] = [
            (number, name) for number, name in enumerate(function.parameters) if name in known
        ]
        for site in trace.sites_of(function):
            if site.name in known and site.kind not in _NO_VARIABLE:
                sites[site.id] = site
    lines: dict[int, int] = {function.id: function.first_line for function in functions}
    streams = [trace.events(*span, kind=kind) for kind in _KINDS]
    for event in merge(*streams, key=attrgetter("moment")):
        if event.call is None:
            continue
        if event.kind is EventKind.ENTER:
            if event.number in places:
                yield _given(event, event.call, places[event.number], lines)
        elif event.number in sites:
            yield [_set(event, event.call, sites)]


def _given(
    event: Event, call: CallId, places: list[tuple[int, str]], lines: Mapping[int, int]
) -> list[Set]:
    return [
        Set(call, name, event.values[at], event.moment, lines[event.number], ARGUMENT)
        for at, name in places
        if at < len(event.values) and not isinstance(event.values[at], Absent)
    ]


def _set(event: Event, call: CallId, sites: Mapping[int, Site]) -> Set:
    site = sites[event.number]
    is_set = event.kind is not EventKind.UNBIND
    value = event.values[0] if is_set and event.values else ABSENT
    return Set(call, site.name, value, event.moment, site.span.line, SET if is_set else DELETED)
