"""The calls between a diagnosis and the run that were not judged wrong, and need not have been."""

from sleuth.search.question import Diagnosis
from sleuth.trace import conventions
from sleuth.trace.events import EventKind, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Constant
from sleuth.tree.node import ExecutionTree, Key

_MOST_EVENTS = 2_000_000
"""In a longer run it is not looked up who printed."""


def unjudged_between(trace: Trace, found: Diagnosis, tree: ExecutionTree) -> list[Key]:
    """Return the calls above a guilty one that may have been right all the same.

    A call that returned nothing and printed all that the run printed, such as `main`, is as wrong
    as the run: nobody sees more of the run than of this call.
    """
    keys = [tree.key(node) for node in found.between]
    return [key for key in keys if not _shows_the_run(trace, key)]


def _shows_the_run(trace: Trace, key: Key) -> bool:
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
