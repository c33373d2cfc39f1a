"""The types of a recording: moments, events, calls, functions, sites, modules.

A moment is the ordinal number of an event; a call is one activation of a function; a site is a
place in the source where something is recorded; a place is a number inside a function that has a
span in the source.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple, NewType

from sleuth.trace.numbers import CallFlag, EnterFlag
from sleuth.trace.values import Value

Moment = NewType("Moment", int)
CallId = NewType("CallId", int)
SiteId = NewType("SiteId", int)
FunctionId = NewType("FunctionId", int)
ModuleId = NewType("ModuleId", int)


class EventKind(IntEnum):
    """Kinds of events; the numbers are the kind bytes of the stream."""

    ENTER = 0x10
    RETURN = 0x11
    SUSPEND = 0x12
    RESUME = 0x13
    UNWIND = 0x14
    LOST = 0x15
    RAISE = 0x18
    CATCH = 0x19
    LOOP = 0x20
    TURN = 0x21
    ARM = 0x22
    BIND = 0x28
    UNBIND = 0x29
    SET_ATTRIBUTE = 0x2A
    DELETE_ATTRIBUTE = 0x2B
    SET_ITEM = 0x2C
    DELETE_ITEM = 0x2D
    SET_SLICE = 0x2E
    DELETE_SLICE = 0x2F
    OUTPUT = 0x30
    CHILD = 0x31
    STOPPED = 0x32
    CHANGED = 0x33
    SPLICED = 0x34
    PUT = 0x35


class Outcome(Enum):
    """How a call ended, as far as is known."""

    UNFINISHED = "unfinished"
    """It had not ended when recording stopped."""
    RETURNED = "returned"
    RAISED = "raised"
    SUSPENDED = "suspended"
    """It was suspended and not resumed again, or never started."""
    LOST = "lost"
    """It ended, but how was not seen."""


class Event(NamedTuple):
    """One event.  A tuple, because there are millions."""

    moment: Moment
    kind: EventKind
    call: CallId | None
    """The call it belongs to; for `enter` and `resume` the call that begins to run."""
    thread: int
    task: int
    number: int
    """Depends on the kind: site, entered function, resumed call, stream, process or object."""
    place: int | None
    flags: int
    """Depends on the kind; for a store 1: it is a request; for a change: its cause."""
    values: tuple[Value, ...]

    @property
    def site(self) -> SiteId | None:
        """The site, for kinds that have one."""
        has_site = EventKind.CATCH <= self.kind <= EventKind.DELETE_SLICE
        return SiteId(self.number) if has_site else None


class Call(NamedTuple):
    """One activation of a function.  A tuple, because there are millions."""

    id: CallId
    parent: CallId | None
    function: FunctionId
    place: int | None
    """The place in the caller; None: not known."""
    thread: int
    task: int
    first: Moment
    last: Moment | None
    """When it ended or was last suspended; None: it was still running."""
    outcome: Outcome
    events: int
    """How many events it has of its own."""
    until: CallId | None
    """Calls that began while it ran have ids below this; None: it was still running."""
    flags: int

    @property
    def is_resumable(self) -> bool:
        """Whether it can be suspended and resumed, as a generator or coroutine."""
        return bool(self.flags & CallFlag.RESUMABLE)

    @property
    def is_started(self) -> bool:
        """Whether its body began to run."""
        return bool(self.flags & CallFlag.STARTED)

    @property
    def parent_is_resumer(self) -> bool:
        """Whether its creation was not seen; then its parent is the call that first resumed it."""
        return bool(self.flags & EnterFlag.BY_RESUMER)

    @property
    def ran_elsewhere(self) -> bool:
        """Whether its parent did not call it but started its thread or submitted it to a pool."""
        return bool(self.flags & EnterFlag.ELSEWHERE)

    @property
    def through_other_code(self) -> bool:
        """Whether it was called through code that is not recorded."""
        return bool(self.flags & EnterFlag.INDIRECT)

    @property
    def is_what_was_called(self) -> bool:
        """Whether its result is the result of the call at its place.  False: no, or not known."""
        return bool(self.flags & EnterFlag.CALLED)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text; columns as the recorder counts them (Python: UTF-8 bytes)."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function as a recorder announces it."""

    id: int
    name: str
    qualified_name: str
    kind: str
    first_line: int
    last_line: int
    identity: str
    """A hash of the function's text."""
    parameters: tuple[str, ...]
    places: Sequence[tuple[int, int, int, int, int]]
    """(place, line, column, end line, end column), sorted by place."""
    cells: tuple[str, ...] = ()
    """Variables shared with closures; `enter` has their cells after the arguments."""
    free: tuple[str, ...] = ()
    """The shared variables that belong to enclosing functions."""
    uses: Sequence[tuple[str, int]] = ()
    """Globals and free variables that its own code reads: name and line."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site as a recorder announces it."""

    id: int
    function: int
    kind: str
    name: str
    line: int
    column: int
    end_line: int
    end_column: int
    loop: int
    """The innermost loop around it in the same function; 0: no loop."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a recorded module."""

    id: FunctionId
    module: "Module"
    name: str
    qualified_name: str
    kind: str
    first_line: int
    last_line: int
    identity: str
    parameters: tuple[str, ...]
    places: tuple[int, ...]
    """Sorted; each stands for all places up to the next one."""
    spans: tuple[Span, ...]
    """The span of each of `places`."""
    cells: tuple[str, ...] = ()
    """Variables shared with closures; `enter` has their cells after the arguments."""
    free: tuple[str, ...] = ()
    """The shared variables that belong to enclosing functions."""
    uses: tuple[tuple[str, int], ...] = ()
    """Globals and free variables that its own code reads: name and line."""

    @property
    def is_scaffolding(self) -> bool:
        """Whether it is the body of a compiled template, which only defines functions."""
        return self.module.template is not None and self.kind.endswith(" body")

    def span_at(self, place: int | None) -> Span | None:
        """Return the span of a place."""
        found = -1 if place is None else bisect_right(self.places, place) - 1
        return self.spans[found] if found >= 0 else None


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source where something is recorded."""

    id: SiteId
    module: "Module"
    function: FunctionId
    kind: str
    name: str
    span: Span
    loop: SiteId | None


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of a check."""

    text: str
    span: Span
    variable: str
    """The variable that holds its value; empty: not known."""
    is_literal: bool
    """Whether it is a literal."""


@dataclass(frozen=True, slots=True)
class Check:
    """One assertion of a test."""

    span: Span
    text: str
    relation: str
    """For two operands: ==, in, ...; for one: true, false, none, not none; empty: not known."""
    operands: tuple[Operand, ...]

    @property
    def is_call(self) -> bool:
        """Whether it calls a method of a test tool, and is no assert statement."""
        return "assert" in self.text.partition("(")[0]


class Template(NamedTuple):
    """The text that a module's source was generated from; its author knows that text."""

    name: str
    lines: tuple[tuple[int, int], ...]
    """Pairs (line of the source, line of the text), sorted; each holds up to the next."""
    names: tuple[tuple[str, str], ...] = ()
    """Pairs (name of a function, name that the author knows)."""

    def line(self, number: int) -> int:
        """Return the line of the text for a line of the source."""
        at = bisect_right(self.lines, (number, 1 << 22)) - 1
        return self.lines[at][1] if at >= 0 else 1

    def lines_in(self, function: "Function", numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the lines of the text for some lines of a function, sorted.

        Lines before the first known pair have no counterpart in the text.
        """
        start = self._start(function)
        here = () if start is None else (each for each in numbers if each >= start)
        return tuple(sorted({self.line(each) for each in here}))

    def first_line(self, function: "Function") -> int:
        """Return the line where a function begins in the text."""
        start = self._start(function)
        return 1 if start is None else self.line(start)

    def _start(self, function: "Function") -> int | None:
        """Return the first line of a function with a counterpart in the text; None: there is none.

        The body of the module has none: it only defines the functions.
        """
        if function.is_scaffolding:
            return None
        span = range(function.first_line, function.last_line + 1)
        return next((here for here, _ in self.lines if here in span), None)


@dataclass(frozen=True, slots=True)
class Module:
    """A unit of source, whether it is recorded, and why."""

    id: ModuleId
    name: str
    path: str
    is_recorded: bool
    reason: str
    has_source: bool
    is_foreign: bool = False
    """Whether it is an installed package or part of the language."""
    is_own: bool = False
    """Whether it is part of the project but not recorded.  False: no, or not known."""
    is_test: bool = False
    """Whether it contains tests."""
    checks: tuple[Check, ...] = ()
    """The assertions of its tests."""
    template: Template | None = None
    """The template that it was generated from, if any."""


@dataclass(frozen=True, slots=True)
class Process:
    """A child process; its events are not in this trace."""

    pid: int
    how: str
    moment: Moment | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why recording stopped before the program did."""

    moment: Moment
    reason: str
