"""The behaviour of any node by its key, including the whole run."""

from sleuth.trace.events import Call, CallId, FunctionId, Moment
from sleuth.trace.events import Outcome as Ending
from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_behaviour, part_of
from sleuth.tree.node import Key
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Gaps, Outcome
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.group import group_behaviour, group_of
from sleuth.tree.observe.printed import printed_in

_NOBODY = -1


def behaviour_at(trace: Trace, call: int) -> Behaviour:
    """Return the behaviour of a call; a negative number means the whole run."""
    return run_behaviour(trace) if call < 0 else behaviour_of(trace, trace.call(call))


def behaviour_for(trace: Trace, key: Key) -> Behaviour:
    """Return the behaviour of a node: call, run, loop, turns, steps or group."""
    group = group_of(trace, key)
    if group is not None:
        return group_behaviour(trace, key, group)
    part = part_of(trace, key)
    return behaviour_at(trace, key.call) if part is None else part_behaviour(trace, key, part)


def call_at(trace: Trace, key: Key) -> Call | None:
    """Return the call of a node; None: it is the run, or a part of a call."""
    if not 0 <= key.call < trace.call_count:
        return None
    call = trace.call(key.call)
    is_whole = (key.first, key.last) == (call.first, -1 if call.last is None else call.last)
    return call if is_whole else None


def run_behaviour(trace: Trace) -> Behaviour:
    """Return the behaviour of the whole run."""
    last = Moment(max(trace.event_count - 1, 0))
    ending = Ending.UNFINISHED if trace.is_running else Ending.RETURNED
    run = Call(
        id=CallId(_NOBODY),
        parent=None,
        function=FunctionId(_NOBODY),
        place=None,
        thread=0,
        task=0,
        first=Moment(0),
        last=None if trace.is_running else last,
        outcome=ending,
        events=0,
        until=None,
        flags=0,
    )
    return Behaviour(
        call=run,
        function=None,
        kind=words.RUN,
        first=run.first,
        last=last,
        given=(),
        outcome=_outcome(trace),
        stream=None,
        printed=printed_in(trace, run, last),
        changes=(),
        meanwhile=(),
        used=(),
        same=(),
        aliases=(),
        gaps=Gaps(has_contents=trace.has_contents),
    )


def _outcome(trace: Trace) -> Outcome:
    """Return how the first call without a caller ended, which is the program in most languages."""
    first = next(trace.children(None), None)
    if first is not None and first.outcome is Ending.RAISED:
        return behaviour_of(trace, first).outcome
    return Outcome(words.UNFINISHED if trace.is_running else words.RETURNED)
