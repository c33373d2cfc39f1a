"""The writes of a history: a line each, in words or as JSON."""

from typing import Any

from sleuth.trace.history.writes import ARGUMENT, DELETED, MADE, OTHERS, RESULT, Write
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, escaped
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import file_of, files, line_of, shortened, where

_HOW = {
    ARGUMENT: "given as an argument",
    DELETED: "deleted",
    MADE: "made",
    OTHERS: "changed by code that is not recorded",
    RESULT: "the result of the call",
}
_LEAST = 12


def write_line(trace: Trace, write: Write, width: int, *, about: str = "") -> str:
    """Return a write in words: moment, value, place, call.

    about: what stands before the value, such as the object that was written to.
    """
    call = None if write.call is None else trace.call(write.call)
    function = trace.function(call.function) if call else None
    place = shortened(where(trace, function, write.line), width // 3, files(trace))
    name = function_name(function, call.function) if call else "an unknown call"
    remark = f"  ({_HOW[write.how]})" if write.how in _HOW else ""
    behind = f"  {place}  {name}, call {'-' if call is None else call.id}{remark}"
    start = f"{write.moment:>8}  "
    room = max(width - len(start) - len(about) - len(behind), _LEAST)
    if isinstance(write.value, Absent):
        value = "nothing"
    else:
        value = Pictures(trace).of(write.value, write.moment + 1, width=room)
    return f"{start}{about + value:<{_LEAST}}{behind}"


def write_json(trace: Trace, path: str, write: Write, value: Any) -> dict[str, Any]:
    """Return a write as JSON; `value` is the wire value."""
    call = None if write.call is None else trace.call(write.call)
    function = trace.function(call.function) if call else None
    return {
        "is": "write",
        "path": path,
        "value": value,
        "moment": write.moment,
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, write.line) if function and write.line else None,
        "function": escaped(function.qualified_name) if function else None,
        "call": write.call,
        "how": write.how,
    }
