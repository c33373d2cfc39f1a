"""Calls of code that is not recorded, with arguments and result where they are known."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from sleuth.trace.events import Call, CallId, EventKind, Moment, Span
from sleuth.trace.flow.segments import Stretch, stretches
from sleuth.trace.flow.table import Flow
from sleuth.trace.origin.origins import Origins
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Value

_PLAIN = ("receiver", "position")
_GIVEN = (*_PLAIN, "name", "*", "**")
_MAKERS = ("__init__", "__new__")
_TAKES = ("store", "return", "yield")


@dataclass(frozen=True, slots=True)
class Given:
    """An argument, or the object whose method was called."""

    name: str
    """The name that it was given by; `*` or `**` for several; else empty."""
    text: str
    """Its text in the source."""
    value: Value
    """Absent: not known."""
    is_receiver: bool


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A call of code that is not recorded."""

    by: CallId
    moment: Moment
    """The last event of the caller before it."""
    seen: Moment
    """The arguments are those before the event at this moment."""
    span: Span
    name: str
    """What was called, as it stands in the source."""
    given: tuple[Given, ...]
    result: Value
    """Absent: not known."""


def unrecorded(trace: Trace, call: Call, first: int, last: int) -> Iterator[Unrecorded]:
    """Yield the calls of code that is not recorded after the events of a call from first to last.

    Where it is not certain which way the call went: only those that certainly ran.
    """
    flow = trace.flow(call.function)
    if flow is None:
        return
    origins = Origins(trace)
    found = stretches(trace, call, first, last) or ()
    if found and found[-1].until is not None:
        # The event behind the last one may tell a result.
        found = stretches(trace, call, first, found[-1].until) or found
    for stretch, after in pairwise(chain(found, [None])):
        is_wanted = stretch is not None and stretch.moment <= last
        for number in stretch.ran.operations if stretch and is_wanted else ():
            does = flow.operations[number]
            is_call = does.kind == "call" and does.span is not None
            if stretch and is_call and not _is_recorded(trace, call, stretch, number):
                result = _result(trace, flow, number, after)
                yield _told(origins, (call, stretch, number), flow, result)


def _is_recorded(trace: Trace, call: Call, stretch: Stretch, number: int) -> bool:
    """Tell whether an operation called recorded code directly."""
    if stretch.until is None or stretch.ran.operations[-1] != number:
        return False
    event = trace.event(stretch.until)
    if event.kind is not EventKind.ENTER or event.call is None:
        return False
    child = trace.call(event.call)
    function = trace.function(child.function)
    is_made = function is not None and function.name in _MAKERS
    return child.parent == call.id and (child.is_what_was_called or is_made)


def _told(origins: Origins, at: tuple[Call, Stretch, int], flow: Flow, result: Value) -> Unrecorded:
    call, stretch, number = at
    does = flow.operations[number]
    names = [each for each in does.name.split(",") if each]
    given: list[Given] = []
    for each in does.inputs:
        if each.role in _GIVEN:
            name = names.pop(0) if each.role == "name" and names else each.role
            text, value = origins.given_to(call, stretch, number, each)
            is_receiver = each.role == "receiver"
            given.append(Given("" if each.role in _PLAIN else name, text, value, is_receiver))
    callee = next((each for each in does.inputs if each.role == "callee"), None)
    name = origins.given_to(call, stretch, number, callee)[0] if callee else ""
    until = stretch.moment + 1 if stretch.until is None else stretch.until
    span = does.span or Span(0, 0, 0, 0)
    moment = Moment(stretch.moment)
    return Unrecorded(call.id, moment, Moment(until), span, name, tuple(given), result)


def _result(trace: Trace, flow: Flow, number: int, after: Stretch | None) -> Value:
    """Return the result if the next event of the caller tells it; absent: not known."""
    if after is None or not after.ran.operations:
        return ABSENT
    does = flow.operations[after.ran.operations[0]]
    is_taken = does.kind in _TAKES and any(
        (made.operation, made.output) == (number, 0) and len(each.made) == 1
        for each in does.inputs
        if each.role == "value"
        for made in each.made
    )
    event = trace.event(after.moment)
    return event.values[-1] if is_taken and event.values else ABSENT
