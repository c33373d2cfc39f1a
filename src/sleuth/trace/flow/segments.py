"""The steps and operations that a call ran between two of its own events, in order.

`stretches(trace, call, first, last)` returns them for the events in an interval of moments.
An execution of an operation is named by its call, the moment of the last own event before it, and
the operation: an `Instance`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sleuth.trace.events import Call, CallId, EventKind
from sleuth.trace.flow.lines import ROW, Labels, plain_labels
from sleuth.trace.flow.route import Label, State, StepRoutes
from sleuth.trace.flow.table import Flow, Step
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace

_Edge = tuple[State, State]
"""From one state to another."""


class Instance(NamedTuple):
    """One execution of an operation."""

    call: CallId
    moment: int
    """The moment of the last own event before it."""
    operation: int


class Between(NamedTuple):
    """What ran between two events of a call: the same for all calls of the function."""

    steps: tuple[int, ...]
    """The steps that certainly ran, in order."""
    operations: tuple[int, ...]
    """Their operations, in order; none occurs twice."""
    is_certain: bool
    """False: there are several ways, and other steps ran besides these."""


class Stretch(NamedTuple):
    """What a call ran between two of its own events."""

    moment: int
    """The event before it; its step's operation belongs to this stretch."""
    until: int | None
    """The event after it, an event of the call or the beginning of its callee; None: it is not
    known, or there is none."""
    ran: Between


class Segments:
    """Finds what ran between two events, for the calls of one function."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.routes = StepRoutes(flow)
        self._order = _order(flow)
        self._known: dict[tuple[_Edge, Label], Between] = {}

    def between(self, edge: _Edge, label: Label) -> Between:
        """Return what ran from one state to another, where a label led to."""
        found = self._known.get((edge, label))
        if found is None:
            found = self._known[edge, label] = self._find(edge, label)
        return found

    def last(self, state: State) -> Between:
        """Return what certainly began after the last event of a call."""
        step, has_happened = divmod(state, 2)
        if not has_happened:
            return _NOTHING
        following = self.flow.steps[step].next
        return self._made([step, *following] if len(following) == 1 else [step])

    def _find(self, edge: _Edge, label: Label) -> Between:
        source, target = edge
        bits = self.routes.ways(source, label)[target]
        steps = set(_numbers(bits))
        # The operation of a step comes after the step's event; a step that is running has begun.
        if target % 2:
            steps.discard(target // 2)
        steps.discard(source // 2)
        order = sorted(steps, key=self._order.__getitem__)
        if source % 2:
            order.insert(0, source // 2)
        found = self._made(order)
        chain = [source // 2, *order, target // 2]
        return found._replace(is_certain=self._is_chain(chain))

    def _made(self, steps: Sequence[int]) -> Between:
        numbers = (number for step in steps for number in self.flow.steps[step].operations)
        return Between(tuple(steps), tuple(dict.fromkeys(numbers)), is_certain=True)

    def _is_chain(self, chain: Sequence[int]) -> bool:
        steps = self.flow.steps
        return all(
            before == after or after in steps[before].next or after == steps[before].handler
            for before, after in pairwise(chain)
        )


_NOTHING = Between((), (), is_certain=True)


@kept(most=4096)
def segments_of(trace: Trace, function: int) -> Segments | None:
    """Return the segments of a function; None: the trace has no flow for it."""
    flow = trace.flow(function)
    return None if flow is None or not flow.operations else Segments(flow)


@kept(most=256)
def stretches(trace: Trace, call: Call, first: int, last: int) -> tuple[Stretch, ...] | None:
    """Return what a call ran after each of its own events from first to last.

    None: it is not known.  An own event is an event of the call, or the beginning of a callee.
    The last stretch reaches up to the first own event after `last`.
    """
    segments = segments_of(trace, call.function)
    if segments is None:
        return None
    moments, labels = _told(trace, call, first, last)
    states: list[State] = []
    if first <= call.first:
        start = segments.routes.start(is_resumed=call.parent_is_resumer)
        if start is None or not moments:
            return None
        states = [start]
    elif moments:
        states = list(segments.routes.anywhere(labels[0]))
    if not states:
        return ()
    levels: list[list[_Edge]] = []
    for label in labels[1:]:
        edges = [(state, there) for state in states for there in segments.routes.ways(state, label)]
        states = list(dict.fromkeys(there for _, there in edges))
        levels.append(edges)
        if not states:
            return None
    found = [
        Stretch(before, after, _common([segments.between(edge, label) for edge in edges]))
        for before, after, label, edges in zip(
            moments, moments[1:], labels[1:], _alive(levels, states), strict=False
        )
    ]
    if moments[-1] <= last:
        found.append(Stretch(moments[-1], None, _common([segments.last(each) for each in states])))
    return tuple(found)


def instances(trace: Trace, call: Call, first: int, last: int) -> Iterator[Instance]:
    """Yield the executions of operations that certainly began after the events in an interval."""
    for stretch in stretches(trace, call, first, last) or ():
        for operation in stretch.ran.operations:
            yield Instance(call.id, stretch.moment, operation)


def _told(trace: Trace, call: Call, first: int, last: int) -> tuple[list[int], list[Label]]:
    """Return the own events from first to last and one more, with their labels."""
    end = trace.event_count - 1 if call.last is None else call.last
    start = max(first, call.first)
    blocks = [
        np.frombuffer(packed, ROW) for _, packed in trace.trails(start, min(last, end), call.id)
    ]
    blocks += _behind(trace, call, max(last + 1, start), end)
    rows = np.concatenate([*blocks, np.empty(0, ROW)])
    labels: Labels = np.stack(
        [rows["number"], rows["place"], rows["kind"].astype(np.int32)], axis=1
    )
    stop = int(np.searchsorted(rows["moment"], last, "right")) + _BEHIND
    plain, at = plain_labels(labels[:stop], min(stop, len(labels)))
    moments = rows["moment"][at].tolist()
    kept_count = int(np.searchsorted(moments, last, "right")) + 1
    told = [Label(kind, site, place) for site, place, kind in plain[:kept_count].tolist()]
    return moments[:kept_count], told


_BEHIND = 64
_UNCLEAR = (EventKind.RAISE, EventKind.UNBIND)
"""Kinds of labels whose meaning can depend on those behind them."""
_WINDOW, _WIDER = 1024, 4
_DEEPEST = 10_000


def _behind(trace: Trace, call: Call, start: int, end: int) -> list[npt.NDArray[np.void]]:
    """Return the next own events from a moment on: one, or as many as make its meaning clear."""
    found: list[npt.NDArray[np.void]] = []
    count, size = 0, _WINDOW
    while start <= end and count < _BEHIND:
        last = min(start + size - 1, end)
        for _, packed in trace.trails(start, last, call.id):
            rows = np.frombuffer(packed, ROW)
            count += len(rows)
            found += [rows] if len(rows) else []
        if found and not np.isin(found[-1]["kind"][-1], _UNCLEAR):
            break
        # Callees may run for a long time: go to the end of the one that is running.
        child = callee_at(trace, call, last) if last < end else None
        is_over = child is not None and child.last is not None and child.last > last
        start = child.last + 1 if is_over and child and child.last else last + 1
        size *= _WIDER
    return found


def callee_at(trace: Trace, call: Call, moment: int) -> Call | None:
    """Return the direct callee during which a moment lies; None: there is none, or not known."""
    event = trace.event(moment)
    number = event.call
    for _ in range(_DEEPEST):
        if number is None or number <= call.id:
            return None
        known = trace.call(number)
        if known.is_resumable or known.ran_elsewhere or known.thread != call.thread:
            return None
        if known.parent == call.id:
            return known
        number = known.parent
    return None


def _common(found: Sequence[Between]) -> Between:
    """Return what several alternatives have in common."""
    if len(found) == 1:
        return found[0]
    shared = set.intersection(*(set(each.steps) for each in found))
    numbers = set.intersection(*(set(each.operations) for each in found))
    return Between(
        tuple(step for step in found[0].steps if step in shared),
        tuple(number for number in found[0].operations if number in numbers),
        is_certain=False,
    )


def _alive(levels: list[list[_Edge]], states: Sequence[State]) -> list[list[_Edge]]:
    """Drop the ways that don't reach the end."""
    found = []
    reached = set(states)
    for edges in reversed(levels):
        alive = [edge for edge in edges if edge[1] in reached]
        reached = {state for state, _ in alive}
        found.append(alive)
    return found[::-1]


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _can_be_unseen(step: Step) -> bool:
    """Tell whether a call can go on from a step without an event."""
    return step.event is None or step.event[0] == EventKind.SUSPEND


def _order(flow: Flow) -> list[int]:
    """Number the steps so that each comes before those that can follow it without an event."""
    leads = [
        [each for each in (*step.next, step.handler) if each >= 0] if _can_be_unseen(step) else []
        for step in flow.steps
    ]
    order = [0] * len(leads)
    seen: set[int] = set()
    done: list[int] = []
    for root in range(len(leads)):
        work = [(root, iter(leads[root]))] if root not in seen else []
        seen.add(root)
        while work:
            step, following = work[-1]
            for after in following:
                if after not in seen:
                    seen.add(after)
                    work.append((after, iter(leads[after])))
                    break
            else:
                done.append(step)
                work.pop()
    for at, step in enumerate(reversed(done)):
        order[step] = at
    return order
