"""What calls side by side did, taken together: each of them, and what changed."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice

from sleuth.trace.events import CallId, EventKind, Moment
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.tree import behaviour as words
from sleuth.tree.behaviour import Behaviour, Group, Outcome
from sleuth.tree.node import Key
from sleuth.tree.observe import by_whom, gaps_of
from sleuth.tree.printed import printed_in

_MOST_MEMBERS = 200
_MOST_CHILDREN = 2_000_000


def group_of(trace: Trace, key: Key) -> Group | None:
    """Return the calls that a group consists of; None: it is no group."""
    numbers = members_of(trace, key)
    if numbers is None:
        return None
    return Group(tuple(map(trace.call, numbers[:_MOST_MEMBERS])), len(numbers))


def members_of(trace: Trace, key: Key) -> Sequence[CallId] | None:
    """Return the numbers of all calls that a group consists of; None: it is no group."""
    if key.call < 0 or trace.call(key.call).first == key.first:
        return None
    event = trace.event(key.first)
    if event.kind is not EventKind.ENTER or event.call is None:
        return None
    if trace.call(event.call).parent != key.call:
        return None
    made = list(islice(trace.child_ids(key.call), _MOST_CHILDREN))
    # They are numbered as they began.
    start = bisect_left(made, event.call)
    stop = bisect_right(made, key.last, lo=start, key=lambda call: trace.call(call).first)
    return made[start:stop]


def group_behaviour(trace: Trace, key: Key, group: Group) -> Behaviour:
    """Return what the calls of a group did together."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    after = Moment(min(key.last + 1, trace.event_count))
    difference = trace.changed_between(call, key.first, after)
    own, others = by_whom(trace, call, function, difference)
    if function is not None and function.kind != "module body":
        # Its variables are set by the one who made the calls.
        names = {name_text(name) for name in trace.variables(call, after)}
        own = tuple(change for change in own if change.path not in names)
    return Behaviour(
        call=call,
        function=function,
        kind=words.GROUP,
        first=Moment(key.first),
        last=after,
        given=(),
        outcome=Outcome(words.PASSED),
        stream=None,
        printed=printed_in(trace, call._replace(first=Moment(key.first)), Moment(key.last)),
        changes=own,
        meanwhile=others,
        used=(),
        same=(),
        aliases=(),
        gaps=gaps_of(trace, difference),
        group=group,
    )
