"""Writes to a location, to a variable of all calls of a function, to an attribute of a class."""

from collections.abc import Iterator
from heapq import merge
from typing import TYPE_CHECKING

import numpy as np

from sleuth.trace import conventions
from sleuth.trace.columns import Columns
from sleuth.trace.events import Call, Function
from sleuth.trace.history.locations import Inside, Location, pointed
from sleuth.trace.history.writes import Write
from sleuth.trace.path import PathError
from sleuth.trace.query.conditions import Judge
from sleuth.trace.query.frames import settings
from sleuth.trace.query.hits import FoundWrite
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.names import (
    Called,
    Mask,
    fits,
    is_local,
    own_names,
    type_names,
    within,
)
from sleuth.trace.query.scopes import InTable
from sleuth.trace.query.syntax import Named, Query, named_in
from sleuth.trace.values import ABSENT, Atom, Ref, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

NAMES = ("value", "old")
_MOST_NAMED = 3
_Dated = tuple[Write, Location | None]


def writes_found(
    trace: "Trace", columns: Columns, query: Query, judge: Judge, where: tuple[Call, Named]
) -> Iterator[FoundWrite]:
    """Yield the writes in order; where: the call in which a path is looked up, and the path."""
    call, to = where
    of_writes(query)
    called = Called(trace, columns)
    chosen = within(trace, columns, query, called, is_included=True)
    before: dict[object, Value] = {}
    for write, location in _all(trace, (columns, called), query, call, to):
        place = location if location is not None else write.call
        old = before.get(place, ABSENT)
        before[place] = write.value
        if query.before is not None and write.moment >= query.before:
            return
        if not _is_chosen(write, query, chosen):
            continue
        scope = InTable(trace, {"value": write.value, "old": old}, write.moment + 1)
        if judge.holds(scope):
            holder = location.holder if isinstance(location, Inside) else None
            is_class = holder is not None and _is_class(to, holder)
            yield FoundWrite(str(to), write, holder if is_class else None)


def of_writes(query: Query, names: tuple[str, ...] = NAMES) -> None:
    """QueryError: the condition names something else than there is."""
    for named in named_in(query.where):
        if named.path.start not in names or named.path.is_global:
            there = " and ".join(names)
            raise QueryError(
                f"A condition on {query.what} can name {there}, not {named.path.start}.",
                query.text,
                named.at,
            )


def _is_chosen(write: Write, query: Query, chosen: Mask) -> bool:
    if query.after is not None and write.moment <= query.after:
        return False
    if query.at is not None and write.moment != query.at:
        return False
    if query.inside or query.strand is not None:
        return write.call is not None and bool(chosen[write.call])
    return True


def _all(
    trace: "Trace", known: tuple[Columns, Called], query: Query, call: Call, named: Named
) -> Iterator[_Dated]:
    columns, called = known
    if query.inside:
        yield from _in_calls(trace, columns, called.fitting(query.inside[-1], query), query, named)
        return
    is_pattern = "*" in named.path.start or "?" in named.path.start
    problem: PathError | None = None
    found = None
    if not is_pattern:
        try:
            found = pointed(trace, str(named.path), call)
        except PathError as error:
            problem = error
    code = conventions.of(trace.meta.get("language")).code
    start = None
    if problem is None and found is not None and len(named.path.steps) == 1:
        start = pointed(trace, named.path.start, call).value
    is_code = isinstance(start, Ref) and start.type_name in code
    if found is not None and not is_code:
        yield from ((write, found.location) for write in trace.writes(found.location))
        return
    holders = _objects(trace, named) if named.path.steps else []
    if holders:
        yield from _of_objects(trace, named, holders)
    elif found is not None:
        yield from ((write, found.location) for write in trace.writes(found.location))
    else:
        raise _missing(trace, called, query, named, problem)


def _missing(
    trace: "Trace", called: Called, query: Query, named: Named, problem: PathError | None
) -> QueryError:
    start = named.path.start
    having = [each.qualified_name for each in called.all if start in own_names(trace, each)]
    words = str(problem) if problem is not None else f"No object of {start} was found."
    if having and f"There is no {start} " in words:
        some = ", ".join(having[:_MOST_NAMED])
        words = f"There is no {start} here. It is a variable of {some}. Add: in {having[0]}"
    return QueryError(words, query.text, named.at)


# --- Variables and paths of the calls of a function ----------------------------------------------


def _in_calls(
    trace: "Trace", columns: Columns, functions: list[Function], query: Query, named: Named
) -> Iterator[_Dated]:
    name = named.path.start
    if not named.path.steps and all(is_local(trace, each, name) for each in functions):
        span = (0, trace.event_count - 1)
        for several in settings(trace, functions, frozenset((name,)), span):
            for each in several:
                yield Write(each.value, each.moment, each.call, each.line, each.how), None
        return
    calls = np.flatnonzero(np.isin(columns.function, [each.id for each in functions]))
    locations: dict[Location, None] = {}
    problem: PathError | None = None
    for number in calls.tolist():
        try:
            locations[pointed(trace, str(named.path), trace.call(number)).location] = None
        except PathError as error:
            problem = problem or error
    if not locations and problem is not None:
        raise QueryError(str(problem), query.text, named.at)
    yield from _merged(trace, list(locations))


# --- Attributes of all objects of a class --------------------------------------------------------


def _is_class(named: Named, holder: Ref) -> bool:
    return fits(_class_of(named), type_names(holder.type_name))


def _class_of(named: Named) -> str:
    """Return the name of the class in `shop.Order.total`."""
    return ".".join((named.path.start, *(step.text for step in named.path.steps[:-1])))


def _objects(trace: "Trace", named: Named) -> list[Ref]:
    """Return all objects of a class in the order in which they are seen, in one pass."""
    wanted = _class_of(named)
    known: dict[str, bool] = {}
    found: dict[Ref, None] = {}
    for event in trace.events(0, trace.event_count - 1):
        for value in event.values:
            if isinstance(value, Ref):
                fitting = known.get(value.type_name)
                if fitting is None:
                    fitting = fits(wanted, type_names(value.type_name))
                    known[value.type_name] = fitting
                if fitting:
                    found[value] = None
    return list(found)


def _of_objects(trace: "Trace", named: Named, holders: list[Ref]) -> Iterator[_Dated]:
    key = Atom(named.path.steps[-1].text)
    return _merged(trace, [Inside(each, "attributes", key) for each in holders])


def _merged(trace: "Trace", locations: list[Location]) -> Iterator[_Dated]:
    def of(location: Location) -> Iterator[_Dated]:
        return ((write, location) for write in trace.writes(location))

    return merge(*map(of, locations), key=lambda pair: pair[0].moment)
