"""Everything about one call in words, for `sleuth show --call`."""

from collections.abc import Iterator, Mapping

from sleuth.trace.events import Call, Function
from sleuth.trace.heap.causes import Cause
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.path import Step
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, escaped
from sleuth.tree.names.known_names import known_as
from sleuth.views.drawing.calls import function_name, given_to, outcome
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import where
from sleuth.views.drawing.sections import table
from sleuth.views.drawing.styled import counted, windows
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.value_text import FULL

_MOST_LINES = 20
_MOST_NAMES = 12
_LONGEST = 200
"""Columns of a value; one that is wider than the terminal takes several lines."""
_LONGEST_CHANGE = 60
_Rows = Iterator[tuple[str, str]]
"""Labels with what stands beside them."""


def call_details(trace: Trace, call: Call, children: int, width: int) -> Iterator[str]:
    """Yield everything that is known of one call, without its events."""
    function = trace.function(call.function)
    kind = f", {escaped(function.kind)}" if function else ""
    yield f"call {call.id}: {function_name(function, call.function)}{kind}"
    rows = [*_inputs(trace, call, function), *_outcome(trace, call, children)]
    yield from table(rows, width, gap=1)


def _inputs(trace: Trace, call: Call, function: Function | None) -> _Rows:
    if known := known_as(trace, call):
        yield "known as", escaped(known.text)
    if function:
        yield "defined", f"{where(trace, function)} to {function.last_line}"
    yield "started" if call.ran_elsewhere else "called", _call_site(trace, call)
    yield "thread", _named(call.thread, trace.threads)
    if call.task:
        yield "task", _named(call.task, trace.tasks)
    pictures = Pictures(trace)
    for name, value in given_to(trace, call):
        sign = f"{escaped(name)} = " if name else ""
        yield "given", f"{sign}{pictures.of(value, call.first, width=_LONGEST)}"
    for name, value in trace.closure(call, call.first).items():
        yield "used", f"{escaped(name)} = {pictures.of(value, call.first, width=_LONGEST)}"


def _outcome(trace: Trace, call: Call, children: int) -> _Rows:
    yield "outcome", outcome(trace, call, width=_LONGEST, depth=FULL)
    yield from _changes(trace, call, trace.changed(call))
    last = "still running" if call.last is None else f"{call.last:,}"
    yield "moments", f"{call.first:,} to {last}"
    yield "events", f"{call.events:,} of its own"
    yield f"{'made':<10}", counted(children, "call")


def _call_site(trace: Trace, call: Call) -> str:
    if call.parent is None:
        return "by code that is not recorded"
    caller = trace.function(trace.call(call.parent).function)
    by = f"by call {call.parent}, {function_name(caller, trace.call(call.parent).function)}"
    if call.parent_is_resumer:
        by += " (its first resumer; who made it was not seen)"
    if call.through_other_code and not call.ran_elsewhere:
        by += ", through code that is not recorded"
    span = trace.call_site(call)
    if span is None:
        return f"{by}, place not known"
    return f"{by}, {where(trace, caller, span.line)} columns {span.column} to {span.end_column}"


def _named(number: int, names: Mapping[int, str]) -> str:
    return f"{number} ({escaped(names[number])})" if number in names else str(number)


# --- Changes -------------------------------------------------------------------------------------


def _changes(trace: Trace, call: Call, difference: Difference) -> _Rows:
    """Yield the changes, the variables that stayed the same, and what is not known."""
    end = trace.event_count if call.last is None else call.last
    words = [_change(trace, call, change, end) for change in difference.changes[:_MOST_LINES]]
    more = len(difference.changes) - len(words)
    if more:
        words.append(f"... {more:,} more: --json")
    if not difference.is_whole:
        words.append("... and more: not all that can be reached was compared")
    yield from _labelled("changed", words)
    if difference.same:
        yield "same", _names(difference.same)
    not_kept = [
        f"{path}: {kept:,} of {full:,} items are kept"
        for path, kept, full in difference.not_kept[:_MOST_LINES]
    ]
    yield from _labelled("not kept", not_kept)
    if not trace.has_contents:
        yield "contents", "of objects were not recorded, nor what changed in them"
    if difference.unsure:
        by = "may have been changed by code that is not recorded"
        yield "unsure", f"{_names(difference.unsure)}: {by}"


def _labelled(label: str, words: list[str]) -> _Rows:
    yield from (("" if number else label, each) for number, each in enumerate(words))


def _names(paths: tuple[str, ...]) -> str:
    more = len(paths) - _MOST_NAMES
    shown = ", ".join(paths[:_MOST_NAMES])
    return f"{shown}, ... {more:,} more" if more > 0 else shown


def _change(trace: Trace, call: Call, change: Change, end: int) -> str:
    old, new = _pair(trace, call, change, end)
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
    return words + _by_whom(trace, change.cause)


def _pair(trace: Trace, call: Call, change: Change, end: int) -> tuple[str, str]:
    """Return the old and the new value; long ones around their first difference."""
    pictures, room = Pictures(trace), _LONGEST_CHANGE
    old, new = pictures.short(change.old, call.first, room), pictures.short(change.new, end, room)
    if min(columns(old), columns(new)) < room - len("...") and old != new:
        return old, new
    whole = pictures.whole(change.old, call.first), pictures.whole(change.new, end)
    return (old, new) if whole[0] == whole[1] else windows(*whole, (room, room))


def _by_whom(trace: Trace, cause: Cause | None) -> str:
    """Name the code that made a change, if it was not recorded."""
    if cause is None or cause.is_recorded:
        return ""
    words = "  (by code that is not recorded"
    if cause.since is not None:
        return f"{words}, some time after moment {cause.since:,})"
    owner = None if cause.call is None else trace.call(cause.call)
    function = trace.function(owner.function) if owner else None
    span = function.span_at(cause.place) if function else None
    return f"  (by the call at line {span.line})" if span else f"{words})"
