"""Ways: the operations that a call runs from one of its own events to the next, in order.

What lies between two events is the same for every call, so it is found once for each pair of state
and label.  Where several ways fit, all are kept: what is not on each of them is told apart.
"""

from collections.abc import Iterable
from typing import NamedTuple

from sleuth.trace.flow.route import AT_PLACE, Label, State, StepRoutes
from sleuth.trace.flow.table import Flow

_MOST_WAYS = 16
"""States that are followed at once."""


class Way(NamedTuple):
    """The operations between two events."""

    state: int
    """A number for the state behind it."""
    at: int
    """The operation that is running then, and calls others; -1: none."""
    operations: tuple[int, ...]
    """Those that ran, in order."""
    perhaps: frozenset[int]
    """Those of them that are not on every way."""


class Ways:
    """The ways of one function, with a number for each set of states."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._routes = StepRoutes(flow)
        self._numbers: dict[frozenset[State], int] = {}
        self._states: list[frozenset[State]] = []
        self._known: dict[tuple[int, Label], Way | None] = {}

    def start(self, *, is_resumed: bool) -> int:
        """Return the number of the state in which a call begins; -1: it is not known."""
        first = self._routes.start(is_resumed=is_resumed)
        return -1 if first is None else self._number(frozenset({first}))

    def follow(self, state: int, label: Label) -> Way | None:
        """Return what runs from a state to an event; None: the event does not fit."""
        key = state, label
        if key not in self._known:
            self._known[key] = self._find(self._states[state], label)
        return self._known[key]

    def rest(self, state: int) -> Way:
        """Return what runs from a state to the end of the call, or to a decision."""
        return Way(state, -1, tuple(self._ahead(state)), frozenset())

    def begun(self, state: int) -> Way:
        """Return what runs from a state up to the store or `yield` of its event."""
        found = []
        for number in self._ahead(state):
            found.append(number)
            kind = self.flow.operations[number].kind
            if kind.startswith(("store", "delete")) or kind in ("yield", "wait", "iterate"):
                return Way(state, -1, tuple(found), frozenset())
        return Way(state, -1, (), frozenset())

    # --- Inside ----------------------------------------------------------------------------------

    def _number(self, states: frozenset[State]) -> int:
        if states not in self._numbers:
            self._numbers[states] = len(self._states)
            self._states.append(states)
        return self._numbers[states]

    def _ahead(self, state: int) -> Iterable[int]:
        states = self._states[state]
        if len(states) != 1:
            return
        (only,) = states
        steps = self.flow.steps
        at, has_happened = divmod(only, 2)
        if has_happened:
            if len(steps[at].next) != 1:
                return
            at = steps[at].next[0]
        while steps[at].event is None:
            yield from steps[at].operations
            if len(steps[at].next) != 1:
                return
            at = steps[at].next[0]

    def _find(self, states: frozenset[State], label: Label) -> Way | None:
        ran: list[tuple[State, State, int]] = [
            (start, end, bits)
            for start in sorted(states)
            for end, bits in sorted(self._routes.ways(start, label).items())
        ][:_MOST_WAYS]
        if not ran:
            return None
        ends = frozenset(end for _, end, _ in ran)
        certain, possible = -1, 0
        for start, end, bits in ran:
            without = bits & ~(1 << end // 2)
            if start // 2 == end // 2 and not start % 2 and not end % 2:
                without = 0
            certain &= without
            possible |= without | self._between(start, end)
        steps = self._ordered([start for start, _, _ in ran], possible)
        operations = [number for step in steps for number in self.flow.steps[step].operations]
        perhaps = frozenset(
            number
            for step in steps
            if not certain >> step & 1
            for number in self.flow.steps[step].operations
        )
        at = {self._running(end) for end in ends} if label.kind == AT_PLACE else {-1}
        return Way(self._number(ends), at.pop() if len(at) == 1 else -1, tuple(operations), perhaps)

    def _running(self, state: State) -> int:
        numbers = self.flow.steps[state // 2].operations
        return numbers[-1] if numbers else -1

    def _between(self, start: State, end: State) -> int:
        """Return the silent steps on some way from one state to another, as bits."""
        steps = self.flow.steps
        first, has_happened = divmod(start, 2)
        begin = steps[first].next if has_happened else (first,)
        seen: dict[int, tuple[int, ...]] = {}
        waiting = [*begin]
        goal = end // 2
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen[at] = () if at == goal or steps[at].event is not None else steps[at].next
            waiting += seen[at]
        if goal not in seen:
            return 0
        leads = {goal}
        before: dict[int, list[int]] = {}
        for at, after in seen.items():
            for way in after:
                before.setdefault(way, []).append(at)
        waiting = [goal]
        found = 0
        while waiting:
            for at in before.get(waiting.pop(), ()):
                if at not in leads:
                    leads.add(at)
                    waiting.append(at)
                    found |= 1 << at
        return found

    def _ordered(self, starts: Iterable[State], wanted: int) -> list[int]:
        """Return steps in the order in which they ran."""
        steps = self.flow.steps
        done: list[int] = []
        seen: set[int] = set()
        for start in sorted({start // 2 for start in starts}, reverse=True):
            waiting = [(start, iter(self._leads(start)))]
            seen.add(start)
            while waiting:
                at, rest = waiting[-1]
                for step in rest:
                    if step not in seen and wanted >> step & 1:
                        seen.add(step)
                        waiting.append((step, iter(self._leads(step))))
                        break
                else:
                    waiting.pop()
                    done.append(at)
        ordered = [step for step in reversed(done) if wanted >> step & 1]
        known = set(ordered)
        rest_of = [step for step in range(len(steps)) if wanted >> step & 1 and step not in known]
        return ordered + rest_of

    def _leads(self, step: int) -> list[int]:
        here = self.flow.steps[step]
        return [*([here.handler] if here.handler >= 0 else []), *here.next]
