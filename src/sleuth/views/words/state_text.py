"""What changed, and what all variables were, in words."""

from collections.abc import Iterator, Mapping

from sleuth.trace.events import Call, Function
from sleuth.trace.heap.causes import Cause
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.path import Step
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Value, escaped
from sleuth.views.drawing.picture import FULL, SHORT, Pictures, badge

_MOST_LINES = 20
_MOST_NAMES = 12
_MOST_GLOBALS = 15
_WIDE = 100


def lines(trace: Trace, call: Call, difference: Difference) -> Iterator[str]:
    """Yield what a call changed, what it left the same and what is not known."""
    end = trace.event_count if call.last is None else call.last
    words = [_line(trace, call, change, end) for change in difference.changes[:_MOST_LINES]]
    more = len(difference.changes) - len(words)
    if more:
        words.append(f"... {more:,} more: --json")
    if not difference.is_whole:
        words.append("... and more: not all that can be reached was compared")
    yield from _section("changed", words)
    if difference.same:
        yield from _section("same", [_names(difference.same)])
    yield from _section(
        "not kept",
        [
            f"{path}: {kept:,} of {full:,} items are kept"
            for path, kept, full in difference.not_kept[:_MOST_LINES]
        ],
    )
    if not trace.has_contents:
        yield from _section("contents", ["of objects were not recorded, nor what changed in them"])
    if difference.unsure:
        by = "may have been changed by code that is not recorded"
        yield from _section("unsure", [f"{_names(difference.unsure)}: {by}"])


def _section(title: str, words: list[str]) -> Iterator[str]:
    for number, line in enumerate(words):
        yield f"  {'' if number else title:<10} {line}"


def _names(paths: tuple[str, ...]) -> str:
    more = len(paths) - _MOST_NAMES
    shown = ", ".join(paths[:_MOST_NAMES])
    return f"{shown}, ... {more:,} more" if more > 0 else shown


def _line(trace: Trace, call: Call, change: Change, end: int) -> str:
    pictures = Pictures(trace)
    old = pictures.of(change.old, call.first, width=40, depth=SHORT)
    new = pictures.of(change.new, end, width=40, depth=SHORT)
    match change.kind:
        case "added":
            words = f"{change.path}: added {new}"
        case "removed":
            words = f"{change.path}: removed {old}"
        case _ if change.part == "summary":
            name = str(change.key.content) if isinstance(change.key, Atom) else ""
            holder = change.path.removesuffix(str(Step("attribute", name)))
            words = f"{holder}: {escaped(name)} {old} -> {new}"
        case _:
            words = f"{change.path}: {old} -> {new}"
    if change.also:
        words += f"  (also {', '.join(change.also)})"
    return words + by_whom(trace, change.cause)


def by_whom(trace: Trace, cause: Cause | None) -> str:
    """Say who made a change, if it was not recorded code."""
    if cause is None or cause.is_recorded:
        return ""
    words = "  (by code that is not recorded"
    if cause.since is not None:
        return f"{words}, some time after moment {cause.since:,})"
    owner = None if cause.call is None else trace.call(cause.call)
    function = trace.function(owner.function) if owner else None
    span = function.span_at(cause.place) if function else None
    return f"  (by the call at line {span.line})" if span else f"{words})"


# --- All variables at a moment -------------------------------------------------------------------


def state(trace: Trace, call: Call, at: int) -> Iterator[str]:
    """Yield all variables of a call before the event at a moment, and its module's globals."""
    function = trace.function(call.function)
    name = escaped(function.qualified_name) if function else f"function {call.function}"
    yield f"moment {at:,}, in call {call.id}: {name}"
    known: dict[int, str] = {}
    variables = seen_at(trace, call, at)
    yield from _variables(trace, variables, at, known)
    if not variables:
        yield "  no variables yet"
    yield from _globals(trace, function, at, known, own=variables)


def seen_at(trace: Trace, call: Call, at: int) -> Mapping[str, Value]:
    """Return the variables of a call; at its very beginning what it was given."""
    return trace.variables(call, at + 1 if at == call.first else at)


def running_at(trace: Trace, at: int) -> Call | None:
    """Return the call whose event is at a moment; behind the last one: the last one's."""
    if not trace.event_count:
        return None
    event = trace.event(min(at, trace.event_count - 1))
    return None if event.call is None else trace.call(event.call)


def globals_at(trace: Trace, function: Function | None, at: int) -> Mapping[str, Value]:
    """Return the globals that a function sees, unless they are its own variables."""
    if function is None or function.kind == "module body":
        return {}
    return trace.globals(function.module, at)


def _globals(
    trace: Trace,
    function: Function | None,
    at: int,
    known: dict[int, str],
    *,
    own: Mapping[str, Value],
) -> Iterator[str]:
    found = {
        name: value
        for name, value in globals_at(trace, function, at).items()
        if name not in own and not _is_code(value)
    }
    if not found or function is None:
        return
    yield f"  globals of {escaped(function.module.name)}"
    some = dict(list(found.items())[:_MOST_GLOBALS])
    yield from _variables(trace, some, at, known)
    if len(found) > len(some):
        yield f"    ... {len(found) - len(some):,} more: --json"


def _is_code(value: Value) -> bool:
    return isinstance(value, Ref) and value.type_name in ("function", "type", "module")


def _variables(
    trace: Trace, variables: Mapping[str, Value], at: int, known: dict[int, str]
) -> Iterator[str]:
    pictures = Pictures(trace)
    for name, value in variables.items():
        words = f"    {escaped(name)} = {pictures.of(value, at, width=_WIDE, depth=FULL)}"
        if isinstance(value, Ref):
            words += _remarks(trace, value, at, known)
            known.setdefault(value.id, escaped(name))
        yield words


def _remarks(trace: Trace, ref: Ref, at: int, known: dict[int, str]) -> str:
    shape = trace.shape(ref, at)
    remarks = []
    if ref.id in known:
        probably = "probably " if shape and shape.is_probable else ""
        remarks.append(f"{probably}the same object as {known[ref.id]}, {badge(ref)}")
    if shape is not None and not shape.is_sure:
        remarks.append("may have been changed by code that is not recorded")
    return f"  ({'; '.join(remarks)})" if remarks else ""
