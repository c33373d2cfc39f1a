"""Makes the behaviour of a call from a trace, with bounded work."""

from collections.abc import Iterator

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Moment
from sleuth.trace.events import Outcome as Ending
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.heap.roots import end_of, given_to
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, NotKept, Ref, Value
from sleuth.tree.names.known_names import known_as
from sleuth.tree.node_kinds import kind_of, written
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.attribution import Doers, by_whom
from sleuth.tree.observe.behaviour import Behaviour, Gaps, Outcome, Seen
from sleuth.tree.observe.printed import printed_in
from sleuth.tree.observe.stream import stream_of
from sleuth.tree.observe.thrown import was_thrown_into
from sleuth.tree.observe.used import Used, used_by

_NEARBY = 200
"""Moments before its end in which the beginning of an exception is searched."""
_ENDINGS = {
    Ending.RETURNED: words.RETURNED,
    Ending.RAISED: words.RAISED,
    Ending.UNFINISHED: words.UNFINISHED,
    Ending.LOST: words.LOST,
    Ending.SUSPENDED: words.NOT_REQUESTED,
}


def behaviour_of(trace: Trace, call: Call) -> Behaviour:
    """Return the behaviour of a call."""
    function = trace.function(call.function)
    kind = kind_of(trace, call, function)
    last = end_of(trace, call)
    given = _given(trace, call)
    difference = trace.changed(call)
    used = Used((), "") if kind == words.MODULE_BODY else used_by(trace, call, function)
    own: tuple[Change, ...] = difference.changes
    others: tuple[Change, ...] = ()
    if kind != words.MODULE_BODY:  # threads that a program starts are part of it
        own, others = by_whom(trace, call, function, difference)
    doers = Doers(trace, call, function)
    of_interest = {_root(seen.path) for seen in (*given, *used.values)}
    stream = stream_of(trace, call, function, kind) if call.is_resumable else None
    return Behaviour(
        call=call,
        function=function,
        kind=kind,
        first=call.first,
        last=last,
        given=given,
        outcome=_outcome(trace, call, kind, last),
        stream=stream,
        printed=printed_in(trace, call, last),
        changes=own,
        meanwhile=tuple(
            change
            for change in others
            if _root(change.path) in of_interest or doers.has_started(change)
        ),
        used=used.values,
        same=tuple(_unchanged(trace, call, difference, (*given, *used.values))),
        aliases=_aliases((*given, *used.values), trace.result(call)),
        gaps=gaps_of(
            trace,
            difference,
            (*given, *used.values),
            closure=used.unknown,
            variables=used.not_found,
        ),
        written=written(trace, call),
        known=known_as(trace, call),
        folded=difference.folded,
    )


def _given(trace: Trace, call: Call) -> tuple[Seen, ...]:
    implicit = _implicit(trace, call)
    return tuple(
        Seen(name_text(name), value, call.first)
        for name, value in given_to(trace, call).items()
        if name_text(name) not in implicit
    )


def _implicit(trace: Trace, call: Call) -> set[str]:
    """Return the parameters that the compiler invented."""
    sign = conventions.of(trace.meta.get("language")).implicit
    return {name_text(name) for name in given_to(trace, call) if name.startswith(sign)}


def _unchanged(
    trace: Trace, call: Call, difference: Difference, seen: tuple[Seen, ...]
) -> Iterator[str]:
    """Yield the unchanged variables of a call, without objects with unrecorded state."""
    opaque = conventions.of(trace.meta.get("language")).opaque
    is_known = {
        each.path: not (isinstance(each.value, Ref) and each.value.type_name in opaque)
        for each in seen
    }
    implicit = _implicit(trace, call)
    for name in difference.same:
        if name not in implicit and is_known.get(name, True):
            yield name


def _root(path: str) -> str:
    """Return the variable that a path starts from."""
    for position, sign in enumerate(path):
        if sign in ".[" and position and not path.startswith("global:"):
            return path[:position]
    return path


def outcome_of(trace: Trace, call: Call) -> Outcome:
    """Return the outcome of a call."""
    kind = kind_of(trace, call, trace.function(call.function))
    return _outcome(trace, call, kind, end_of(trace, call))


def _outcome(trace: Trace, call: Call, kind: str, last: Moment) -> Outcome:
    how = _ENDINGS[call.outcome]
    value = trace.result(call)
    if call.outcome is Ending.SUSPENDED and not call.is_started:
        return Outcome(words.NEVER_STARTED)
    if call.outcome is Ending.RAISED:
        return _raised(trace, call, last, value)
    if call.outcome is Ending.RETURNED and kind == words.GENERATOR:
        return Outcome(words.STOPPED, value)
    return Outcome(how, value if call.outcome is Ending.RETURNED else ABSENT)


def _raised(trace: Trace, call: Call, last: Moment, value: Value) -> Outcome:
    closing = conventions.of(trace.meta.get("language")).closing
    if call.is_resumable and isinstance(value, Ref) and value.type_name in closing:
        return Outcome(words.CLOSED)
    span = trace.place_of(trace.event(last))
    line = span.line if span else None
    is_thrown = was_thrown_into(trace, call, value, last)
    for event in reversed(list(trace.events(max(last - _NEARBY, call.first), last))):
        if event.kind is EventKind.RAISE and event.values[0] == value:
            return Outcome(words.RAISED, value, event.values[1:], line, is_thrown)
    return Outcome(words.RAISED, value, (), line, is_thrown)


def _aliases(seen: tuple[Seen, ...], result: Value) -> tuple[tuple[str, str], ...]:
    known: dict[int, str] = {}
    found = []
    for path, value in (*((each.path, each.value) for each in seen), ("return", result)):
        if not isinstance(value, Ref) or value.id & 1:
            continue
        if value.id in known:
            found.append((path, known[value.id]))
        known.setdefault(value.id, path)
    return tuple(found)


def gaps_of(
    trace: Trace,
    difference: Difference,
    seen: tuple[Seen, ...] = (),
    *,
    closure: str = "",
    variables: tuple[str, ...] = (),
) -> Gaps:
    """Return what is not known of a behaviour; `seen` are its inputs and used variables."""
    hidden = tuple(each.path for each in seen if isinstance(each.value, NotKept))
    return Gaps(
        not_kept=difference.not_kept,
        unsure=difference.unsure,
        hidden=hidden,
        is_whole=difference.is_whole,
        has_contents=trace.has_contents,
        closure=closure,
        variables=variables,
    )
