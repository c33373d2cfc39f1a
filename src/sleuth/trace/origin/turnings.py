"""Turnings: the steps of a call's route after which it could have gone another way."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sleuth.trace.events import Call
from sleuth.trace.flow.control import Control
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.segments import Stretch
from sleuth.trace.flow.table import NONE, Flow

ANYTHING = "*"
"""In place of a name: a call on the way may have set any attribute and any global."""
_SETS = frozenset({"store", "store attribute", "delete", "delete attribute"})
_RUNS_CODE = frozenset({"call", "yield", "wait", "enter", "leave", "import"})
_SUSPENDS = frozenset({"yield", "wait"})


class Turning(NamedTuple):
    """A step, and the one that ran after it."""

    call: Call
    stretch: Stretch
    step: int
    taken: int
    """-1: none; the call was suspended and not resumed."""
    has_raised: bool


class Other(NamedTuple):
    """A store that another way would have led to."""

    operation: int
    is_certain: bool
    """Whether every continuation of that way leads to it; exceptions are left out."""
    changed: frozenset[str]
    """Variables and attributes that may be set on the way to it."""


class Turns:
    """The ways of one function that lead to some of its operations."""

    def __init__(self, flow: Flow, wanted: frozenset[int]) -> None:
        self._flow = flow
        self._wanted = wanted
        self._known: dict[tuple[int, int], list[Other]] = {}
        self._entered: dict[tuple[int, int], list[Other]] = {}

    def others(self, turning: Turning) -> list[Other]:
        """Return what the ways that were not taken lead to, and the one that was taken does not."""
        key = turning.step, turning.taken
        if key not in self._known:
            ways = [way for way in self._flow.steps[turning.step].next if way != turning.taken]
            self._known[key] = self._found(turning.step, turning.taken, ways)
        return self._known[key]

    def not_entered(self, turning: Turning) -> list[Other]:
        """Return what the handler of a `try` leads to that was left without an exception."""
        key = turning.step, turning.taken
        if key not in self._entered:
            steps = self._flow.steps
            handler = steps[turning.step].handler
            is_left = turning.taken >= 0 and steps[turning.taken].handler != handler
            found = self._found(*key, [handler]) if handler >= 0 and is_left else []
            self._entered[key] = [
                each._replace(is_certain=False)
                for each in found
                if self.handler_of(each.operation) >= 0
            ]
        return self._entered[key]

    def handler_of(self, operation: int) -> int:
        """Return the handler, a statement, that an operation stands in; -1: none."""
        at = self._flow.operations[operation].statement
        while at >= 0 and self._flow.statements[at].kind != "handler":
            at = self._flow.statements[at].parent
        return at

    def decides(self, step: int) -> int:
        """Return the operation of a step that decides what runs next; -1: it has none."""
        found = self._control.decision(step)
        return NONE if found is None else found

    # --- Inside ----------------------------------------------------------------------------------

    @cached_property
    def _control(self) -> Control:
        return Control(self._flow)

    @cached_property
    def _steps_of(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, step in enumerate(self._flow.steps):
            for operation in step.operations:
                found.setdefault(operation, []).append(number)
        return found

    def _found(self, step: int, taken: int, ways: list[int]) -> list[Other]:
        if not ways or not self._wanted:
            return []
        # The compiler copies conditions of loops: a copy decides the same.
        numbers = self._flow.steps[step].operations
        without = {step, *(each for number in numbers for each in self._steps_of[number])}
        missed = self._reached([taken], without) if taken >= 0 else set()
        found: dict[int, Other] = {}
        for way in ways:
            reached = self._reached([way], without)
            always = {*self._control.always(way)}
            for operation in sorted(self._wanted):
                here = [each for each in self._steps_of[operation] if each in reached]
                if not here or any(each in missed for each in self._steps_of[operation]):
                    continue
                found[operation] = Other(
                    operation,
                    any(each in always for each in here),
                    self._changed(reached, here, without),
                )
        return [*found.values()]

    def _reached(self, starts: list[int], without: set[int]) -> set[int]:
        found = set[int]()
        waiting = [each for each in starts if each not in without]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += [each for each in self._flow.steps[at].next if each not in without]
        return found

    @cached_property
    def _before(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self._flow.steps]
        for number, step in enumerate(self._flow.steps):
            for after in step.next:
                found[after].append(number)
        return found

    def _changed(self, reached: set[int], goals: list[int], without: set[int]) -> frozenset[str]:
        """Return the names that are set on ways to some steps."""
        on_the_way = set[int]()
        waiting = [before for goal in goals for before in self._before[goal]]
        while waiting:
            at = waiting.pop()
            if at in reached and at not in on_the_way and at not in without:
                on_the_way.add(at)
                waiting += self._before[at]
        names = set[str]()
        for step in on_the_way:
            for number in self._flow.steps[step].operations:
                names |= _sets(self._flow.operations[number])
        return frozenset(names)


def _sets(does: Operation) -> set[str]:
    if does.kind in _RUNS_CODE:
        return {ANYTHING}
    return {does.name} if does.kind in _SETS else set()


def turnings(
    flow: Flow, call: Call, back: Iterator[Stretch], since: int, until: int
) -> Iterator[Turning]:
    """Yield the turnings of a call after an event and before another one, the newest first.

    back: what the call ran, the newest first, up to the event `until` and a bit behind it.
    """
    after = NONE
    is_end = True
    for stretch in back:
        for step in reversed(stretch.ran.steps):
            here = flow.steps[step]
            is_next = after in here.next
            if stretch.moment >= until:
                pass
            elif is_next or (after >= 0 and after == here.handler):
                yield Turning(call, stretch, step, after, not is_next)
            elif is_end and _is_suspended(flow, step, call):
                yield Turning(call, stretch, step, NONE, has_raised=False)
            after, is_end = step, False
        if stretch.moment <= since:
            return


def _is_suspended(flow: Flow, step: int, call: Call) -> bool:
    kinds = {flow.operations[number].kind for number in flow.steps[step].operations}
    return call.outcome.value == "suspended" and bool(kinds & _SUSPENDS)
