"""Locations: what a path means in a call at a moment, and its value then.

Every command that is given a path looks it up here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.errors import UsageError
from sleuth.trace.events import Call, CallId, Module, Moment, Outcome
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.output import TEXT, Printed, line_of, newest_with
from sleuth.trace.history.steps import global_named, hint, stepped
from sleuth.trace.path import RAISED, RETURN, STDOUT, Path, PathError, Step, literal, parse, text_of
from sleuth.trace.values import ABSENT, Absent, Atom, Ref, Value, shown

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_STREAMS = {STDOUT: 1, "stderr": 2}
_MODULE_BODY = "module body"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of one call."""

    call: CallId
    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """A variable of a module."""

    module: Module
    name: str


@dataclass(frozen=True, slots=True)
class Inside:
    """A part of an object; a variable that closures share is the part of its cell."""

    holder: Ref
    kind: str
    """The kind of part: see `PART_KINDS`."""
    key: Value
    """The index, the key, the name of the attribute or of the variable in a cell, the member."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a call returned or raised."""

    call: CallId
    how: str
    """return or raised"""


Location = Variable | Global | Inside | Ending | Printed


@dataclass(frozen=True, slots=True)
class Pointed:
    """A location that a path leads to."""

    path: str
    """The path as it was typed."""
    call: Call
    """The call in which it was looked up."""
    at: Moment
    """The value is the one before the event at this moment."""
    location: Location
    value: Value


def pointed(trace: "Trace", text: str, call: Call, at: Moment | int | None = None) -> Pointed:
    """Return what a path means in a call; PathError: nothing, and what there is.

    at: the moment, by default the end of the call.
    """
    moment = end_of(trace, call) if at is None else moment_in(trace, at)
    words = text.strip()
    if words.startswith(TEXT):
        wanted = text_of(words[len(TEXT) :]) or words[len(TEXT) :].strip()
        found = newest_with(trace, wanted, moment if at is not None else trace.event_count)
        return Pointed(words, call, moment, found, Atom(found.text))
    path = parse(words)
    location, value, steps = _start(trace, path, call, moment, is_end=at is None)
    if at is None and isinstance(location, Ending) and call.last is not None:
        moment = Moment(call.last + 1)  # before it, nothing may have named what is returned
    done = Path(path.start, path.steps[: len(path.steps) - len(steps)], path.is_global)
    for step in steps:
        inner = stepped(trace, value, step, moment, str(done))
        location, value = Inside(inner.holder, inner.kind, inner.key), inner.value
        done = Path(done.start, (*done.steps, step), done.is_global)
    return Pointed(str(path), call, moment, location, value)


def moment_in(trace: "Trace", at: Moment | int) -> Moment:
    """Return a moment of the trace; UsageError: it is outside."""
    if not 0 <= at <= trace.event_count:
        raise UsageError(
            f"There is no moment {at}: they go from 0 to {trace.event_count:,}, the end."
        )
    return Moment(at)


def program_call(trace: "Trace") -> Call:
    """Return the body of the program's module; UsageError: no call was recorded."""
    first = None
    for call in trace.children(None):
        function = trace.function(call.function)
        if function is not None and function.kind == _MODULE_BODY:
            return call
        first = first or call
    if first is None:
        raise UsageError("No calls were recorded. See why: sleuth show --modules")
    return first


_Start = tuple[Location, Value, tuple[Step, ...]]


def _start(trace: "Trace", path: Path, call: Call, at: Moment, *, is_end: bool) -> _Start:
    if path.is_global:
        named = global_named(trace, path, at)
        return Global(named.module, named.name), named.value, named.steps
    if path.start == RETURN:
        return _ending(trace, path, call)
    variables = variables_at(trace, call, at)
    if path.start in variables:
        return variable_of(trace, path.start, call), variables[path.start], path.steps
    if path.start == RAISED:
        return _ending(trace, path, call)
    if path.start in _STREAMS:
        return _printed(trace, path, call, at, is_end=is_end)
    function = trace.function(call.function)
    known = trace.globals(function.module, at) if function else {}
    if function and path.start in known:
        return Global(function.module, path.start), known[path.start], path.steps
    raise _missing(trace, path, call, at, [*dict.fromkeys([*variables, *known])])


def variables_at(trace: "Trace", call: Call, at: Moment) -> Mapping[str, Value]:
    """Return the variables of a call and those of enclosing functions; at first its arguments."""
    then = at + 1 if at == call.first else at
    return {**trace.closure(call, then), **trace.variables(call, then)}


def variable_of(trace: "Trace", name: str, call: Call) -> Location:
    """Return the location of a variable of a call, whether it is set yet or not."""
    function = trace.function(call.function)
    if function is not None and function.kind == _MODULE_BODY:
        return Global(function.module, name)
    cell = trace.cells(call).get(name)
    return Inside(cell, "cell", Atom(name)) if isinstance(cell, Ref) else Variable(call.id, name)


def _missing(trace: "Trace", path: Path, call: Call, at: Moment, possible: list[str]) -> PathError:
    end = end_of(trace, call)
    if not call.first <= at <= end:
        return PathError(
            f"Call {call.id} did not run at moment {at:,}: it ran from moment {call.first:,} "
            f"to {end:,}."
        )
    later = variables_at(trace, call, end).get(path.start, ABSENT)
    if not isinstance(later, Absent):
        return PathError(
            f"There is no {path.start} yet at moment {at:,}; at moment {end:,}, the end of the "
            f"call, it is {shown(later, width=30)}."
        )
    return PathError(f"There is no {Path(path.start)} here.{hint(path.start, possible)}")


def _ending(trace: "Trace", path: Path, call: Call) -> _Start:
    wanted = Outcome.RETURNED if path.start == RETURN else Outcome.RAISED
    if call.outcome is not wanted:
        how = {
            Outcome.RETURNED: "returned",
            Outcome.RAISED: "raised an exception",
            Outcome.UNFINISHED: "never ended",
            Outcome.SUSPENDED: "was not resumed to its end",
            Outcome.LOST: "ended unseen",
        }[call.outcome]
        what = "returned" if wanted is Outcome.RETURNED else "raised"
        raise PathError(f"Call {call.id} {what} nothing: it {how}.")
    return Ending(call.id, path.start), trace.result(call), path.steps


def _printed(trace: "Trace", path: Path, call: Call, at: Moment, *, is_end: bool) -> _Start:
    number = literal(path.steps[0].text) if path.steps else None
    if number is None or not isinstance(number.content, int):
        raise PathError(f"{path.start} needs the number of a line, as in {path.start}[0].")
    last = trace.event_count if is_end and call.parent is None else at
    found = line_of(trace, call, _STREAMS[path.start], number.content, last)
    return found, Atom(found.text), path.steps[1:]
