"""Calls that fulfil a query, chosen from the columns of all calls.

Values are read only where the condition needs them, for many neighbouring calls together.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sleuth.trace.columns import Columns
from sleuth.trace.events import Event, EventKind, Function
from sleuth.trace.path import RAISED, RETURN
from sleuth.trace.query.conditions import Judge
from sleuth.trace.query.frames import settings
from sleuth.trace.query.hits import FoundCall
from sleuth.trace.query.names import Called, Mask, checked, is_local, within
from sleuth.trace.query.scopes import LEFT, RETURNED, InCall
from sleuth.trace.query.syntax import (
    All,
    Any,
    Condition,
    Not,
    Query,
    Raised,
    named_in,
    raises_in,
)
from sleuth.trace.values import Absent

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_FEW, _MANY = 64, 8192
"""Calls whose values are read together: few at first, as the first hit may be enough."""
_FAR = 2000
"""Events further from each other are read one by one."""
_ENDS = {RETURNED: EventKind.RETURN, LEFT: EventKind.UNWIND}


def calls_found(
    trace: "Trace", columns: Columns, query: Query, judge: Judge, *, back: bool
) -> Iterator[FoundCall]:
    """Yield the calls of a query in order; back: the last one first."""
    called = Called(trace, columns)
    functions = called.all if query.of is None else called.fitting(query.of, query)
    names = named_in(query.where)
    checked(trace, functions, names, query)
    chosen = within(trace, columns, query, called, is_included=False)
    if query.of is not None:
        chosen &= np.isin(columns.function, [each.id for each in functions])
    chosen &= between(columns, query)
    if raises_in(query.where):
        chosen &= columns.outcome == LEFT
    wanted = np.flatnonzero(chosen)
    for some in _windows(wanted, back=back):
        scopes = [InCall(trace, columns, number) for number in some]
        if query.where is not None:
            _read(trace, scopes, query.where, {each.id: each for each in functions})
        for scope in scopes:
            if judge.holds(scope):
                yield FoundCall(scope.call)


def between(columns: Columns, query: Query) -> Mask:
    """Return which calls began before or after the moments of a query, or go on at its moment."""
    found = np.ones(len(columns), np.bool_)
    if query.before is not None:
        found &= columns.first < query.before
    if query.after is not None:
        found &= columns.first > query.after
    if query.at is not None:
        found &= ongoing(columns, query.at)
    return found


def ongoing(columns: Columns, at: int) -> Mask:
    """Return which calls had begun, and had not ended, just after a moment."""
    is_open = (columns.last < 0) | (columns.last > at)
    found: Mask = (columns.first <= at) & is_open
    return found


def _windows(wanted: npt.NDArray[np.int64], *, back: bool) -> Iterator[list[int]]:
    numbers = wanted[::-1] if back else wanted
    start, size = 0, _FEW
    while start < len(numbers):
        yield numbers[start : start + size].tolist()
        start, size = start + size, min(size * 4, _MANY)


def _read(
    trace: "Trace", scopes: Sequence[InCall], condition: Condition, functions: dict[int, Function]
) -> None:
    """Read the arguments and results that a condition needs, if there are many."""
    names = {each.path.start for each in named_in(condition) if not each.is_end}
    parameters = {name for each in functions.values() for name in each.parameters}
    if names & parameters:
        begins = events_at(trace, [scope.first for scope in scopes], EventKind.ENTER)
        for scope in scopes:
            function, event = functions.get(scope.function), begins.get(scope.first)
            if function is not None and event is not None:
                values = event.values[: len(event.values) - len(function.cells)]
                pairs = zip(function.parameters, values, strict=False)
                scope.given = {
                    name: value for name, value in pairs if not isinstance(value, Absent)
                }
    _read_finals(trace, scopes, frozenset(names - parameters), list(functions.values()))
    if names & {RETURN, RAISED} or _has_class(condition):
        for outcome, kind in _ENDS.items():
            ended = [scope for scope in scopes if scope.outcome == outcome]
            ends = events_at(trace, [scope.last for scope in ended], kind)
            for scope in ended:
                event = ends.get(scope.last)
                if event is not None and scope.last > scope.first:
                    scope.result = event.values[0]


def _read_finals(
    trace: "Trace", scopes: Sequence[InCall], names: frozenset[str], functions: list[Function]
) -> None:
    """Read what variables of calls that soon ended were at their end."""
    local = frozenset(
        name for name in names if any(is_local(trace, each, name) for each in functions)
    )
    first = min(scope.first for scope in scopes)
    until = max(scope.first for scope in scopes) + _FAR
    short = {scope.number: scope for scope in scopes if 0 <= scope.last <= until}
    if not local or len(short) < _FEW or (until - first) > _FAR * len(short):
        return
    for several in settings(trace, functions, local, (first, until)):
        for each in several:
            scope = short.get(each.call)
            if scope is not None and each.moment < scope.last:
                if isinstance(each.value, Absent):
                    scope.finals.pop(each.name, None)
                else:
                    scope.finals[each.name] = each.value


def _has_class(condition: Condition) -> bool:
    match condition:
        case Raised(pattern):
            return bool(pattern)
        case Not(inner):
            return _has_class(inner)
        case All(parts) | Any(parts):
            return any(map(_has_class, parts))
    return False


def events_at(trace: "Trace", moments: Sequence[int], kind: EventKind) -> dict[int, Event]:
    """Return the events of a kind at some moments; those that are far from others are left out."""
    found: dict[int, Event] = {}
    ordered = sorted(moments)
    start = 0
    for at in range(1, len(ordered) + 1):
        if at < len(ordered) and ordered[at] - ordered[at - 1] <= _FAR:
            continue
        if at - start > 2:
            wanted = set(ordered[start:at])
            for event in trace.events(ordered[start], ordered[at - 1], kind=kind):
                if event.moment in wanted:
                    found[event.moment] = event
        start = at
    return found
