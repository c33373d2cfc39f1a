"""The stream of a generator: the values that it yielded and was sent."""

from sleuth.trace import conventions
from sleuth.trace.events import Call, Event, EventKind, Function
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Constant, NotKept, Value
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Seen, Stream

_MOST_GIVEN = 1000
"""The most values that are returned."""
_MOST_MOMENTS = 100_000
"""The rest of a longer call is not read."""
_WAITS = 1
"""Flag of a suspension: it waits for another call."""
_AWAITING = "async generator"
"""Kind of function whose waiting yields nothing, unlike `yield from` in a generator."""
GIVING = ("generator", "generator expression", _AWAITING)
"""Kinds of functions whose calls yield values."""


def stream_of(trace: Trace, call: Call, function: Function | None, kind: str) -> Stream:
    """Return what a generator or coroutine yielded and was sent."""
    passes_on = kind == words.GENERATOR and not (function and function.kind == _AWAITING)
    return _stream(trace, call, call.first, end_of(trace, call), passes_on=passes_on)


def stream_in(
    trace: Trace, call: Call, function: Function | None, first: int, last: int
) -> Stream | None:
    """Return what a generator yielded and was sent from first to last; None: it is none."""
    if not call.is_resumable or function is None or function.kind not in GIVING:
        return None
    return _stream(trace, call, first, last, passes_on=function.kind != _AWAITING)


def _stream(trace: Trace, call: Call, first: int, last: int, *, passes_on: bool) -> Stream:
    given: list[Seen] = []
    sent: list[Seen] = []
    count = resumed = 0
    nothing = conventions.of(trace.meta.get("language")).nothing
    seen = min(last, first + _MOST_MOMENTS)
    for event in trace.events(first, seen, call=call.id):
        if event.kind is EventKind.RESUME:
            resumed += 1
            if _is_sent(event, nothing) and len(sent) < _MOST_GIVEN:
                sent.append(Seen(f"sent[{len(sent)}]", event.values[0], event.moment))
        elif event.kind is EventKind.SUSPEND and (passes_on or not event.flags & _WAITS):
            if count < _MOST_GIVEN:
                given.append(Seen(f"yielded[{count}]", _passed_on(trace, event), event.moment))
            count += 1
    return Stream(tuple(given), count, tuple(sent), resumed, is_whole=seen == last)


def waits(function: Function) -> bool:
    """Whether calls of a function may await others; these suspensions yield nothing."""
    return function.kind == _AWAITING


def is_waiting(event: Event) -> bool:
    """Whether a suspension waits for another call."""
    return bool(event.flags & _WAITS)


def _passed_on(trace: Trace, event: Event) -> Value:
    """Return the value of a suspension.

    With `yield from` it is that of the inner generator, whose suspension comes directly before.
    """
    while event.kind is EventKind.SUSPEND and event.flags & _WAITS and event.moment > 0:
        event = trace.event(event.moment - 1)
    if event.kind is EventKind.SUSPEND:
        return event.values[0]
    return NotKept("given by code that is not recorded")


def _is_sent(event: Event, nothing: frozenset[str]) -> bool:
    value = event.values[0]
    is_nothing = isinstance(value, Constant) and value.name in nothing
    return not isinstance(value, Absent) and not is_nothing
