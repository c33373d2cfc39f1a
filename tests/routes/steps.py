"""The certain steps of each call, in order, by its route."""

from collections.abc import Iterator, Sequence

import numpy as np

from sleuth.trace.events import Call, EventKind, Span
from sleuth.trace.flow import lines
from sleuth.trace.flow.route import Label, Routes, State
from sleuth.trace.flow.table import Flow, Statement, Step
from sleuth.trace.reader import Trace

_Edge = tuple[State, int, State]
"""From one state to another, and the steps that ran between, as bits."""


class StepRoutes:
    """Finds the steps of calls, with a cache, as many calls take the same route."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._of: dict[int, _Walker | None] = {}
        self._known: dict[tuple[int, bool, bytes], tuple[int, ...] | None] = {}

    def all(self) -> dict[int, tuple[int, ...] | None]:
        """Return the certain steps of all calls, by their numbers; None: no route fits."""
        labels: dict[int, list[lines.Labels]] = {}
        for _, packed in self._trace.trails(0, self._trace.event_count - 1):
            for call, found in lines.by_call(np.frombuffer(packed, lines.ROW)):
                labels.setdefault(call, []).append(found)
        return {
            call.id: self._steps(call, np.concatenate(labels[call.id]))
            for call in self._trace.calls()
            if call.id in labels
        }

    def _steps(self, call: Call, labels: lines.Labels) -> tuple[int, ...] | None:
        key = call.function, call.parent_is_resumer, labels.tobytes()
        if key not in self._known:
            self._known[key] = self._walked(call, labels)
        return self._known[key]

    def _walked(self, call: Call, labels: lines.Labels) -> tuple[int, ...] | None:
        if call.function not in self._of:
            flow = self._trace.flow(call.function)
            self._of[call.function] = None if flow is None else _Walker(flow)
        walker = self._of[call.function]
        if walker is None:
            return None
        plain = lines.made_plain(labels[1:], len(labels) - 1)
        told = [Label(kind, site, place) for site, place, kind in plain.tolist()]
        return walker.walked(told, is_resumed=call.parent_is_resumer)


class _Walker:
    """Follows routes of one function, with a bit for each step instead of each statement."""

    def __init__(self, flow: Flow) -> None:
        steps = tuple(
            step._replace(statement=number, line=0) for number, step in enumerate(flow.steps)
        )
        nothing = Statement("other", -1, "body", Span(1, 0, 1, 0))
        self._routes = Routes(Flow((nothing,) * len(steps), steps, {}))
        self._order = _order(flow)

    def walked(self, labels: Sequence[Label], *, is_resumed: bool) -> tuple[int, ...] | None:
        start = self._routes.start(is_resumed=is_resumed)
        if start is None:
            return None
        levels: list[list[_Edge]] = []
        states = {start}
        for label in labels:
            edges = [
                (state, ran, there)
                for state in states
                for there, ran in self._routes.ways(state, label).items()
            ]
            states = {there for _, _, there in edges}
            levels.append(edges)
        if not states:
            return None
        found: list[int] = []
        for edges in _alive(levels, states):
            found += self._ordered(edges)
        last = self._routes.certain(dict.fromkeys(states, 0)) or 0
        return (*found, *_numbers(last))

    def _ordered(self, edges: list[_Edge]) -> list[int]:
        """Return the steps that ran on all ways, in order."""
        common = -1
        for _, ran, _ in edges:
            common &= ran
        first = {state // 2 for state, _, _ in edges}
        return sorted(_numbers(common), key=lambda step: (step not in first, self._order[step]))


def _alive(levels: list[list[_Edge]], states: set[State]) -> list[list[_Edge]]:
    """Drop the ways that don't reach the end."""
    found = []
    for edges in reversed(levels):
        kept = [edge for edge in edges if edge[2] in states]
        states = {state for state, _, _ in kept}
        found.append(kept)
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
