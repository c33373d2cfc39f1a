"""The event list of a call: what happened in it, in order; calls and loops are single entries.

An entry that covers several events opens: a loop into its turns, a turn into its events, a call
into those of the callee.  Only as many events are read as the page needs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from sleuth.trace.events import Call, CallId, EventKind, Moment, Span
from sleuth.trace.history.locations import Location
from sleuth.trace.origin.unrecorded import Unrecorded, unrecorded
from sleuth.trace.reader import Trace
from sleuth.tree.loops.shape import CONDITIONAL, condition_of, extent_of
from sleuth.tree.travel.rows import CALLEE, Row, rows_of

_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
_MOST_ROWS = 5_000
"""Events of a loop that are read to find its end."""


class What(Enum):
    """Kinds of entries."""

    EVENT = "event"
    CALL = "call"
    LOOP = "loop"
    TURN = "turn"
    UNRECORDED = "not recorded"


class Mark(Enum):
    """Whether an entry wrote to the selected path."""

    NONE = ""
    WROTE = "wrote"
    """The event itself did."""
    BELOW = "below"
    """It happened inside: in a callee, a loop, or code that is not recorded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the event list."""

    what: What
    first: Moment
    last: Moment
    """The last moment that belongs to it, as far as it was read."""
    newest: Moment
    """The last event of the call itself in it, or beginning of a callee."""
    site: int = -1
    """Of a loop or a turn: the site of the loop."""
    callee: CallId | None = None
    number: int = 0
    """Of a turn: which one, from 1; 0: not known."""
    turns: int = 0
    """Of a loop: how many were counted."""
    is_whole: bool = True
    """False: it goes on behind `last`."""
    other: Unrecorded | None = None
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True)
class Scope:
    """What a list is about: a call, a loop or a turn of it."""

    call: CallId
    first: Moment
    last: Moment
    loop: int = -1
    """The site of the loop that is opened, or whose turn is."""
    is_turn: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries of a list."""

    scope: Scope
    entries: tuple[Entry, ...]
    is_last: bool
    """Whether the list ends here."""
    after: Moment
    """Where the next page begins."""


def scope_of(trace: Trace, call: Call) -> Scope:
    """Return the list of a whole call."""
    last = Moment(trace.event_count - 1) if call.last is None else call.last
    return Scope(call.id, call.first, last)


def opened(trace: Trace, scope: Scope, entry: Entry) -> Scope | None:
    """Return the list that an entry opens; None: there is nothing below it."""
    if entry.what is What.CALL and entry.callee is not None:
        return scope_of(trace, trace.call(entry.callee))
    if entry.what is What.LOOP:
        return Scope(scope.call, entry.first, entry.last, entry.site)
    if entry.what is What.TURN:
        return Scope(scope.call, entry.first, entry.last, entry.site, is_turn=True)
    return None


def page_of(
    trace: Trace, scope: Scope, first: int, most: int, path: Location | None = None
) -> Page:
    """Return at most so many entries of a list from a moment on; those that wrote are marked."""
    call = trace.call(scope.call)
    listing = _Listing(trace, call, scope)
    found: list[Entry] = []
    after, is_last = Moment(first), True
    for entry in islice(listing.entries(max(first, scope.first)), most + 1):
        if len(found) >= most:
            is_last = False
            break
        found += [entry, *_unrecorded_behind(trace, call, scope, entry)]
        after, is_last = Moment(entry.last + 1), entry.is_whole
    marked = tuple(_marked(trace, entry, path) for entry in found)
    return Page(scope, marked, is_last, after)


class _Listing:
    """Divides the events of a scope into entries."""

    def __init__(self, trace: Trace, call: Call, scope: Scope) -> None:
        self._trace = trace
        self._call = call
        self._scope = scope
        self._function = trace.function(call.function)
        self._waiting: Row | None = None
        self._rows: Iterator[Row] = iter(())
        self._loops: dict[int, set[int]] = {}

    def entries(self, first: int) -> Iterator[Entry]:
        """Yield the entries from a moment on."""
        scope = self._scope
        self._rows = rows_of(self._trace, self._call, first, scope.last)
        is_loop = scope.loop >= 0 and not scope.is_turn
        number = 0 if first > scope.first else 1
        while (row := self._next()) is not None:
            if is_loop and row.kind == EventKind.TURN and row.site == scope.loop:
                yield self._turn(row, number)
                number += bool(number)
            elif row.kind == EventKind.LOOP and row.site != scope.loop:
                entry = self._loop(row)
                yield entry
                if not entry.is_whole:
                    return
            else:
                yield self._event(row)

    def _next(self) -> Row | None:
        row, self._waiting = self._waiting, None
        return row or next(self._rows, None)

    def _event(self, row: Row) -> Entry:
        moment = Moment(row.moment)
        if row.kind != CALLEE:
            return Entry(What.EVENT, moment, moment, moment)
        number = self._trace.event(moment).call
        callee = None if number is None else self._trace.call(number)
        is_apart = callee is None or callee.is_resumable or callee.last is None
        last = moment if is_apart or callee is None or callee.last is None else callee.last
        return Entry(What.CALL, moment, last, moment, callee=number)

    def _turn(self, row: Row, number: int) -> Entry:
        first = newest = Moment(row.moment)
        last = self._scope.last
        while (after := self._next()) is not None:
            if after.kind == EventKind.TURN and after.site == row.site:
                self._waiting = after
                last = Moment(after.moment - 1)
                break
            newest = Moment(after.moment) if after.is_step else newest
        return Entry(What.TURN, first, last, newest, site=row.site, number=number)

    def _loop(self, row: Row) -> Entry:
        newest, step, turns, read = row, row, 0, 0
        while read <= _MOST_ROWS and (after := self._next()) is not None:
            if not self._is_inside(row.site, after):
                self._waiting = after
                break
            newest, step = after, after if after.is_step else step
            read += 1
            turns += after.kind == EventKind.TURN and after.site == row.site
        first, last = Moment(row.moment), Moment(self._end(newest))
        is_whole, at = read <= _MOST_ROWS, Moment(step.moment)
        return Entry(What.LOOP, first, last, at, row.site, turns=turns, is_whole=is_whole)

    def _end(self, row: Row) -> int:
        """Return the last moment that belongs to a row: of a callee its end."""
        return self._event(row).last if row.kind == CALLEE else row.moment

    def _is_inside(self, loop: int, row: Row) -> bool:
        """Tell whether a row belongs to a loop that goes on."""
        if row.kind in _ENDS or (row.kind == EventKind.LOOP and row.site == loop):
            return False
        if row.site >= 0 and (row.site == loop or loop in self._around(row.site)):
            return True
        if row.site >= 0:
            inner = self._trace.site(row.site)
            return inner is not None and is_in_loop(self._trace, loop, inner.span)
        place = row.place if row.place >= 0 else self._trace.event(row.moment).place
        if place is None or self._function is None:
            return True
        return is_in_loop(self._trace, loop, self._function.span_at(place))

    def _around(self, number: int) -> set[int]:
        """Return the loops around a site."""
        if number not in self._loops:
            self._loops[number] = self._find_around(number)
        return self._loops[number]

    def _find_around(self, number: int) -> set[int]:
        found: set[int] = set()
        site = self._trace.site(number)
        while site is not None and site.loop is not None and site.loop not in found:
            found.add(site.loop)
            site = self._trace.site(site.loop)
        return found


def is_in_loop(trace: Trace, loop: int, span: Span | None) -> bool:
    """Tell whether a span lies in what a loop repeats."""
    site = trace.site(loop)
    if site is None:
        return False
    is_head = site.kind == CONDITIONAL and condition_of(site).contains(span)
    return is_head or extent_of(trace, site).contains(span)


def _unrecorded_behind(trace: Trace, call: Call, scope: Scope, entry: Entry) -> Iterator[Entry]:
    """Yield the calls of code that is not recorded between an entry and the next one."""
    if entry.what is What.TURN or not entry.is_whole:
        return
    for other in unrecorded(trace, call, entry.newest, entry.newest):
        is_inside = entry.what is What.LOOP and is_in_loop(trace, entry.site, other.span)
        is_outside = scope.loop >= 0 and not is_in_loop(trace, scope.loop, other.span)
        if not is_inside and not is_outside:
            last = Moment(max(other.moment, other.seen - 1))
            yield Entry(What.UNRECORDED, other.moment, last, other.moment, other=other)


def _marked(trace: Trace, entry: Entry, path: Location | None) -> Entry:
    if path is None:
        return entry
    first = entry.first + (entry.what is What.UNRECORDED)
    write = next(trace.writes(path, first, entry.last, back=True), None)
    if write is None:
        return entry
    return replace(entry, mark=Mark.WROTE if entry.what is What.EVENT else Mark.BELOW)
