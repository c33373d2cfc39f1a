"""The hits of a query: a line each, in words or as JSON."""

from collections.abc import Iterator
from typing import Any

from sleuth.trace.events import Call
from sleuth.trace.query.hits import (
    Count,
    Found,
    FoundCall,
    FoundMoment,
    FoundOutput,
    FoundThread,
    FoundWrite,
    Hit,
)
from sleuth.trace.query.parse import KINDS, parsed
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, escaped
from sleuth.views.drawing.calls import call_text, function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import file_of, files, line_of, place_of, shortened, where
from sleuth.views.drawing.styled import counted, fitted
from sleuth.views.drawing.styled import width as columns
from sleuth.views.wire import recordings
from sleuth.views.words.writes import write_json, write_line

_LEAST = 12
_STREAMS = {1: "stdout", 2: "stderr"}


# --- In words ------------------------------------------------------------------------------------


def hit_line(trace: Trace, hit: Hit, width: int) -> str:
    """Return a hit on one line: its number first, its place last."""
    match hit:
        case FoundCall(call):
            place = _short(trace, place_of(trace, call), width)
            room = max(width - 10 - columns(place) - 2, 2 * _LEAST)
            return _row(call.id, call_text(trace, call, room), f"  {place}", width)
        case FoundWrite(_, write, None):
            return write_line(trace, write, width)
        case FoundWrite(_, write, holder):
            name = Pictures(trace).name(holder) if holder is not None else ""
            return write_line(trace, write, width, about=f"{name} = ")
        case FoundMoment(moment, _, call, line):
            return _row(moment, _values(trace, hit), _place(trace, call, line, width), width)
        case FoundThread():
            return _thread(trace, hit, width)
        case FoundOutput(printed):
            event = trace.event(printed.moment)
            by = None if event.call is None else trace.call(event.call)
            span = trace.place_of(event)
            text = f"{_STREAMS[printed.stream]}[{printed.line}]  {escaped(printed.text)}"
            behind = _place(trace, by, span.line if span else None, width) if by else ""
            return _row(printed.moment, text, behind, width)
        case Count(count):
            return f"{count:,}"


def _row(number: int, text: str, behind: str, width: int) -> str:
    start = f"{number:>8}  "
    room = max(width - len(start) - columns(behind), _LEAST)
    words = fitted(text, room)
    return f"{start}{words}{' ' * max(room - columns(words), 0) if behind else ''}{behind}"


def _short(trace: Trace, place: str, width: int) -> str:
    """Return a place that leaves room for what is there; folders go first."""
    return shortened(place, width // 3, files(trace))


def _place(trace: Trace, call: Call, line: int | None, width: int) -> str:
    function = trace.function(call.function)
    name = function_name(function, call.function)
    place = "" if line is None else f"{_short(trace, where(trace, function, line), width)}  "
    return f"  {place}{name}, call {call.id}"


def _values(trace: Trace, hit: FoundMoment) -> str:
    pictures = Pictures(trace)
    return ", ".join(
        f"{escaped(path)} = {pictures.of(value, hit.moment + 1, width=40)}"
        for path, value in dict(hit.values).items()
        if not isinstance(value, Absent)
    )


def _thread(trace: Trace, hit: FoundThread, width: int) -> str:
    name = _strand_name(trace, hit)
    place = _short(trace, place_of(trace, hit.call, hit.line), width)
    state = "waits in" if hit.is_waiting else "runs"
    start = f"{escaped(name):<20}  call {hit.call.id}  {state} "
    room = max(width - columns(start) - columns(place) - 2, _LEAST)
    function = function_name(trace.function(hit.call.function), hit.call.function)
    text = fitted(function, room)
    return f"{start}{text}{' ' * max(room - columns(text), 0)}  {place}"


def _strand_name(trace: Trace, hit: FoundThread) -> str:
    if hit.task:
        return f"task {hit.task} {trace.tasks.get(hit.task, '')}".strip()
    return f"thread {hit.thread} {trace.threads.get(hit.thread, '')}".strip()


def undecided_lines(query: str, found: Found) -> Iterator[str]:
    """Yield a sentence for each reason why something could not be decided."""
    several = parsed(query).what
    one = next((each for each, more in KINDS.items() if more == several), several)
    for reason, count in found.undecided.items():
        what = counted(count, "line" if one == "output" else one)
        yield f"{what} could not be decided: {reason}."


# --- As JSON -------------------------------------------------------------------------------------


def hit_json(trace: Trace, hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON: see docs/reference/json.md."""
    match hit:
        case FoundCall(call):
            return recordings.call(call) | _where(trace, call, None)
        case FoundWrite(path, write):
            return write_json(trace, path, write, recordings.value(write.value))
        case FoundMoment(moment, _, call, line):
            return {"is": "moment", "moment": moment, **_at(trace, call, line)}
        case FoundThread():
            return {
                "is": "thread",
                "moment": hit.moment,
                "thread": hit.thread,
                "task": hit.task,
                "name": (trace.tasks if hit.task else trace.threads).get(hit.task or hit.thread),
                "waiting": hit.is_waiting,
                "depth": hit.depth,
                **_at(trace, hit.call, hit.line),
            }
        case FoundOutput(printed):
            event = trace.event(printed.moment)
            by = None if event.call is None else trace.call(event.call)
            span = trace.place_of(event)
            return {
                "is": "output",
                "moment": printed.moment,
                "path": f"{_STREAMS[printed.stream]}[{printed.line}]",
                "text": printed.text,
                **_at(trace, by, span.line if span else None),
            }
        case Count(count):
            return {"is": "count", "count": count}


def _where(trace: Trace, call: Call, line: int | None) -> dict[str, Any]:
    """Return the name, the file and the line of a call's function."""
    function = trace.function(call.function)
    return {
        "name": escaped(function.qualified_name) if function else None,
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, line) if function else None,
    }


def _at(trace: Trace, call: Call | None, line: int | None) -> dict[str, Any]:
    function = None if call is None else trace.function(call.function)
    return {
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, line) if function and line is not None else None,
        "function": escaped(function.qualified_name) if function else None,
        "call": None if call is None else call.id,
    }
