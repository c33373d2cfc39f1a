"""The words of a recording: moments, events, calls, functions, sites, modules.

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
    """What happened; the numbers are the kind bytes of the stream."""

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
    """It never ended while recording went on."""
    RETURNED = "returned"
    RAISED = "raised"
    SUSPENDED = "suspended"
    """It waits and was not resumed again (or never started)."""
    LOST = "lost"
    """It ended, but not seen how."""


class Event(NamedTuple):
    """What happened at one moment.  A tuple, because there are millions."""

    moment: Moment
    kind: EventKind
    call: CallId | None
    """The call it belongs to: for `enter` and `resume` the one that begins to run."""
    thread: int
    task: int
    number: int
    """Per kind: a site, the entered function, the resumed call, a stream, a process, an object."""
    place: int | None
    flags: int
    """Per kind: as in the record; of a store 1: only asked for; of a change its cause."""
    values: tuple[Value, ...]

    @property
    def site(self) -> SiteId | None:
        """The site, for the kinds that have one."""
        has_site = EventKind.CATCH <= self.kind <= EventKind.DELETE_SLICE
        return SiteId(self.number) if has_site else None


class Call(NamedTuple):
    """One activation of a function.  A tuple, because there are millions."""

    id: CallId
    parent: CallId | None
    function: FunctionId
    place: int | None
    """Where in the caller, if known."""
    thread: int
    task: int
    first: Moment
    last: Moment | None
    """When it ended or was last suspended; None: it was still running."""
    outcome: Outcome
    events: int
    """How many events are its own."""
    until: CallId | None
    """The calls that began while it ran have ids below this; None: it was still running."""
    flags: int

    @property
    def is_resumable(self) -> bool:
        """Whether it is a generator, coroutine or the like: it can run in several stretches."""
        return bool(self.flags & CallFlag.RESUMABLE)

    @property
    def is_started(self) -> bool:
        """Whether its body began to run at all."""
        return bool(self.flags & CallFlag.STARTED)

    @property
    def parent_is_resumer(self) -> bool:
        """Whether it was not seen when it was made, so that its parent resumed it first."""
        return bool(self.flags & EnterFlag.BY_RESUMER)

    @property
    def ran_elsewhere(self) -> bool:
        """Whether its parent did not call it, but started its thread or submitted the work."""
        return bool(self.flags & EnterFlag.ELSEWHERE)

    @property
    def through_other_code(self) -> bool:
        """Whether code that is not recorded stood between the caller and this call."""
        return bool(self.flags & EnterFlag.INDIRECT)

    @property
    def is_what_was_called(self) -> bool:
        """Whether its result is that of the call at its place.  False: not so, or not known."""
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
    """A hash that stays the same while the function's text does."""
    parameters: tuple[str, ...]
    places: Sequence[tuple[int, int, int, int, int]]
    """(place, line, column, end line, end column), sorted by place."""
    cells: tuple[str, ...] = ()
    """Variables that closures share; `enter` gives what holds them behind the arguments."""
    free: tuple[str, ...] = ()
    """Those of them that belong to functions around this one."""
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
    """The innermost loop around it in the same function; 0: none."""


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
    """Sorted; each stands for itself and what follows, up to the next one."""
    spans: tuple[Span, ...]
    """Where each of the places is."""
    cells: tuple[str, ...] = ()
    """Variables that closures share; `enter` gives what holds them behind the arguments."""
    free: tuple[str, ...] = ()
    """Those of them that belong to functions around this one."""
    uses: tuple[tuple[str, int], ...] = ()
    """Globals and free variables that its own code reads: name and line."""

    def span_at(self, place: int | None) -> Span | None:
        """Return where a place is."""
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
    """The variable of the function that holds its value; empty: none is known."""
    is_literal: bool
    """Whether its text says the value."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a test asserts in one place."""

    span: Span
    text: str
    relation: str
    """Between two operands: ==, in, ...; of one: true, false, none, not none; empty: not known."""
    operands: tuple[Operand, ...]


class Template(NamedTuple):
    """A text that a module's source was made from, which is what its author knows."""

    name: str
    lines: tuple[tuple[int, int], ...]
    """Line of the source, line of that text; sorted.  Each holds up to the next."""
    names: tuple[tuple[str, str], ...] = ()
    """Names of functions, and what each is known as."""

    def line(self, number: int) -> int:
        """Return the line of the text that a line of the source stands for."""
        at = bisect_right(self.lines, (number, 1 << 22)) - 1
        return self.lines[at][1] if at >= 0 else 1

    def lines_in(self, function: "Function", numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the lines that some lines of a function stand for, sorted.

        What stands before the first that is told is not written in the text.
        """
        start = self._start(function)
        here = () if start is None else (each for each in numbers if each >= start)
        return tuple(sorted({self.line(each) for each in here}))

    def first_line(self, function: "Function") -> int:
        """Return the line where a function begins in the text."""
        start = self._start(function)
        return 1 if start is None else self.line(start)

    def _start(self, function: "Function") -> int | None:
        """Return the first line of a function that stands for the text; None: nothing of it does.

        The body of the module is only there to define what does.
        """
        if function.kind == "module body":
            return None
        span = range(function.first_line, function.last_line + 1)
        return next((here for here, _ in self.lines if here in span), None)


@dataclass(frozen=True, slots=True)
class Module:
    """A unit of source, recorded or not, and why."""

    id: ModuleId
    name: str
    path: str
    is_recorded: bool
    reason: str
    has_source: bool
    is_foreign: bool = False
    """Whether it was not made here: a package that is installed, part of the language."""
    is_own: bool = False
    """Whether it is part of what is debugged though it is not recorded; False: or not known."""
    is_test: bool = False
    """Whether it is there to test others."""
    checks: tuple[Check, ...] = ()
    """What it asserts, if it is."""
    template: Template | None = None
    """What it was made from, if that is another text."""


@dataclass(frozen=True, slots=True)
class Process:
    """Another process that the recorded one started: what it did is not in this trace."""

    pid: int
    how: str
    moment: Moment | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why recording stopped before the program did."""

    moment: Moment
    reason: str
