"""Coverage: the lines that a call ran itself, without those of its callees."""

from dataclasses import dataclass

from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.flow.lines import Lines, Ran, Steps
from sleuth.trace.flow.table import Flow
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines of one call."""

    lines: tuple[int, ...]
    """The lines that ran, sorted."""
    code: tuple[int, ...]
    """All lines of the function that have code, sorted."""
    raised: int | None
    """Where an exception left the call."""
    is_known: bool = True
    """False: it is not known which lines ran."""
    statements: int = 0
    """The statements of the function's flow that ran, as bits."""


@kept(most=1)
def lines_of(trace: Trace) -> Lines:
    """Return the finder of lines for a trace, with its cache."""
    return Lines(trace)


@kept(most=1)
def steps_of(trace: Trace) -> Steps:
    """Return the finder of steps for a trace."""
    return Steps(trace)


def coverage(trace: Trace, call: Call) -> Coverage:
    """Return the lines that a call ran itself."""
    return _told(trace, call, trace.flow(call.function), lines_of(trace).of(call))


def coverage_between(
    trace: Trace, call: Call, first: int, last: int, *, is_closed: bool = False
) -> Coverage:
    """Return the lines that a call ran itself between two moments.

    They are counted up to the call's next event; is_closed: only up to the last moment.
    """
    ran = lines_of(trace).between(call, first, last, is_closed=is_closed)
    return _told(trace, call, trace.flow(call.function), ran, last)


def _told(
    trace: Trace, call: Call, flow: Flow | None, ran: Ran | None, last: int | None = None
) -> Coverage:
    if flow is None or ran is None:
        return Coverage((), () if flow is None else flow.lines, None, is_known=False)
    raised = _raised(trace, call, last)
    return Coverage(ran.touched, flow.lines, raised, statements=ran.statements)


def _raised(trace: Trace, call: Call, last: int | None) -> int | None:
    """Return the line where an exception left the call, if one did by a moment."""
    is_over = call.last is not None and (last is None or call.last <= last + 1)
    if call.outcome is not Outcome.RAISED or call.last is None or not is_over:
        return None
    event = trace.event(call.last)
    function = trace.function(call.function)
    if event.kind is not EventKind.UNWIND or function is None:
        return None
    span = function.span_at(event.place)
    return span.line if span is not None and span.line else None
