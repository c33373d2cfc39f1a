"""Interleavings: another thread or task wrote what a call had read before it wrote it itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from sleuth.trace.events import Call, CallId, Moment
from sleuth.trace.flow.segments import stretches
from sleuth.trace.history import writes
from sleuth.trace.history.locations import Location
from sleuth.trace.history.writes import Write
from sleuth.trace.kept import kept
from sleuth.trace.origin.conditions import Conditions
from sleuth.trace.origin.executions import At
from sleuth.trace.reader import Trace

_MOST_CALLS = 100
_MOST_READS = 500
_MOST_EVENTS = 20_000
_MOST_WRITES = 200
_READS = frozenset({"attribute", "item", "read"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where and when something was read or written."""

    call: CallId
    line: int | None
    moment: Moment


@dataclass(frozen=True, slots=True)
class Interleaving:
    """A write by another thread or task between a read and a write, or a decision, of a call."""

    path: str
    """The text of the read."""
    read: Place
    other: Place
    write: Place
    is_decision: bool = False
    """Whether `write` is a decision on the value that was read, and no write."""


@dataclass(frozen=True, slots=True)
class _Read:
    at: At
    location: Location
    until: int
    """It was read before the event at this moment."""


@kept(most=64)
def interleaving_in(trace: Trace, call: Call, first: int, last: int) -> Interleaving | None:
    """Return an interleaving that disturbed a call between two moments; None: none is known."""
    is_alone = len(trace.threads) < 2 and not trace.tasks and not trace.has_elsewhere
    if is_alone or call.id < 0 or last - first > _MOST_EVENTS:
        return None
    return _Search(trace, call, first, last).found()


class _Search:
    def __init__(self, trace: Trace, call: Call, first: int, last: int) -> None:
        self._trace = trace
        self._call = call
        self._first = first
        self._last = last
        self._conditions = Conditions(trace)

    def found(self) -> Interleaving | None:
        reads = sorted(self._reads(), key=lambda each: each.until)
        for each in self._lost(reads):
            return each
        return next(self._stale(reads), None)

    # --- What the call read ----------------------------------------------------------------------

    def _calls(self) -> Iterator[Call]:
        """Yield the call and those that it made in the same thread and task."""
        yield self._call
        until = self._trace.call_count if self._call.until is None else self._call.until
        for number in range(self._call.id + 1, min(until, self._call.id + 1 + _MOST_CALLS)):
            call = self._trace.call(number)
            if self._is_below(call):
                yield call

    def _is_below(self, call: Call) -> bool:
        while call.parent is not None and call.id > self._call.id and not call.ran_elsewhere:
            if (call.thread, call.task) != (self._call.thread, self._call.task):
                return False
            call = self._trace.call(call.parent)
        return call.id == self._call.id

    def _executions(self) -> Iterator[At]:
        for call in self._calls():
            flow = self._trace.flow(call.function)
            if flow is None:
                continue
            for stretch in stretches(self._trace, call, self._first, self._last) or ():
                if self._first <= stretch.moment <= self._last:
                    for number in stretch.ran.operations:
                        yield At(call, stretch, number, flow.operations[number])

    def _reads(self) -> Iterator[_Read]:
        count = 0
        for at in self._executions():
            does = at.operation
            is_shared = does.kind != "read" or does.scope in ("global", "cell")
            if does.kind not in _READS or not is_shared or at.stretch.until is None:
                continue
            location = self._conditions.location(at)
            if location is not None:
                yield _Read(at, location, at.stretch.until)
            count += 1
            if count >= _MOST_READS:
                return

    # --- What happened then ----------------------------------------------------------------------

    def _lost(self, reads: list[_Read]) -> Iterator[Interleaving]:
        """Yield writes of the call to what another one wrote after the call had read it."""
        for location in dict.fromkeys(each.location for each in reads):
            mine = [each for each in reads if each.location == location]
            other: Write | None = None
            for write in self._writes(location, mine[0].until):
                if not self._is_own(write):
                    other = write
                    continue
                before = [each for each in mine if each.until <= write.moment]
                if other is not None and before and before[-1].until < other.moment:
                    yield self._made(before[-1], other, _place(write))
                other = None

    def _stale(self, reads: list[_Read]) -> Iterator[Interleaving]:
        """Yield decisions on a value that another one has replaced since it was read."""
        for at in self._executions():
            if at.operation.kind != "branch":
                continue
            condition = self._conditions.condition(at.call, at.stretch, at.number)
            if condition is None:
                continue
            copies = [
                (one.call, one.moment, one.text)
                for given in self._conditions.inputs(condition)
                for one in given.through
            ]
            for read in reads:
                name = read.at.call.id, read.at.stretch.moment, self._conditions.text(read.at)
                if name not in copies:
                    continue
                since = [
                    each
                    for each in self._writes(read.location, read.until + 1)
                    if not self._is_own(each) and each.moment < at.stretch.moment
                ]
                if since:
                    span = condition.operation.span
                    line = span.line if span else None
                    place = Place(at.call.id, line, Moment(at.stretch.moment))
                    yield self._made(read, since[-1], place, is_decision=True)

    def _writes(self, location: Location, first: int) -> Iterator[Write]:
        found = self._trace.writes(location, first, self._last)
        for write in islice(found, _MOST_WRITES):
            if write.how in (writes.SET, writes.DELETED) and write.call is not None:
                yield write

    def _is_own(self, write: Write) -> bool:
        event = self._trace.event(write.moment)
        return (event.thread, event.task) == (self._call.thread, self._call.task)

    def _made(
        self, read: _Read, other: Write, write: Place, *, is_decision: bool = False
    ) -> Interleaving:
        at = read.at
        line = at.operation.span.line if at.operation.span else None
        return Interleaving(
            self._conditions.text(at),
            Place(at.call.id, line, Moment(at.stretch.moment)),
            _place(other),
            write,
            is_decision,
        )


def _place(write: Write) -> Place:
    return Place(CallId(write.call or 0), write.line, write.moment)
