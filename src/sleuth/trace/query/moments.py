"""Moments at which a condition on the variables of a call becomes true.

Where the condition names only variables that no other code can set, they are followed through the
events.  Otherwise each call is watched: the condition is decided again after each write to one of
the locations that it depends on.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from sleuth.trace.columns import Columns
from sleuth.trace.events import Call, Function, Moment
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.locations import Inside, Location, pointed, variable_of
from sleuth.trace.history.steps import stepped
from sleuth.trace.history.writes import line_of
from sleuth.trace.path import Path, PathError
from sleuth.trace.query.conditions import Judge
from sleuth.trace.query.frames import settings
from sleuth.trace.query.hits import FoundMoment
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.names import Called, checked, is_local, known_names, own_names, within
from sleuth.trace.query.scopes import AtMoment, InFrame, found_at
from sleuth.trace.query.syntax import Named, Query, looks_inside, named_in
from sleuth.trace.values import ABSENT, Atom, Ref, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_MOST_FRAMES = 20_000
"""Calls whose variables are kept before those of ended calls are dropped."""


def moments_found(
    trace: "Trace", columns: Columns, query: Query, judge: Judge
) -> Iterator[FoundMoment]:
    """Yield the moments in order."""
    called = Called(trace, columns)
    names = named_in(query.where)
    functions = _functions(trace, called, query, names)
    numbers = [each.id for each in functions]
    chosen = within(trace, columns, query, called, is_included=True)
    chosen &= np.isin(columns.function, numbers)
    calls = np.flatnonzero(chosen)
    if not len(calls):
        return
    is_plain = not looks_inside(query.where) and all(
        is_local(trace, each, named.path.start) for named in names for each in functions
    )
    if is_plain:
        found = _followed(trace, columns, judge, names, (functions, set(calls.tolist())))
    else:
        found = _watched(trace, judge, names, calls.tolist())
    for hit in found:
        if query.before is not None and hit.moment >= query.before:
            return
        is_late = query.after is None or hit.moment > query.after
        if is_late and (query.at is None or hit.moment == query.at):
            yield hit


def _functions(
    trace: "Trace", called: Called, query: Query, names: Sequence[Named]
) -> list[Function]:
    """Return the functions in whose calls the names are looked up."""
    if query.inside:
        functions = called.fitting(query.inside[-1], query)
        checked(trace, functions, names, query)
        return functions
    starts = {each.path.start for each in names if not each.path.is_global}
    if not starts:
        raise QueryError("The condition names no variable.", query.text, query.text.find("where"))
    having = [each for each in called.all if starts & own_names(trace, each)]
    functions = [each for each in having if starts <= known_names(trace, each)]
    if not functions:
        checked(trace, called.all, names, query)
        raise QueryError(
            f"No function has all of these variables: {', '.join(sorted(starts))}.",
            query.text,
            names[-1].at,
        )
    return functions


# --- Followed through the events -----------------------------------------------------------------


def _followed(
    trace: "Trace",
    columns: Columns,
    judge: Judge,
    names: Sequence[Named],
    where: tuple[list[Function], set[int]],
) -> Iterator[FoundMoment]:
    functions, calls = where
    frames: dict[int, dict[str, Value]] = {}
    was: dict[int, bool] = {}
    wanted = frozenset(each.path.start for each in names)
    ends = [int(columns.last[call]) for call in calls]
    last = trace.event_count - 1 if -1 in ends else max(ends)
    span = min(int(columns.first[call]) for call in calls), last
    for several in settings(trace, functions, wanted, span):
        if not several or several[0].call not in calls:
            continue
        call, at = several[0].call, several[0].moment
        frame = frames.setdefault(call, {})
        frame.update({each.name: each.value for each in several})
        now = len(frame) >= 1 and judge.holds(InFrame(frame, at + 1))
        if now and not was.get(call, False):
            shown = tuple((str(each), frame.get(each.path.start, ABSENT)) for each in names)
            line = several[0].line
            about = trace.call(call)
            yield FoundMoment(at, about, about, line, shown)
        was[call] = now
        if len(frames) > _MOST_FRAMES:
            for ended in [each for each in frames if 0 <= columns.last[each] < at]:
                del frames[ended], was[ended]


# --- Watched by locations ------------------------------------------------------------------------


class _Watch:
    """The condition in one call, from one write to the next."""

    def __init__(self, trace: "Trace", call: Call, names: Sequence[Named]) -> None:
        self.call = call
        self.at: int | None = int(call.first)
        """The moment after which the condition is decided next; None: never again."""
        self._trace = trace
        self._names = names
        self._end = end_of(trace, call)
        self._was = False

    def step(self, judge: Judge, at: int) -> FoundMoment | None:
        """Decide the condition, then go to the next write; None: it did not become true."""
        now = judge.holds(AtMoment(self._trace, self.call, at + 1))
        became = now and not self._was
        self._was = now
        hit = self._hit(at) if became else None
        self.at = self._next(at)
        return hit

    def _hit(self, at: int) -> FoundMoment:
        event = self._trace.event(at)
        by = self.call if event.call is None else self._trace.call(event.call)
        values = tuple((str(each), self._value(each.path, at)) for each in self._names)
        return FoundMoment(Moment(at), self.call, by, line_of(self._trace, event), values)

    def _value(self, path: Path, at: int) -> Value:
        try:
            return pointed(self._trace, str(path), self.call, Moment(at + 1)).value
        except PathError:
            return ABSENT

    def _next(self, at: int) -> int | None:
        found: int | None = None
        last = min(int(self._end), self._trace.event_count - 1)
        for named in self._names:
            for place in self._places(named.path, at):
                end = last if found is None else min(last, found - 1)
                if isinstance(place, Ref):
                    when = next(self._trace.touched(place, at + 1, end), None)
                else:
                    write = next(self._trace.writes(place, at + 1, end), None)
                    when = None if write is None else write.moment
                found = found if when is None else int(when)
        return found

    def _places(self, path: Path, at: int) -> Iterator[Location | Ref]:
        """Yield the locations that a path leads through, and the object that it ends at."""
        start = Path(path.start, path.steps if path.is_global else (), path.is_global)
        moment = Moment(min(at + 1, self._trace.event_count))
        try:
            found = (
                pointed(self._trace, str(start), self.call, moment)
                if path.is_global
                else found_at(self._trace, start, self.call, moment)
            )
        except PathError:
            if not path.is_global:
                yield variable_of(self._trace, path.start, self.call)
            return
        yield found.location
        value = found.value
        for step in () if path.is_global else path.steps:
            if not isinstance(value, Ref):
                return
            try:
                inner = stepped(self._trace, value, step, moment, path.start)
            except PathError:
                attribute = Inside(value, "attributes", Atom(step.text))
                yield attribute if step.kind == "attribute" else value
                return
            yield Inside(inner.holder, inner.kind, inner.key)
            value = inner.value
        if isinstance(value, Ref):
            yield value


def _watched(
    trace: "Trace", judge: Judge, names: Sequence[Named], calls: list[int]
) -> Iterator[FoundMoment]:
    """Watch all calls together, so that the moments come in order."""
    queue: list[tuple[int, int, _Watch]] = []
    waiting = iter(calls)
    upcoming = next(waiting, None)
    begins = None if upcoming is None else trace.call(upcoming)
    while queue or begins is not None:
        while begins is not None and (not queue or begins.first <= queue[0][0]):
            heappush(queue, (int(begins.first), int(begins.id), _Watch(trace, begins, names)))
            upcoming = next(waiting, None)
            begins = None if upcoming is None else trace.call(upcoming)
        at, number, watch = heappop(queue)
        hit = watch.step(judge, at)
        if watch.at is not None:
            heappush(queue, (watch.at, number, watch))
        if hit is not None:
            yield hit
