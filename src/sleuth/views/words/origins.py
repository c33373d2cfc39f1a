"""Origins: the operation that made a value with its inputs, as an indented tree or as JSON."""

from collections.abc import Iterator
from typing import Any

from sleuth.trace.events import Function
from sleuth.trace.origin.origin import Origin
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, escaped
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import file_of, line_of, where
from sleuth.views.drawing.styled import Line, fitted, hanging, line
from sleuth.views.wire import recordings

DEPTH = 3
"""Levels of inputs, usually."""
_INDENT = "  "
_LEAST = 16
_MOST_PLACES = 6


def origin_lines(trace: Trace, origin: Origin, width: int, depth: int = DEPTH) -> Iterator[Line]:
    """Yield an origin and its inputs, a line or a few each; inputs are indented."""
    yield from _lines(trace, origin, "", width, depth)


def _lines(trace: Trace, origin: Origin, indent: str, width: int, depth: int) -> Iterator[Line]:
    first = f"{indent}{escaped(origin.path)}"
    if not isinstance(origin.value, Absent) and origin.text != origin.path:
        room = max(width - len(first) - 3, _LEAST)
        at = trace.event_count if origin.seen is None else origin.seen
        first = f"{first} = {Pictures(trace).of(origin.value, at, width=room)}"
    yield line(first)
    below = f"{indent}{_INDENT}"
    if origin.is_known:
        behind = f"  {_place(trace, origin)}"
        room = max(width - len(below) - len(behind), _LEAST)
        yield line(f"{below}{fitted(escaped(origin.text), room)}{behind}")
    if origin.through:
        yield from _wrapped(f"passed on at {_places(trace, origin)}", below, width)
    if origin.unknown:
        yield from _wrapped(f"Not known: {origin.unknown}", below, width)
    for each in origin.inputs if depth > 0 else ():
        yield from _lines(trace, each, below, width, depth - 1)


def _wrapped(text: str, indent: str, width: int) -> Iterator[Line]:
    for row in hanging(escaped(text), max(width - len(indent), _LEAST)):
        yield line(f"{indent}{row}")


def _function(trace: Trace, origin: Origin) -> Function | None:
    return None if origin.call is None else trace.function(trace.call(origin.call).function)


def _place(trace: Trace, origin: Origin) -> str:
    function = _function(trace, origin)
    if origin.call is None:
        return "(unknown place)"
    name = function_name(function, trace.call(origin.call).function)
    return f"{where(trace, function, origin.line)}  {name}, call {origin.call}"


def _places(trace: Trace, origin: Origin) -> str:
    found = dict.fromkeys(
        where(trace, _function(trace, each), each.line) for each in origin.through
    )
    shown = [*found]
    more = len(shown) - _MOST_PLACES
    end = f" and {more} more places" if more > 0 else ""
    return f"{', '.join(shown[:_MOST_PLACES])}{end}"


def origin_json(trace: Trace, origin: Origin, depth: int = DEPTH) -> dict[str, Any]:
    """Return an origin as JSON, with as many levels of inputs."""
    function = _function(trace, origin)
    return {
        "is": "origin",
        "path": origin.path,
        "value": recordings.value(origin.value),
        "operation": origin.operation or None,
        "text": origin.text or None,
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, origin.line) if function and origin.line else None,
        "function": escaped(function.qualified_name) if function else None,
        "call": origin.call,
        "moment": origin.moment,
        "through": [origin_json(trace, each, 0) for each in origin.through],
        "inputs": [origin_json(trace, each, depth - 1) for each in origin.inputs]
        if depth > 0
        else [],
        "unknown": origin.unknown,
    }
