"""The same as JSON: the only conversion file.  Fields: docs/reference/json.md."""

import json
from pathlib import Path
from typing import Any

from sleuth.trace.check import Report, missing
from sleuth.trace.events import Call, Event, Function, Module, Site, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Constant, Cut, NotKept, Ref, Value

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False)
_EXACT = 1 << 53
"""Larger integers are given as text: readers of JSON may round them."""


def line(document: dict[str, Any]) -> str:
    """Return a document as one line of ASCII."""
    return _ENCODER.encode(document)


def trace(subject: Trace) -> dict[str, Any]:
    """Convert what is known of a run as a whole."""
    return {
        "is": "trace",
        "version": 1,
        "path": str(subject.path),
        "meta": dict(subject.meta),
        "ending": dict(subject.ending) if subject.ending is not None else None,
        "calls": subject.call_count,
        "events": subject.event_count,
        "cut": subject.cut_count,
        "threads": {str(number): name for number, name in subject.threads.items()},
        "tasks": {str(number): name for number, name in subject.tasks.items()},
        "processes": [
            {"pid": process.pid, "how": process.how, "moment": process.moment}
            for process in subject.processes
        ],
        "stops": [{"moment": stop.moment, "reason": stop.reason} for stop in subject.stops],
        "gaps": list(missing(subject)),
    }


def call(subject: Call) -> dict[str, Any]:
    """Convert a call without its values: these stand in its events."""
    return {
        "is": "call",
        "id": subject.id,
        "parent": subject.parent,
        "function": subject.function,
        "place": subject.place,
        "thread": subject.thread,
        "task": subject.task,
        "first": subject.first,
        "last": subject.last,
        "outcome": subject.outcome.value,
        "events": subject.events,
        "until": subject.until,
        "resumable": subject.is_resumable,
        "started": subject.is_started,
        "parent_is_resumer": subject.parent_is_resumer,
        "through_other_code": subject.through_other_code,
    }


def call_in_full(reader: Trace, subject: Call) -> dict[str, Any]:
    """Convert a call with its function, values and the ids of its children."""
    about = reader.function(subject.function)
    return call(subject) | {
        "about": function(about) if about else None,
        "arguments": [value(given) for given in reader.arguments(subject)],
        "result": value(reader.result(subject)),
        "children": list(reader.child_ids(subject.id)),
    }


def event(subject: Event) -> dict[str, Any]:
    """Convert an event."""
    return {
        "is": "event",
        "moment": subject.moment,
        "kind": subject.kind.name.lower(),
        "call": subject.call,
        "thread": subject.thread,
        "task": subject.task,
        "number": subject.number,
        "place": subject.place,
        "flags": subject.flags,
        "values": [value(each) for each in subject.values],
    }


def function(subject: Function) -> dict[str, Any]:
    """Convert a function."""
    return {
        "is": "function",
        "id": subject.id,
        "module": subject.module.id,
        "path": subject.module.path,
        "name": subject.name,
        "qualified_name": subject.qualified_name,
        "kind": subject.kind,
        "first_line": subject.first_line,
        "last_line": subject.last_line,
        "identity": subject.identity,
        "parameters": list(subject.parameters),
        "places": {
            str(place): span(where)
            for place, where in zip(subject.places, subject.spans, strict=True)
        },
    }


def site(subject: Site) -> dict[str, Any]:
    """Convert a site."""
    return {
        "is": "site",
        "id": subject.id,
        "module": subject.module.id,
        "function": subject.function,
        "kind": subject.kind,
        "name": subject.name,
        "span": span(subject.span),
        "loop": subject.loop,
    }


def module(subject: Module, source: str | None) -> dict[str, Any]:
    """Convert a module with its source text."""
    return {
        "is": "module",
        "id": subject.id,
        "name": subject.name,
        "path": subject.path,
        "recorded": subject.is_recorded,
        "reason": subject.reason,
        "source": source,
    }


def span(subject: Span) -> list[int]:
    """Convert a span: line, column, end line, end column."""
    return [subject.line, subject.column, subject.end_line, subject.end_column]


def value(subject: Value) -> dict[str, Any] | None:
    """Convert a value; None: absent."""
    match subject:
        case Absent():
            return None
        case Constant(name):
            return {"kind": "constant", "name": name}
        case Ref(type_name, identity):
            return {"kind": "object", "type": type_name, "id": identity}
        case NotKept(reason):
            return {"kind": "not kept", "reason": reason}
        case Cut(kind, length, digest, kept, is_negative):
            whole = {"kind": kind, "cut": True, "length": length, "hash": f"{digest:016x}"}
            if kind == "integer":
                return whole | {"negative": is_negative}
            return whole | {"kept": kept.hex() if isinstance(kept, bytes) else kept}
        case Atom(content):
            return _atom(content)
    raise AssertionError(subject)


def _atom(content: complex | str | bytes) -> dict[str, Any]:
    match content:
        case int():
            small = -_EXACT <= content <= _EXACT
            return {"kind": "integer", "value": content if small else hex(content)}
        case float():
            finite = content - content == 0
            return {"kind": "float", "value": content if finite else repr(content)}
        case complex():
            return {"kind": "complex", "value": repr(content)}
        case str():
            return {"kind": "text", "value": content}
        case _:
            return {"kind": "bytes", "value": content.hex()}


def report(path: Path, subject: Report) -> dict[str, Any]:
    """Convert what `sleuth doctor` found."""
    return {
        "is": "report",
        "path": str(path),
        "sound": not subject.problems,
        "problems": list(subject.problems),
        "gaps": list(subject.gaps),
        "segments": subject.segments,
        "readable_segments": subject.readable_segments,
    }
