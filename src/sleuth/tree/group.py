"""What calls side by side did, taken together: each of them, and what changed."""

from itertools import islice

from sleuth.trace.events import Call, EventKind, Moment
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
    if key.call < 0 or trace.call(key.call).first == key.first:
        return None
    event = trace.event(key.first)
    if event.kind is not EventKind.ENTER or event.call is None:
        return None
    if trace.call(event.call).parent != key.call:
        return None
    made = islice(trace.child_ids(key.call), _MOST_CHILDREN)
    numbers = [number for number in made if number >= event.call]
    members: list[Call] = []
    count = 0
    for call in map(trace.call, numbers):
        if call.first > key.last:
            break
        count += 1
        if len(members) < _MOST_MEMBERS:
            members.append(call)
    return Group(tuple(members), count)


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
