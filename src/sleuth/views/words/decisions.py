"""Decisions because of which a location was not written, in words or as JSON."""

from collections.abc import Iterator
from typing import Any

from sleuth.trace.origin import decision as kinds
from sleuth.trace.origin.decision import Decision
from sleuth.trace.origin.origin import Origin
from sleuth.trace.origin.why_not import NotWritten
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, escaped
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import file_of, line_of, where
from sleuth.views.drawing.styled import Line, counted, hanging, line
from sleuth.views.wire import recordings
from sleuth.views.words.origins import origin_json

_VALUE = 30
_HOW = {
    kinds.ENDED: " ended",
    kinds.WENT_ON: " went on",
    kinds.NOT_ENTERED: " was not entered",
    kinds.NOT_RESUMED: " was not resumed",
}
_MISSING = "the write may be missing from the code altogether."


def not_written_lines(trace: Trace, found: NotWritten, width: int) -> Iterator[Line]:
    """Yield the decisions, a few lines each; further times of one are counted."""
    told: dict[tuple[str, str, int], list[Decision]] = {}
    for each in found.decisions:
        told.setdefault((each.file, each.function, each.operation), []).append(each)
    if not told:
        sentence = f"No decision was found whose other way would have written {found.path}: "
        yield from _wrapped(f"{sentence}{_MISSING}", width)
    for times in told.values():
        yield from _decision(trace, times, width)
    if told:
        yield from _wrapped(f"{_neither(len(told))}: {_MISSING}", width)
    if not found.is_whole:
        yield from _wrapped("Too much ran: older decisions were not looked at.", width)


def _neither(count: int) -> str:
    if count == 1:
        return "It need not be wrong"
    return "Neither need be wrong" if count == 2 else "None of them need be wrong"


def _decision(trace: Trace, times: list[Decision], width: int) -> Iterator[Line]:
    nearest = times[0]
    function = trace.function(trace.call(nearest.call).function)
    name = function_name(function, trace.call(nearest.call).function)
    place = where(trace, function, nearest.line)
    given = [_input(trace, nearest, each) for each in nearest.inputs]
    values = f": {', '.join(given)}" if given else ""
    text = f"`{escaped(nearest.text)}`{_outcome(trace, nearest)}{values}"
    yield from _wrapped(f"{place}  {name}, call {nearest.call}", width)
    yield from _wrapped(f"  {text}", width)
    yield from _wrapped(f"  the other way: {nearest.would}", width)
    if len(times) > 1:
        yield from _wrapped(f"  and {counted(len(times) - 1, 'time')} before", width)


def _outcome(trace: Trace, decision: Decision) -> str:
    if decision.how in _HOW:
        return _HOW[decision.how]
    verb = "raised" if decision.how == kinds.RAISED else "gave"
    if isinstance(decision.value, Absent):
        return " raised" if verb == "raised" else " decided (what it gave is not known)"
    return f" {verb} {Pictures(trace).of(decision.value, decision.seen, width=_VALUE)}"


def _input(trace: Trace, decision: Decision, given: Origin) -> str:
    if isinstance(given.value, Absent):
        return f"{given.path} (not known)"
    at = decision.seen if given.seen is None else given.seen
    shown = Pictures(trace).of(given.value, at, width=_VALUE)
    return shown if shown == given.path else f"{given.path} = {shown}"


def _wrapped(text: str, width: int) -> Iterator[Line]:
    further = 4 if text.startswith(" ") else None
    for row in hanging(text, width, further=further):
        yield line(row)


def decision_json(trace: Trace, decision: Decision, depth: int) -> dict[str, Any]:
    """Return a decision as JSON, with as many levels of inputs."""
    function = trace.function(trace.call(decision.call).function)
    return {
        "is": "decision",
        "text": decision.text,
        "value": recordings.value(decision.value),
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, decision.line) if function and decision.line else None,
        "function": escaped(function.qualified_name) if function else None,
        "call": decision.call,
        "moment": decision.moment,
        "inputs": [origin_json(trace, each, depth - 1) for each in decision.inputs]
        if depth > 0
        else [],
        "would": decision.would,
        "unknown": decision.unknown,
    }
