"""The flow table: the shape of a function's code, as written by the recorder.

An *operation* is a read, call, computation or store in the source, with the origin of its inputs.
A *step* is something that can run: usually one operation.  A step knows its successors, its
exception handler, and the event that is written when it is reached.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from sleuth.trace.events import EventKind, Span
from sleuth.trace.flow import operations
from sleuth.trace.flow.operations import Operation

NONE = -1
_LINES = range(1 << 22)
DOES_NOTHING = frozenset({"try", "other"})
"""Kinds of statements that do nothing themselves: they contain others, or are a docstring."""


class Statement(NamedTuple):
    """A statement of the source."""

    kind: str
    """simple, branch, case, loop, try, handler, with, define, return, raise, check, ..."""
    parent: int
    """The statement around it; -1: the body of the function itself."""
    block: str
    """The part of its parent: body, else, handlers, finally, cases."""
    span: Span


class Step(NamedTuple):
    """A node of a function's graph."""

    place: int
    statement: int
    """-1: none."""
    line: int
    """Its line; 0: it has none."""
    event: tuple[int, int] | None
    """Kind and site (0: none) of the event written when it is reached; None: no event."""
    next: tuple[int, ...]
    """The successors without an exception: first the next step, then the targets of jumps."""
    handler: int
    """The step an exception leads to; -1: out of the call."""
    passes_on: bool
    """Whether it re-raises a caught exception, which keeps its first place."""
    within: int
    """The step that contains it, such as a comprehension; -1: none."""
    operations: tuple[int, ...] = ()
    """Its operations, in order: one, none, or rarely two."""


@dataclass(frozen=True, slots=True)
class FlowRow:
    """A function's flow as the recorder writes it, in columns."""

    id: int
    """The function."""
    statements: Sequence[Sequence[object]]
    """Kind, parent, block, line, column, end line, end column of each."""
    steps: Sequence[Sequence[object]]
    """Place, statement, line or 0, kind of event or 0, its site or 0, next, handler; steps that
    re-raise; pairs of steps, the first contained in the second.  Next is 0 if it is just the
    following step."""
    loops: Sequence[Sequence[object]] = ()
    """Site, statement or -1, span of the body (line, column, end line, end column), variables that
    a turn begins with."""
    parameters: Sequence[str] = ()
    """For each: plain, keyword, collects positions, collects names; empty: not recorded."""
    operations: Sequence[Sequence[object]] = ()
    """See `operations.unpacked`; empty: not recorded."""
    wording: Mapping[str, object] | None = None
    """See `documents.WORDING`; None: not recorded."""


class Loop(NamedTuple):
    """A loop of the source."""

    statement: int
    """-1: it is a comprehension."""
    body: Span
    """The span of the repeated code; for a comprehension: of all of it."""
    names: tuple[str, ...]
    """The variables set at the beginning of a turn: by its item, or by the condition."""


@dataclass(frozen=True, eq=False)
class Flow:
    """The shape of one function."""

    statements: tuple[Statement, ...]
    steps: tuple[Step, ...]
    loops: Mapping[int, Loop]
    """Site -> loop."""
    parameters: tuple[str, ...] = ()
    """For each: plain, keyword, collects positions, collects names; empty: not recorded."""
    operations: tuple[Operation, ...] = ()
    """Empty: not recorded."""

    def is_in(self, statement: int, around: int) -> bool:
        """Tell whether a statement is inside another one, or is that one."""
        while statement > around:
            statement = self.statements[statement].parent
        return statement == around

    def outermost(self, statement: int) -> int:
        """Return the top-level statement of the function that contains a statement, or is it."""
        while statement >= 0 and self.statements[statement].parent >= 0:
            statement = self.statements[statement].parent
        return statement

    def is_repeated(self, statement: int, loop: int) -> bool:
        """Tell whether a statement is in the body of a loop, given as a statement, too."""
        while statement > loop >= 0:
            around = self.statements[statement]
            if around.parent == loop:
                return around.block == "body"
            statement = around.parent
        return False

    @cached_property
    def _places(self) -> tuple[list[int], list[list[int]]]:
        found: dict[int, list[int]] = {}
        for number, step in enumerate(self.steps):
            found.setdefault(step.place, []).append(number)
        order = sorted(found)
        return order, [found[place] for place in order]

    def steps_at(self, place: int) -> list[int]:
        """Return the steps at a place: several where the compiler duplicated code."""
        places, steps = self._places
        at = bisect_right(places, place) - 1
        return steps[at] if at >= 0 else []

    def operations_at(self, place: int) -> list[Operation]:
        """Return the operations at a place."""
        numbers = dict.fromkeys(
            number for step in self.steps_at(place) for number in self.steps[step].operations
        )
        return [self.operations[number] for number in numbers]

    def makers(self, operation: Operation, *roles: str) -> list[Operation]:
        """Return the operations that make the inputs of one in these roles (none given: in any)."""
        return [
            self.operations[made.operation]
            for each in operation.inputs
            if not roles or each.role in roles
            for made in each.made
        ]

    def lines_in(self, statements: Iterable[int]) -> set[int]:
        """Return the lines of statements, without those of nested statements."""
        found: set[int] = set()
        for number in statements:
            span = self.statements[number].span
            inner = [
                each.span.line
                for each in self.statements[number + 1 :]
                if each.parent == number and each.span.line > span.line
            ]
            found |= {*range(span.line, min([span.end_line + 1, *inner]))} | {span.line}
        return found

    def loop_around(self, statement: int) -> int:
        """Return the innermost loop whose body contains a statement; -1: there is none."""
        while statement >= 0:
            block, parent = self.statements[statement].block, self.statements[statement].parent
            if parent >= 0 and self.statements[parent].kind == "loop" and block == "body":
                return parent
            statement = parent
        return NONE

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """The lines with code, sorted."""
        told = {step.line for step in self.steps if step.statement >= 0 and step.line > 0}
        starts = {each.span.line for each in self.statements if each.kind not in DOES_NOTHING}
        return tuple(sorted(told | starts))

    def step_of(self, kind: EventKind) -> int:
        """Return the first step with an event of a kind; -1: there is none."""
        for number, step in enumerate(self.steps):
            if step.event is not None and step.event[0] == kind:
                return number
        return NONE


def unpacked(row: Sequence[Any]) -> Flow:
    """Read one row of the table; ValueError, TypeError, LookupError: it is malformed."""
    _, statements, steps, loops, parameters, does, *_ = row
    told = tuple(
        Statement(str(kind), int(parent), str(block), Span(*map(int, span)))
        for kind, parent, block, *span in zip(*statements, strict=True)
    )
    *columns, passing, parts = steps
    passes, within = set(passing), dict(parts)
    made: list[Step] = []
    place = 0
    for number, (distance, statement, line, kind, site, following, handler) in enumerate(
        zip(*columns, strict=True)
    ):
        place += distance
        event = (int(kind), int(site)) if kind else None
        after = tuple(map(int, following)) if isinstance(following, list) else (number + 1,)
        made.append(
            Step(
                place,
                int(statement),
                int(line),
                event,
                after,
                int(handler),
                number in passes,
                within.get(number, NONE),
            )
        )
    words = tuple(map(str, parameters))
    if not does:
        return _checked(Flow(told, tuple(made), dict(map(_loop, loops)), words))
    found, of_steps = operations.unpacked(does, [step.statement for step in made])
    made = [step._replace(operations=here) for step, here in zip(made, of_steps, strict=True)]
    return _checked(Flow(told, tuple(made), dict(map(_loop, loops)), words, found))


def _loop(row: Sequence[Any]) -> tuple[int, Loop]:
    site, statement, *span, names = row
    return int(site), Loop(int(statement), Span(*map(int, span)), tuple(map(str, names)))


def _checked(flow: Flow) -> Flow:
    """Return the flow; ValueError: one of its numbers is out of range."""
    if any(step.line not in _LINES for step in flow.steps):
        raise ValueError("a step stands on no line")
    steps, statements = range(NONE, len(flow.steps)), range(NONE, len(flow.statements))
    for number, statement in enumerate(flow.statements):
        if not NONE <= statement.parent < number:
            raise ValueError("a statement stands in one that comes later")
    for loop in flow.loops.values():
        if loop.statement not in statements:
            raise ValueError("a loop is no statement")
    for step in flow.steps:
        leads = (*step.next, step.handler, step.within)
        if step.statement not in statements or any(each not in steps for each in leads):
            raise ValueError("a step leads nowhere")
        if NONE in step.next:
            raise ValueError("a step leads nowhere")
    return flow
