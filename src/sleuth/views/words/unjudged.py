"""The calls between a diagnosis and the run that were not judged wrong, and need not have been."""

from sleuth.search.question import Diagnosis
from sleuth.trace import conventions
from sleuth.trace.events import EventKind, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Constant, Ref
from sleuth.tree.failing.test import Failure
from sleuth.tree.node import ExecutionTree, Key

_MOST_EVENTS = 2_000_000
"""In a longer run it is not looked up who printed."""


def unjudged_between(
    trace: Trace, found: Diagnosis, tree: ExecutionTree, failure: Failure | None = None
) -> list[Key]:
    """Return the calls above a guilty one that may have been right all the same.

    A call is as wrong as the run if nobody sees more of the run than of this call: it returned
    nothing and printed all that the run printed, such as `main`; or the exception that ended the
    run left it; or the check that failed is about its result.
    """
    keys = [tree.key(node) for node in found.between]
    checked = failure.actual.call if failure is not None and failure.actual is not None else None
    return [
        key
        for key in keys
        if key.call != checked and not _ended_with_it(trace, key) and not _printed_all(trace, key)
    ]


def _ended_with_it(trace: Trace, key: Key) -> bool:
    """Tell whether the exception that left the outermost call left this one, too."""
    if key.call < 0 or not (trace.ending or {}).get("status"):
        return False
    call = outermost = trace.call(key.call)
    while outermost.parent is not None:
        outermost = trace.call(outermost.parent)
    if not call.outcome is outermost.outcome is Outcome.RAISED:
        return False
    error = trace.result(call)
    return isinstance(error, Ref) and error == trace.result(outermost)


def _printed_all(trace: Trace, key: Key) -> bool:
    end = trace.event_count - 1
    if key.call < 0 or key.last < 0 or end > _MOST_EVENTS:
        return False
    call = trace.call(key.call)
    result = trace.result(call)
    nothing = conventions.of(trace.meta.get("language")).nothing
    is_nothing = isinstance(result, Absent) or (
        isinstance(result, Constant) and result.name in nothing
    )
    if call.outcome is not Outcome.RETURNED or not is_nothing:
        return False
    return (
        _prints(trace, key.first, key.last)
        and not _prints(trace, 0, key.first - 1)
        and not _prints(trace, key.last + 1, end)
    )


def _prints(trace: Trace, first: int, last: int) -> bool:
    if first > last:
        return False
    return next(iter(trace.events(first, last, kind=EventKind.OUTPUT)), None) is not None
