"""Callers at a moment: a generator or coroutine has another one each time that it is resumed."""

from collections.abc import Iterator
from typing import NamedTuple

from sleuth.trace.events import Call, CallId, EventKind, Moment
from sleuth.trace.nearest import Wanted
from sleuth.trace.reader import Trace

COROUTINE, GENERATOR = "coroutine", "generator"
_STOPS = (EventKind.SUSPEND, EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)


class Caller(NamedTuple):
    """The call that called or resumed another one, and when."""

    call: Call
    since: Moment
    """When the other one began or went on."""


def kind_of(trace: Trace, call: Call) -> str:
    """Return coroutine or generator for a call that can be suspended; empty for others."""
    if not call.is_resumable:
        return ""
    function = trace.function(call.function)
    return COROUTINE if function is not None and function.kind == COROUTINE else GENERATOR


def resumed_at(trace: Trace, call: Call, moment: int) -> Moment | None:
    """Return when a call last went on, up to a moment; None: it had not begun to run."""
    return trace.nearest.before(moment + 1, Wanted(call=call.id, kind=EventKind.RESUME), call.first)


def caller_of(trace: Trace, call: Call, moment: int) -> Caller | None:
    """Return the caller at a moment in the same thread and task; None: there is none."""
    if not call.is_resumable:
        return _creator(trace, call)
    resumed = resumed_at(trace, call, moment)
    if resumed is None:
        return _creator(trace, call)
    under = trace.nearest.beneath(resumed)
    if under is None:
        return None
    found = trace.call(under)
    return Caller(found, resumed) if _is_beside(trace, found, resumed) else None


def suspended_at(trace: Trace, call: Call, moment: int) -> Moment | None:
    """Return when a call hands over to its caller next, at a moment or after it.

    A coroutine does so at its end, a generator also when it yields.  None: it never does.
    """
    if kind_of(trace, call) != GENERATOR:
        return call.last if call.last is None or call.last >= moment else None
    best: Moment | None = None
    for kind in _STOPS:
        found = trace.nearest.after(moment - 1, Wanted(call=call.id, kind=kind), best or call.last)
        best = best if found is None else found
    return best


def stack(trace: Trace, call: CallId | None, moment: int) -> Iterator[Call]:
    """Yield the calls that are going on in a thread or task, the innermost first."""
    if call is None:
        return
    here: Call | None = trace.call(call)
    at = Moment(moment)
    while here is not None:
        yield here
        found = caller_of(trace, here, at)
        here, at = (None, at) if found is None else found


def _creator(trace: Trace, call: Call) -> Caller | None:
    if call.parent is None or call.ran_elsewhere:
        return None
    return Caller(trace.call(call.parent), call.first)


def _is_beside(trace: Trace, under: Call, resumed: Moment) -> bool:
    """Tell whether a call ran in the same task as the one that was resumed above it."""
    task = under.task
    if under.is_resumable:
        before = trace.nearest.before(resumed, Wanted(call=under.id), under.first)
        task = task if before is None else trace.event(before).task
    return task == trace.event(resumed).task
