"""The route of a call: the steps of its function that it ran, found from its own events.

Between two events a call goes from step to step without an event, and never in a circle.  So all
ways from one event to the next are known beforehand.  If there are several, later events
decide; a step that is not on all of the remaining ways is not reported.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sleuth.trace.events import EventKind
from sleuth.trace.flow.table import NONE, Flow

_STORES = range(EventKind.SET_ATTRIBUTE, EventKind.DELETE_SLICE + 1)


class Label(NamedTuple):
    """The part of an event that matters for the route."""

    kind: int
    number: int = 0
    """The site; 0: no site."""
    place: int = NONE
    """The place in the call; -1: not known."""


def reached(kind: int, site: int) -> tuple[int, int]:
    """Return kind and site to compare steps with events; all stores into objects are one kind."""
    return (EventKind.SET_ITEM if kind in _STORES else kind), site


AT_PLACE = 0
"""Kind of a label: a step at this place was reached."""
FOUND = 1
"""Kind of a label: a call starts or goes on without a sent value, maybe by a thrown exception."""
_EXCEPTIONS = (EventKind.CATCH, EventKind.UNWIND)

_MOST_KEPT, _ITEM_SIZE = 32 << 20, 100
"""Bytes that the cache of ways may take, and roughly the size of one way."""

State = int
"""Twice a step, plus one if its event has happened."""
Ways = dict[State, int]
"""State -> what ran on all ways to it: bits of statements, then of lines."""


class Routes:
    """Finds the routes of the calls of one function."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._line_at = {line: at for at, line in enumerate(flow.lines)}
        self._spent = 0
        self._reached = [
            None if step.event is None else reached(*step.event) for step in flow.steps
        ]
        self._silent: dict[int, dict[int, int]] = {}
        self._ways: dict[tuple[State, Label], Ways] = {}

    def start(self, *, is_resumed: bool) -> State | None:
        """Return the state in which a call begins; a generator may first be seen when resumed."""
        first = self.flow.step_of(EventKind.RESUME if is_resumed else EventKind.ENTER)
        return None if first < 0 else 2 * first + 1

    def anywhere(self, label: Label) -> Ways:
        """Return all states that a label can lead to, from any state."""
        if label.kind == AT_PLACE:
            return {2 * step: self._bit(step) for step in self.flow.steps_at(label.place)}
        kind = EventKind.RESUME if label.kind == FOUND else label.kind
        wanted = reached(kind, label.number)
        return {
            2 * step + 1: self._bit(step)
            for step, found in enumerate(self._reached)
            if found == wanted
        }

    def follow(self, states: Ways, labels: Sequence[Label], order: Iterable[int]) -> Ways:
        """Follow labels, given as indices into `labels`; empty: they do not fit the flow.

        Almost always there is just one state, which has a fast path.
        """
        known: dict[tuple[State, int], tuple[State, int] | None] = {}
        waiting = iter(order)
        while len(states) == 1:
            ((state, ran),) = states.items()
            for at in waiting:
                step = known.get((state, at))
                if step is None:
                    ways = self.ways(state, labels[at])
                    if len(ways) != 1:
                        states = _joined({state: ran}, self, labels[at])
                        break
                    (step,) = ways.items()
                    known[state, at] = step
                state, more = step
                ran |= more
            else:
                return {state: ran}
        for at in waiting:
            states = _joined(states, self, labels[at])
            if len(states) == 1:
                return self.follow(states, labels, waiting)
        return states

    def certain(self, states: Ways) -> int | None:
        """Return the bits that ran on every possible way; None: there is no way."""
        common = -1
        for state, ran in states.items():
            common &= ran | self._begun(state)
        return common if states else None

    def ways(self, state: State, label: Label) -> Ways:
        """Return the states that a label leads to from a state."""
        key = state, label
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = self._find(state, label)
        return found

    # --- Inside ----------------------------------------------------------------------------------

    def _bit(self, number: int) -> int:
        """Return the bits of a step: that of its statement, and above them that of its line."""
        step = self.flow.steps[number]
        if step.statement < 0:
            return 0
        at = self._line_at.get(step.line)
        line = 0 if at is None else 1 << len(self.flow.statements) + at
        return 1 << step.statement | line

    @property
    def _width(self) -> int:
        """How many bits there are."""
        return len(self.flow.statements) + len(self.flow.lines)

    def _remember(self, key: int, found: dict[int, int]) -> dict[int, int]:
        """Cache a result, within the limit of `_MOST_KEPT` bytes."""
        self._spent += len(found) * (_ITEM_SIZE + self._width // 8)
        if self._spent > _MOST_KEPT:
            self._silent.clear()
            self._ways.clear()
            self._spent = 0
        self._silent[key] = found
        return found

    def _begun(self, state: State) -> int:
        """Return the bits of the next step, if it is certain which one runs next."""
        step, has_happened = divmod(state, 2)
        if not has_happened:
            return self._bit(step)
        following = self.flow.steps[step].next
        return self._bit(following[0]) if len(following) == 1 else 0

    def _find(self, state: State, label: Label) -> Ways:
        if label.kind in _EXCEPTIONS:
            return self._raised(state, label)
        if label.kind == FOUND:
            return self._found(state)
        silent = self._from(state)
        if label.kind == AT_PLACE:
            return {
                2 * step: silent[step] | self._bit(step)
                for step in self.flow.steps_at(label.place)
                if step in silent
            }
        wanted = reached(label.kind, label.number)
        found = {
            2 * step + 1: ran | self._bit(step)
            for step, ran in silent.items()
            if self._reached[step] == wanted
        }
        if label.kind == EventKind.UNBIND and label.place >= 0:
            # A handler that fails deletes its exception's name before the new exception is caught.
            return found | self._raised(state, label)
        if label.place >= 0 and len(found) > 1:
            near = set(self.flow.steps_at(label.place))
            found = {there: ran for there, ran in found.items() if there // 2 in near}
        return found

    def _found(self, state: State) -> Ways:
        step, has_happened = divmod(state, 2)
        event = self.flow.steps[step].event
        if has_happened and event is not None and event[0] == EventKind.SUSPEND:
            following = self.flow.steps[step].next
            is_alone = len(following) == 1
            return {2 * following[0]: self._bit(following[0])} if is_alone else {state: 0}
        return self._find(state, Label(EventKind.RESUME))

    def _raised(self, state: State, label: Label) -> Ways:
        """Follow an exception from where it was raised to where it was caught."""
        steps, wanted = self.flow.steps, reached(label.kind, label.number)
        near = None if label.place < 0 else set(self.flow.steps_at(label.place))
        caught: dict[int, int] = {}
        """Steps it can have arrived at so far, and what had run by then."""
        for step, ran in self._passed(state):
            if steps[step].passes_on or near is None or self._is_at(step, near):
                _meet(caught, steps[step].handler, ran)
        found: Ways = {}
        waiting = list(caught)
        while waiting:
            handler = waiting.pop()
            if handler < 0:
                continue
            so_far = caught[handler]
            for step, ran in self._after(handler).items():
                if self._reached[step] == wanted:
                    _meet(found, 2 * step + 1, so_far | ran | self._bit(step))
                elif steps[step].passes_on:
                    more = so_far | ran | self._bit(step)
                    if _meet(caught, steps[step].handler, more):
                        waiting.append(steps[step].handler)
        return found

    def _passed(self, state: State) -> Iterator[tuple[int, int]]:
        """Yield the steps that can have run since, each with what ran up to and including it."""
        step, has_happened = divmod(state, 2)
        if has_happened:
            yield step, self._bit(step)
        for silent, ran in self._from(state).items():
            so_far = ran | self._bit(silent)
            event = self._reached[silent]
            if event is None:
                yield silent, so_far
            elif event[0] == EventKind.SUSPEND:
                # A recorder may miss a suspension if an exception is thrown in next.
                for after in self.flow.steps[silent].next:
                    yield after, so_far | self._bit(after)

    def _is_at(self, step: int, here: set[int]) -> bool:
        while step >= 0:
            if step in here:
                return True
            step = self.flow.steps[step].within
        return False

    def _from(self, state: State) -> dict[int, int]:
        """Return the steps reachable without an event, and what ran before each."""
        step, has_happened = divmod(state, 2)
        return self._past(step) if has_happened else self._after(step)

    def _past(self, step: int) -> dict[int, int]:
        """Go on from a step whose event has happened."""
        key = -1 - step
        found = self._silent.get(key)
        if found is None:
            first = dict.fromkeys(self.flow.steps[step].next, self._bit(step))
            found = self._remember(key, self._spread(first))
        return found

    def _after(self, step: int) -> dict[int, int]:
        """Go on from a step that was reached."""
        found = self._silent.get(step)
        if found is None:
            found = self._remember(step, self._spread({step: 0}))
        return found

    def _spread(self, first: dict[int, int]) -> dict[int, int]:
        """Go from some steps as far as possible without an event.

        Returns for each step on the way the statements that ran before it on every way.
        """
        steps = self.flow.steps
        into = dict.fromkeys(first, 1)
        """Step -> how many ways lead to it."""
        waiting = list(first)
        while waiting:
            here = steps[waiting.pop()]
            for after in () if here.event is not None else here.next:
                if after not in into:
                    waiting.append(after)
                into[after] = into.get(after, 0) + 1
        ran = dict(first)
        done: dict[int, int] = {}
        ready = []
        for step in first:
            into[step] -= 1
            if not into[step]:
                ready.append(step)
        while ready:
            number = ready.pop()
            done[number] = ran[number]
            if steps[number].event is not None:
                continue
            so_far = ran[number] | self._bit(number)
            for after in steps[number].next:
                _meet(ran, after, so_far)
                into[after] -= 1
                if not into[after]:
                    ready.append(after)
        return done


class StepRoutes(Routes):
    """Routes with a bit for each step instead of each statement: finer, and larger."""

    def _bit(self, number: int) -> int:
        return 1 << number

    @property
    def _width(self) -> int:
        return len(self.flow.steps)


def _joined(states: Ways, routes: Routes, label: Label) -> Ways:
    """Follow a label from all states."""
    after: Ways = {}
    for state, ran in states.items():
        for there, more in routes.ways(state, label).items():
            _meet(after, there, ran | more)
    return after


def _meet(known: dict[int, int], where: int, ran: int) -> bool:
    """Intersect what ran on the ways to a step; tell whether that changed anything."""
    before = known.get(where)
    known[where] = ran if before is None else before & ran
    return known[where] != before
