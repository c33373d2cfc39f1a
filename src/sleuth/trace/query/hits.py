"""Hits of a query: calls, writes, moments, threads, lines of output."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sleuth.trace.events import Call, Moment
from sleuth.trace.history.output import Printed
from sleuth.trace.history.writes import Write
from sleuth.trace.values import Ref, Value


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call."""

    call: Call


@dataclass(frozen=True, slots=True)
class FoundWrite:
    """A write to a location."""

    path: str
    """The path that was asked for."""
    write: Write
    holder: Ref | None = None
    """The object that was written to, where the path names a class."""


@dataclass(frozen=True, slots=True)
class FoundMoment:
    """A moment at which a condition became true."""

    moment: Moment
    """The event that made it true."""
    call: Call
    """The call whose variables the condition is about."""
    by: Call
    """The call whose event it is: another one may have made the condition true."""
    line: int | None
    """The line of the event; None: not known."""
    values: tuple[tuple[str, Value], ...]
    """The paths of the condition with their values after the event."""


@dataclass(frozen=True, slots=True)
class FoundThread:
    """A thread or a task at a moment."""

    moment: Moment
    thread: int
    task: int
    """0: it is not in a task."""
    call: Call
    """The innermost call that is going on there."""
    line: int | None
    """The line of its last event that has one; None: not known."""
    is_waiting: bool
    """Whether the call is suspended, as a coroutine that awaits something."""
    depth: int
    """How many calls of the thread or task are going on."""


@dataclass(frozen=True, slots=True)
class FoundOutput:
    """A line of the output."""

    printed: Printed


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are."""

    count: int


Hit: TypeAlias = FoundCall | FoundWrite | FoundMoment | FoundThread | FoundOutput | Count


@dataclass(slots=True)
class Found:
    """The hits of a query, found as they are asked for; they can be gone through once."""

    hits: Iterator[Hit]
    undecided: dict[str, int] = field(default_factory=dict)
    """Why something could not be decided -> how often so far."""
    remarks: list[str] = field(default_factory=list)
    """When the hits are at their end: sentences about what may be wrong with the query."""

    def __iter__(self) -> Iterator[Hit]:
        return self.hits
