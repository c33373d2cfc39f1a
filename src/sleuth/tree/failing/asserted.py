"""A failed assert of the program itself: the call that it ended, and its condition."""

from dataclasses import dataclass

from sleuth.trace.events import Call, Event, EventKind, Function, Moment, Outcome, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref

_ERROR = "AssertionError"


@dataclass(frozen=True, slots=True)
class Asserted:
    """An assert that failed."""

    call: Call
    function: Function
    line: int
    condition: Span
    at: Moment
    """Its variables are looked at before the event at this moment."""


def failed_assert(trace: Trace, call: Call) -> Asserted | None:
    """Return the assert in the call itself that failed and ended it; None: there is none."""
    function = trace.function(call.function)
    event = raised_in(trace, call)
    if function is None or event is None or not _is_assertion(event):
        return None
    found = _check_at(trace, function, event.place)
    return None if found is None else Asserted(call, function, *found, event.moment)


def raised_in(trace: Trace, call: Call) -> Event | None:
    """Return the event of the exception that left a call, if the call itself raised it."""
    if call.outcome is not Outcome.RAISED or call.last is None:
        return None
    error = trace.result(call)
    for event in trace.events(max(call.last - 3, call.first), call.last, call=call.id):
        if event.kind is EventKind.RAISE and event.values[0] == error:
            return event
    passed_on = (
        child.outcome is Outcome.RAISED and trace.result(child) == error
        for child in trace.children(call.id)
    )
    return None if any(passed_on) else trace.event(call.last)


def _is_assertion(event: Event) -> bool:
    value = event.values[0] if event.values else None
    return isinstance(value, Ref) and value.type_name.rpartition(".")[2] == _ERROR


def _check_at(trace: Trace, function: Function, place: int | None) -> tuple[int, Span] | None:
    """Return the line of the assert at a place, and the span of its condition."""
    flow, wording = trace.flow(function.id), trace.wording(function.id)
    if flow is None or wording is None or place is None:
        return None
    for step in flow.steps_at(place):
        statement = flow.steps[step].statement
        if statement in wording.conditions:
            return flow.statements[statement].span.line, wording.conditions[statement]
    return None
