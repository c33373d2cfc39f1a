"""Executions long ago: the events of a call after which an operation can have run."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sleuth.trace.events import Call, EventKind
from sleuth.trace.flow.lines import ROW
from sleuth.trace.flow.route import AT_PLACE, reached
from sleuth.trace.flow.table import Flow
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace

_MOST_READ = 100_000
"""Events that are read to find one execution."""
_WITH_SITE = (
    *range(EventKind.LOOP, EventKind.ARM + 1),
    *range(EventKind.BIND, EventKind.DELETE_SLICE + 1),
)
"""Kinds of events with a site, of which the step is known."""


class TooFar(Exception):
    """The execution is longer ago than is searched."""


def moments_before(trace: Trace, call: Call, before: int, numbers: set[int]) -> Iterator[int]:
    """Yield the events of a call after which one of some operations can have run, newest first."""
    flow = trace.flow(call.function)
    if flow is None:
        return
    begins = _begins(trace, call.function, frozenset(numbers))
    last, spent = before - 1, 0
    while last >= call.first:
        first = max(trace.begins_segment(last), call.first)
        for row, packed in trace.trails(first, last, call.id):
            spent += row.moments
            rows = np.frombuffer(packed, ROW)
            yield from reversed(rows["moment"][_may_begin(rows, flow, begins)].tolist())
        if spent > _MOST_READ:
            raise TooFar
        last = first - 1


@kept(most=1024)
def _begins(
    trace: Trace, function: int, numbers: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the steps from which the operations can be reached without an event between.

    The first set includes the steps of the operations; the second has only those before them.
    """
    flow = trace.flow(function)
    steps = flow.steps if flow else ()
    before: list[list[int]] = [[] for _ in steps]
    for number, step in enumerate(steps):
        for after in (*step.next, step.handler):
            if after >= 0:
                before[after].append(number)
    goals = {at for at, step in enumerate(steps) if numbers.intersection(step.operations)}
    found, waiting, strict = set(goals), [*goals], set[int]()
    while waiting:
        at = waiting.pop()
        # What has an event begins a stretch of its own.
        if steps[at].event is not None and at not in goals:
            continue
        strict.update(before[at])
        for earlier in before[at]:
            if earlier not in found:
                found.add(earlier)
                waiting.append(earlier)
    return frozenset(found), frozenset(strict)


def _may_begin(
    rows: npt.NDArray[np.void], flow: Flow, begins: tuple[frozenset[int], frozenset[int]]
) -> npt.NDArray[np.bool_]:
    """Tell for each event whether one of some steps can have been reached by it."""
    labels = {reached(*event) for at in begins[0] if (event := flow.steps[at].event) is not None}
    kinds, sites = rows["kind"], rows["number"]
    found: npt.NDArray[np.bool_] = ~np.isin(kinds, (*_WITH_SITE, AT_PLACE))
    for kind in np.unique(kinds).tolist():
        if kind in _WITH_SITE:
            merged, _ = reached(kind, 0)
            wanted = [site for known, site in labels if known == merged]
            found |= (kinds == kind) & np.isin(sites, wanted)
    # A callee begins while its operation is running: what can follow are later ones.
    places = rows["place"][kinds == AT_PLACE]
    near = [place for place in np.unique(places).tolist() if begins[1] & {*flow.steps_at(place)}]
    found |= (kinds == AT_PLACE) & np.isin(rows["place"], near)
    return found
