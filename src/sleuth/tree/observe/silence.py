"""Silence: a behaviour that shows nothing to judge, so that its node is judged with its caller."""

from sleuth.trace import conventions
from sleuth.trace.events import Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Constant, Value
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Group

_SPEAKING = (words.RUN, words.GENERATOR)
"""Kinds that always show something: that a generator yields nothing is worth a question."""


def shows_nothing(trace: Trace, behaviour: Behaviour) -> bool:
    """Tell whether there is no result, no exception, no change and no output.

    That a function returned nothing which returns something elsewhere is a result.
    """
    if behaviour.kind in _SPEAKING or behaviour.changes or behaviour.meanwhile:
        return False
    if behaviour.printed.lines or behaviour.printed.errors or not behaviour.printed.is_whole:
        return False
    if behaviour.stream is not None and (behaviour.stream.count or behaviour.part is not None):
        return False
    if behaviour.made is not None:
        return False
    if behaviour.group is not None:
        return behaviour.part is None and _is_silent_group(trace, behaviour.group)
    return _has_no_outcome(trace, behaviour)


def _has_no_outcome(trace: Trace, behaviour: Behaviour) -> bool:
    how = behaviour.outcome.how
    if how == words.PASSED:
        return True
    is_nothing = how == words.RETURNED and _is_nothing(trace, behaviour.outcome.value)
    return is_nothing and not _can_return_more(trace, behaviour.call.function)


def _is_silent_group(trace: Trace, group: Group) -> bool:
    """Tell whether no member returned anything; what they changed is known already."""
    return len(group.members) == group.count and all(
        call.outcome is Outcome.RETURNED
        and _is_nothing(trace, trace.result(call))
        and not _can_return_more(trace, call.function)
        for call in group.members
    )


def _is_nothing(trace: Trace, value: Value) -> bool:
    if isinstance(value, Absent):
        return True
    nothing = conventions.of(trace.meta.get("language")).nothing
    return isinstance(value, Constant) and value.name in nothing


def _can_return_more(trace: Trace, function: int) -> bool:
    """Tell whether a function has a `return` with a value; without a flow table, it may have."""
    flow = trace.flow(function)
    if flow is None:
        return True
    returns = (each for each in flow.operations if each.kind == "return")
    return any(
        each.kind != "constant" or each.value is not None
        for given in returns
        for each in flow.makers(given)
    )
