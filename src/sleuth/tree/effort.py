"""Effort: a rough and quick estimate of how much there is to read before a node can be judged.

It is computed for many nodes, so it looks only at arguments, results and the first events.
"""

from itertools import islice
from math import log2

from sleuth.trace.events import Call, EventKind
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Cut, NotKept, Ref, Value
from sleuth.tree.node import ExecutionTree, NodeKind
from sleuth.tree.observe.group import members_in

_FEW = 60
"""Moments that are looked at."""
_MOST_MEMBERS = 8
"""Calls of a group that are looked at."""
_LOOP = 3.0
"""The head of a loop, and which turns are meant."""
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


def effort_in(trace: Trace, tree: ExecutionTree, node: int) -> float:
    """Return roughly how many small values have to be read to judge a node."""
    key, kind = tree.key(node), tree.kind[node]
    if key.call < 0:
        return 0.0
    if kind in (NodeKind.LOOP, NodeKind.TURN):
        return _LOOP + _effects(trace, key.first, key.last)
    members = members_in(tree, node)
    if members is None:
        return effort(trace, trace.call(key.call))
    looked = [_values(trace, trace.call(each)) for each in members[:_MOST_MEMBERS]]
    every = sum(looked) * len(members) / max(len(looked), 1)
    return every + _effects(trace, key.first, key.last)


def effort(trace: Trace, call: Call) -> float:
    """Return roughly how many small values have to be read to judge a call."""
    last = -1 if call.last is None else call.last
    return 1 + _values(trace, call) + _effects(trace, call.first, last)


def _values(trace: Trace, call: Call) -> float:
    """Return the size of the arguments and of the result."""
    return sum(map(_size, (*trace.arguments(call), trace.result(call))))


def _effects(trace: Trace, first: int, last: int) -> float:
    """Return how many effects there are at the beginning; a long time is seldom easier."""
    last = trace.event_count - 1 if last < 0 else last
    events = islice(trace.events(first, min(last, first + _FEW)), _FEW)
    effects = sum(event.kind in _EFFECTS for event in events)
    return effects + log2(max(last - first, 1)) / 2


def _size(value: Value) -> float:
    match value:
        case Ref():
            return 3
        case Atom(str() | bytes() as content):
            return 1 + len(content) / 40
        case Cut() | NotKept():
            return 4
    return 1
