"""Effort: a rough and quick estimate of how hard a call is to judge.

It is computed for many calls, so it looks only at the arguments, the result and the first events.
"""

from itertools import islice
from math import log2

from sleuth.trace.events import Call, EventKind
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Cut, NotKept, Ref, Value

_FEW = 60
"""Moments that are looked at."""
_EFFECTS = frozenset(
    {
        EventKind.SET_ATTRIBUTE,
        EventKind.SET_ITEM,
        EventKind.SET_SLICE,
        EventKind.DELETE_ATTRIBUTE,
        EventKind.DELETE_ITEM,
        EventKind.CHANGED,
        EventKind.SPLICED,
        EventKind.PUT,
        EventKind.OUTPUT,
    }
)


def effort(trace: Trace, call: Call) -> float:
    """Return roughly how many small values have to be read to judge a call."""
    seen = [*trace.arguments(call), trace.result(call)]
    last = trace.event_count - 1 if call.last is None else call.last
    events = islice(trace.events(call.first, min(last, call.first + _FEW)), _FEW)
    effects = sum(event.kind in _EFFECTS for event in events)
    # A long call is seldom easier than its beginning.
    length = log2(max(last - call.first, 1))
    return 1 + sum(map(_size, seen)) + effects + length / 2


def _size(value: Value) -> float:
    match value:
        case Ref():
            return 3
        case Atom(str() | bytes() as content):
            return 1 + len(content) / 40
        case Cut() | NotKept():
            return 4
    return 1
