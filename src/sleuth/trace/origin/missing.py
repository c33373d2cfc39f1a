"""The location of a path that may lead to nothing: it is asked why it was not written."""

from typing import NamedTuple

from sleuth.trace.events import Call, CallId, Moment, Outcome
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.locations import Ending, Global, Inside, Variable, moment_in, pointed
from sleuth.trace.history.output import TEXT
from sleuth.trace.origin.stores import Output, Target, target_of
from sleuth.trace.path import RETURN, STDOUT, Path, PathError, Step, literal, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom, Ref, Value

_STREAMS = (STDOUT, "stderr")


class Missed(NamedTuple):
    """A location that was not written."""

    path: str
    name: str
    """The variable that the path begins with."""
    target: Target
    since: int
    """The moment after which it was not written; -1: the beginning of the run."""
    until: int
    """The moment before which it was not written."""
    value: Value
    """What it holds instead; absent: nothing."""


def missed(trace: Trace, text: str, call: Call, at: Moment | int | None) -> Missed:
    """Return what a path means in a call, even if nothing is there; PathError: it can't be."""
    until = moment_in(trace, at) if at is not None else end_of(trace, call)
    if at is None and call.outcome is Outcome.SUSPENDED:
        until = Moment(trace.event_count)
    words = text.strip()
    start = words.partition("[")[0].strip()
    is_printed = words.startswith(TEXT) or start in _STREAMS
    if is_printed and not _has_variable(trace, call, start):
        last = trace.event_count if at is None and call.parent is None else until
        return Missed(words, "", Output(), -1, last, ABSENT)
    path = parse(words)
    if path.start == RETURN and not path.steps:
        value = trace.result(call) if call.last is not None else ABSENT
        return Missed(words, RETURN, Ending(CallId(call.id), RETURN), -1, until, value)
    try:
        found = pointed(trace, words, call, at)
    except PathError as problem:
        target = _absent(trace, path, call, at, until)
        if target is None:
            raise problem from None
        return Missed(str(path), path.start, target, _since(trace, target, until), until, ABSENT)
    target = target_of(found.location)
    return Missed(found.path, path.start, target, _since(trace, target, until), until, found.value)


def _since(trace: Trace, target: Target, until: int) -> int:
    if isinstance(target, Output | Ending):
        return -1
    last = next(trace.writes(target, 0, until - 1, back=True), None)
    return -1 if last is None else last.moment


def _has_variable(trace: Trace, call: Call, name: str) -> bool:
    function = trace.function(call.function)
    return function is not None and name in function.parameters


def _absent(
    trace: Trace, path: Path, call: Call, at: Moment | int | None, until: int
) -> Target | None:
    """Return the location of what is not there; None: nothing could be there."""
    if not path.steps:
        return _variable(trace, path.start, call)
    around = Path(path.start, path.steps[:-1], path.is_global)
    try:
        holder = pointed(trace, str(around), call, at).value
    except PathError:
        return None
    shape = trace.shape(holder, until) if isinstance(holder, Ref) else None
    if not isinstance(holder, Ref) or shape is None:
        return None
    step = path.steps[-1]
    if step.kind == "attribute":
        return Inside(holder, "attributes", Atom(step.text))
    for kind in ("sequence", "mapping", "set"):
        if shape.part(kind) is not None:
            return Inside(holder, kind, _key(step))
    return None


def _key(step: Step) -> Value:
    return literal(step.text) or ABSENT


def _variable(trace: Trace, name: str, call: Call) -> Target | None:
    """Return the variable of that name which the code of the call would have set."""
    function, flow = trace.function(call.function), trace.flow(call.function)
    if function is None or flow is None:
        return None
    for does in flow.operations:
        if does.kind != "store" or does.name != name or does.scope == "inner":
            continue
        if does.scope == "global" or function.kind == "module body":
            return Global(function.module, name)
        cell = trace.cells(call).get(name)
        if does.scope == "cell" and isinstance(cell, Ref):
            return Inside(cell, "cell", ABSENT)
        return Variable(call.id, name)
    return None
