"""Exceptions that came into a generator or coroutine where it waited: `throw`, cancellations."""

from sleuth.trace import conventions
from sleuth.trace.events import Call, Event, EventKind
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.observe.stream import is_waiting

_NEARBY = 400
"""Moments before its end in which the beginning of an exception is searched."""


def was_thrown_into(trace: Trace, call: Call, value: Value, last: int) -> bool:
    """Tell whether an exception that left a call was thrown into it, or into what it waited for.

    An exception of what a coroutine awaits comes in the same way; only a cancellation counts then.
    """
    if not call.is_resumable or not isinstance(value, Ref):
        return False
    near = list(trace.events(max(last - _NEARBY, call.first), last))
    raised = (each for each in near if each.kind is EventKind.RAISE and each.values[0] == value)
    origin = next(raised, None)
    if origin is None or origin.call is None or origin.moment <= call.first:
        return False
    resumed = trace.event(origin.moment - 1)
    if not (_has_come_in(resumed) and resumed.call == origin.call):
        return False
    came = [each for each in near if each.moment >= resumed.moment and each.call == call.id]
    if not any(map(_has_come_in, came)):
        return False  # it threw the exception into another one
    paused = _paused_before(trace, origin)
    if paused is None:
        return False
    cancelling = conventions.of(trace.meta.get("language")).cancelling
    return value.type_name in cancelling or not is_waiting(paused)


def _has_come_in(event: Event) -> bool:
    return event.kind is EventKind.RESUME and isinstance(event.values[0], Absent)


def _paused_before(trace: Trace, origin: Event) -> Event | None:
    """Return where the call waited; None: it had not begun, so that nothing was thrown into it."""
    first, size = int(trace.call(origin.call or 0).first), _NEARBY
    low = int(origin.moment)
    while low > first:
        low, high = max(int(origin.moment) - size, first), low - 1
        for event in reversed(list(trace.events(low, high, call=origin.call))):
            if event.kind is EventKind.SUSPEND:
                return event
        size *= 8
    return None
