"""The end of a loop's execution, found by the route of its call after the last turn."""

from typing import NamedTuple

from sleuth.trace.events import Call, EventKind, Site
from sleuth.trace.flow.lines import Ran
from sleuth.trace.flow.table import Flow, Loop
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import lines_of
from sleuth.tree.loops.shape import CONDITIONAL, place_of

EXHAUSTED = "exhausted"
CONDITION_FALSE = "condition false"
BROKEN = "break"
RETURNED = "return"
HEAD_RAISED = "its head raised"
BODY_RAISED = "its body raised"
NOT_ENDED = "not ended"
NOT_KNOWN = "not known"


class LoopEnd(NamedTuple):
    """What ended a loop."""

    how: str
    line: int | None = None
    """The line of the `break`, `return` or exception."""
    moment: int | None = None
    """The event that shows it."""


def end_of(trace: Trace, call: Call, site: Site, turn: int, last: int) -> LoopEnd:
    """Return how a loop ended; `turn`: when its last turn began (without turns: the loop).

    `last`: the last moment known to be in the loop.
    """
    flow = trace.flow(call.function)
    loop = None if flow is None else flow.loops.get(site.id)
    if flow is None or loop is None:
        return LoopEnd(NOT_KNOWN)
    lines = lines_of(trace)
    behind = lines.behind(call, last)
    if behind is None:
        is_over = call.last is not None
        return LoopEnd(NOT_KNOWN if is_over else NOT_ENDED)
    if behind.kind in (EventKind.CATCH, EventKind.UNWIND):
        found = _raised(trace, call, flow, loop, behind.place)
        if found is not None:
            return LoopEnd(*found, behind.moment)
    ran = lines.between(call, turn, last)
    if ran is None:
        return LoopEnd(NOT_KNOWN)
    line = _returned(flow, loop.statement, ran) if behind.kind == EventKind.RETURN else None
    if line is not None:
        return LoopEnd(RETURNED, line, behind.moment)
    left = _left(flow, loop.statement, ran)
    how = CONDITION_FALSE if site.kind == CONDITIONAL else EXHAUSTED
    return LoopEnd(how) if left is None else LoopEnd(BROKEN, left)


def _returned(flow: Flow, loop: int, ran: Ran) -> int | None:
    """Return the line of the statement that ended the call, if it is in the loop."""
    inside = [number for number in ran.at if flow.is_repeated(number, loop)]
    return flow.statements[inside[0]].span.line if inside else None


def _left(flow: Flow, loop: int, ran: Ran) -> int | None:
    """Return the line of the `break` of this loop that ran."""
    for number, statement in enumerate(flow.statements):
        is_break = statement.kind == "break" and ran.statements >> number & 1
        if is_break and flow.loop_around(number) == loop >= 0:
            return statement.span.line
    return None


def _raised(trace: Trace, call: Call, flow: Flow, loop: Loop, place: int) -> tuple[str, int] | None:
    """Return whether head or body raised the exception, and the line; None: it left no loop."""
    for number in flow.steps_at(place):
        step = flow.steps[number]
        if loop.statement >= 0 and step.statement == loop.statement:
            return HEAD_RAISED, step.line
        if flow.is_repeated(step.statement, loop.statement):
            return BODY_RAISED, step.line
    function = trace.function(call.function)
    span = None if function is None else function.span_at(place)
    is_inside = loop.statement < 0 and place_of(loop.body).contains(span)
    return (BODY_RAISED, span.line) if is_inside and span is not None else None
