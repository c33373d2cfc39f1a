"""The behaviour of a group of sibling calls: its members, and what they did together."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice

import numpy as np

from sleuth.trace.events import Call, CallId, EventKind, Moment
from sleuth.trace.reader import Trace
from sleuth.tree.names.known_names import known_as
from sleuth.tree.node import ExecutionTree, Key, NodeKind
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Group, Outcome
from sleuth.tree.observe.printed import printed_by
from sleuth.tree.observe.together import together
from sleuth.tree.threads import is_apart

_MOST_MEMBERS = 200
_MOST_CHILDREN = 2_000_000
_GROUPS = (NodeKind.GROUP, NodeKind.MERGED)


def group_of(trace: Trace, key: Key) -> Group | None:
    """Return the members of a group; None: it is no group."""
    numbers = members_of(trace, key)
    return None if numbers is None else group_with(trace, numbers)


def group_with(trace: Trace, calls: Sequence[int]) -> Group:
    """Return a group of these calls."""
    return Group(tuple(map(trace.call, calls[:_MOST_MEMBERS])), len(calls))


def members_in(tree: ExecutionTree, node: int) -> Sequence[int] | None:
    """Return the numbers of all members of a group in a tree; None: it is no group."""
    if tree.kind[node] not in _GROUPS:
        return None
    found: list[int] = []
    waiting = [node]
    while waiting:
        group = waiting.pop()
        children = tree.children(group)
        is_group = np.isin(tree.kind[children], _GROUPS)
        waiting += children[is_group].tolist()
        found += tree.call[children[~is_group]].tolist() + tree.calls_in(group).tolist()
    return sorted(found)


def members_of(trace: Trace, key: Key) -> Sequence[int] | None:
    """Return the numbers of all members of a group by its key, without a tree."""
    if key.call < 0 or trace.call(key.call).first == key.first:
        return None
    event = trace.event(key.first)
    if event.kind is not EventKind.ENTER or event.call is None:
        return None
    if trace.call(event.call).parent != key.call:
        return _side_by_side(trace, key, event.call) if _is_in(trace, event.call, key) else None
    made = _called(trace, key.call)
    # They are numbered as they began.
    start = bisect_left(made, event.call)
    stop = bisect_right(made, key.last, lo=start, key=lambda call: trace.call(call).first)
    if _ended_in(trace.call(made[stop - 1]), key):
        return made[start:stop]
    return [*made[start : stop - 1], *_side_by_side(trace, key, made[stop - 1])]


def _called(trace: Trace, call: int) -> list[CallId]:
    """Return the callees of a call in its own thread."""
    made = islice(trace.child_ids(call), _MOST_CHILDREN)
    if not trace.has_elsewhere:
        return list(made)
    return [each for each in made if not is_apart(trace, trace.call(each))]


def _is_in(trace: Trace, call: int, key: Key) -> bool:
    above: int | None = call
    while above is not None and above > key.call:
        above = trace.call(above).parent
    return above == key.call


def _ended_in(call: Call, key: Key) -> bool:
    """Tell whether a call ended within a group; one that can be resumed may end later."""
    return call.is_resumable or (call.last is not None and call.last <= key.last)


def _side_by_side(trace: Trace, key: Key, first: int) -> list[int]:
    """Return the calls from `first` on that began and ended in the interval of a group.

    A call that began there and ended later is no member: it was merged into the call of the group,
    and its callees in the interval are members.
    """
    found: list[int] = []
    at: int | None = first
    while at is not None and at < trace.call_count and len(found) < _MOST_CHILDREN:
        call = trace.call(at)
        if call.first > key.last:
            break
        if _ended_in(call, key):
            found.append(at)
            at = call.until
        else:
            at += 1
    return found


def calls_in(trace: Trace, key: Key) -> Group:
    """Return the callees of a call in an interval."""
    made = _called(trace, key.call)
    start = bisect_left(made, key.first, key=lambda call: trace.call(call).first)
    stop = bisect_right(made, key.last, lo=start, key=lambda call: trace.call(call).first)
    return Group(tuple(map(trace.call, made[start:stop][:_MOST_MEMBERS])), stop - start)


def group_behaviour(trace: Trace, key: Key, group: Group) -> Behaviour:
    """Return the behaviour of a group."""
    call = trace.call(key.call)
    found = together(trace, key, group.members, group.count)
    return Behaviour(
        call=call,
        function=trace.function(call.function),
        kind=words.GROUP,
        first=Moment(key.first),
        last=Moment(min(key.last + 1, trace.event_count)),
        given=(),
        outcome=Outcome(words.PASSED),
        stream=None,
        printed=printed_by(trace, group.members),
        changes=tuple(found.changes),
        meanwhile=tuple(found.meanwhile),
        used=tuple(found.used.values()),
        same=(),
        aliases=(),
        gaps=found.gaps(trace),
        group=group,
        known=known_as(trace, call),
        folded=tuple(found.folded),
    )
