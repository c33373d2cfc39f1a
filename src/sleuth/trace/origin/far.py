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

_MOST_READ = 400_000
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
def _begins(trace: Trace, function: int, numbers: frozenset[int]) -> frozenset[int]:
    """Return the steps from which the operations can be reached without an event between."""
    flow = trace.flow(function)
    if flow is None:
        return frozenset()
    before: list[list[int]] = [[] for _ in flow.steps]
    for number, step in enumerate(flow.steps):
        for after in (*step.next, step.handler):
            if after >= 0:
                before[after].append(number)
    goals = {at for at, step in enumerate(flow.steps) if numbers.intersection(step.operations)}
    found, waiting = set(goals), [*goals]
    while waiting:
        at = waiting.pop()
        # What has an event begins a stretch of its own.
        if flow.steps[at].event is not None and at not in goals:
            continue
        for earlier in before[at]:
            if earlier not in found:
                found.add(earlier)
                waiting.append(earlier)
    return frozenset(found)


def _may_begin(
    rows: npt.NDArray[np.void], flow: Flow, begins: frozenset[int]
) -> npt.NDArray[np.bool_]:
    """Tell for each event whether one of some steps can have been reached by it."""
    labels = {reached(*event) for at in begins if (event := flow.steps[at].event) is not None}
    kinds, sites = rows["kind"], rows["number"]
    found = ~np.isin(kinds, (*_WITH_SITE, AT_PLACE))
    for kind in np.unique(kinds).tolist():
        if kind in _WITH_SITE:
            merged, _ = reached(kind, 0)
            wanted = [site for known, site in labels if known == merged]
            found |= (kinds == kind) & np.isin(sites, wanted)
    places = rows["place"][kinds == AT_PLACE]
    near = [place for place in np.unique(places).tolist() if begins & {*flow.steps_at(place)}]
    is_near: npt.NDArray[np.bool_] = found | ((kinds == AT_PLACE) & np.isin(rows["place"], near))
    return is_near
