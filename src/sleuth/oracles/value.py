"""Value hint: calls near the origin of a wrong value are more suspicious than others.

The wrong value is what the user pointed at last; without one it is the value that shows the
symptom.  The slice of the value says what it depends on, and how many operations lead there.  A
function may be wrong in each of its calls, so those nearest to the value count most.  What the
value does not depend on is asked about last: a missing write is no dependence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from sleuth.errors import NothingKnown
from sleuth.search.question import Answer, Verdict
from sleuth.trace.events import CallId
from sleuth.trace.heap.nested import Nested
from sleuth.trace.history.locations import Ending, Pointed, pointed, program_call
from sleuth.trace.history.output import TEXT, Printed
from sleuth.trace.path import RAISED, RETURN, PathError, literal, parse
from sleuth.trace.reader import Trace
from sleuth.trace.slices.near import Nearness, nearness
from sleuth.tree.failing.symptom_value import symptom_value
from sleuth.tree.node import ExecutionTree, Masses, NodeKind, Numbers

NAME = "value"
SECONDS = 0.5
"""Time for the slice, while the user waits."""
_PER_CALL, _PER_STEP = 0.5, 0.8
"""Factors for each call of the same code that is nearer, and for each operation on the way."""
_LEAST, _OUTSIDE = 1e-3, 1e-5
"""The least factor of code in the slice, and the factor of all other code."""
_FAR = 300
_EARLIER = 10
"""Operations by which code is farther away that ran before the value was last right."""
_MOST_WRITES = 1_000
_OUT = np.iinfo(np.int64).max


def made(trace: Trace, settings: Mapping[str, Sequence[str]]) -> "Value":
    """Return the hint."""
    del settings
    return Value(trace)


class Value:
    """Follows the value that was called wrong last."""

    name = NAME

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: dict[Answer | None, Towards | None] = {}
        self.remarks: list[str] = []
        """Where it had to abstain."""
        self._expected: Nested | None = None

    def expect(self, data: Nested | None) -> None:
        """Note what the failed check expects, so that the first difference is followed."""
        self._expected = data

    def following(self, answers: tuple[Answer, ...]) -> "Towards | None":
        """Return the hint for the value that was pointed at last, else for the symptom."""
        last = answers[-1] if answers else None
        if last not in self._kept:
            self._kept[last] = self._towards(last)
        return self._kept[last]

    def _towards(self, last: Answer | None) -> "Towards | None":
        wanted = (
            symptom_value(self._trace, self._expected)
            if last is None
            else pointed_by(self._trace, last)
        )
        if wanted is None:
            return None
        try:
            near = nearness(self._trace, wanted, SECONDS)
        except NothingKnown:
            if last is not None:
                self._abstain(f"It is not known what {wanted.path} depends on")
            return None
        if near is None:
            self._abstain(f"It was not known within {SECONDS} s what {wanted.path} depends on")
            return None
        if not len(near.call):
            return None
        what = "the value that shows the failure" if last is None else "what you called wrong"
        if last is not None and last.expected:
            near = _since(near, _last_right(self._trace, wanted, last.expected))
        return Towards(near, what, frozenset(_around(self._trace, wanted)))

    def _abstain(self, why: str) -> None:
        self.remarks.append(f"{why}, so the questions don't follow it.")


def _last_right(trace: Trace, wanted: Pointed, expected: str) -> int:
    """Return the moment of the last write of the expected value; 0: it never had it."""
    value = literal(expected)
    if value is None or isinstance(wanted.location, Printed | Ending):
        return 0
    writes = trace.writes(wanted.location, 0, wanted.at - 1, back=True)
    looked = islice(writes, _MOST_WRITES)
    return next((int(write.moment) for write in looked if write.value == value), 0)


def _since(near: Nearness, moment: int) -> Nearness:
    """Return the nearness in which all that ran up to a write is farther away; 0: none is."""
    if not moment:
        return near
    return replace(near, steps=np.where(near.moment <= moment, near.steps + _EARLIER, near.steps))


def _around(trace: Trace, wanted: Pointed) -> Iterator[int]:
    """Yield the call in which a value was seen, and its callers."""
    number: int | None = wanted.call.id
    if isinstance(wanted.location, Printed):
        number = trace.event(wanted.location.moment).call
    while number is not None:
        yield number
        number = trace.call(CallId(number)).parent


def pointed_by(trace: Trace, answer: Answer) -> Pointed | None:
    """Return the value that an answer points at; None: its path leads to nothing now."""
    about = answer.about
    try:
        call = program_call(trace) if about.call < 0 else trace.call(about.call)
        if answer.verdict is Verdict.INADMISSIBLE:
            return pointed(trace, answer.path, call, about.first + 1)
        if answer.path.startswith(TEXT) and about.last >= 0:
            return pointed(trace, answer.path, call, about.last + 1)
        is_whole = about.call < 0 or (about.first, about.last) == (call.first, call.last)
        if is_whole or parse(answer.path).start in (RETURN, RAISED):
            return pointed(trace, answer.path, call)
        return pointed(trace, answer.path, call, min(about.last + 1, trace.event_count))
    except PathError:
        return None


class Towards:
    """The hint for one value."""

    name = NAME

    def __init__(self, near: Nearness, what: str, around: frozenset[int]) -> None:
        self._near = near
        self._what = what
        self._around = around
        """The calls in which the value was seen: it is known that they have it."""
        self._known: tuple[ExecutionTree, Numbers] | None = None

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node's own code is."""
        steps = self._steps(tree)
        is_in = steps < _OUT
        near = _PER_CALL ** _ranks(tree, steps) * _PER_STEP ** np.minimum(steps, _FAR)
        return np.where(is_in, np.maximum(near, _LEAST), _OUTSIDE)

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Say why."""
        if tree.kind[node] == NodeKind.GROUP:
            return ""
        steps = int(self._steps(tree)[node])
        if steps == _OUT:
            inside = self._steps(tree)[node : tree.end[node]]
            is_below = bool((inside < _OUT).any())
            return f"{self._what} depends on its callees" if is_below else self._not_on_the_way
        is_seen_in = tree.kind[node] == NodeKind.CALL and int(tree.call[node]) in self._around
        if steps <= self._least and not is_seen_in:
            return f"it wrote {self._what}, or gave it last"
        times = "operation" if steps == 1 else "operations"
        return f"{self._what} depends on it: {steps:,} {times} away"

    @property
    def _not_on_the_way(self) -> str:
        return f"{self._what} does not depend on it"

    @cached_property
    def _least(self) -> int:
        is_inside = ~np.isin(self._near.call, list(self._around))
        return int(self._near.steps[is_inside].min(initial=_FAR))

    def _steps(self, tree: ExecutionTree) -> Numbers:
        """Return how far each node's own code is from the value."""
        if self._known is None or self._known[0] is not tree:
            steps = np.full(len(tree), _OUT)
            found = tree.owners(self._near.call, self._near.moment)
            np.minimum.at(steps, found[found >= 0], self._near.steps[found >= 0])
            self._known = tree, steps
        return self._known[1]


def _ranks(tree: ExecutionTree, steps: Numbers) -> Numbers:
    """Return for each node how many nodes of the same code are nearer; of equal ones, later."""
    inside = np.flatnonzero(steps < _OUT)
    code = tree.routine.astype(np.int64) * len(NodeKind) + tree.kind
    order = inside[np.lexsort((-tree.first[inside], steps[inside], code[inside]))]
    sorted_code = code[order]
    places = np.arange(len(order))
    is_first = np.ones(len(order), bool)
    is_first[1:] = sorted_code[1:] != sorted_code[:-1]
    ranks = np.zeros(len(steps), np.int64)
    ranks[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return ranks
