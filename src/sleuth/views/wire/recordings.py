"""Traces, calls, events and values as JSON.  Fields: docs/reference/json.md."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sleuth.trace.events import Call, Event, Function, Module, Site, Span
from sleuth.trace.flow.lines import Ran
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.heap.reachable import LISTING, Walk
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import Report, missing
from sleuth.trace.values import Absent, Atom, Constant, Cut, NotKept, Ref, Shape, Value
from sleuth.views.drawing.places import file_of
from sleuth.views.words.variables import globals_at, seen_at

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False)
_MOST_ITEMS = 1000
_EXACT = 1 << 53
"""Larger integers are given as text: readers of JSON may round them."""


def line(document: dict[str, Any]) -> str:
    """Return a document as one line of ASCII."""
    return _ENCODER.encode(document)


def trace(subject: Trace) -> dict[str, Any]:
    """Convert the facts about a whole run."""
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
    """Convert a call without its values, which are in its events."""
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
        "elsewhere": subject.ran_elsewhere,
    }


def code_of(reader: Trace, subject: Call, ran: Ran | None) -> dict[str, Any]:
    """Convert the code of a call: the function's name, its file, the lines that ran."""
    about = reader.function(subject.function)
    return {
        "name": about.qualified_name if about else None,
        "file": file_of(reader, about) if about else None,
        "lines": None if ran is None else list(ran.lines),
    }


def call_in_full(reader: Trace, subject: Call) -> dict[str, Any]:
    """Convert a call with its function, values and the ids of its children."""
    about = reader.function(subject.function)
    return call(subject) | {
        "about": function(about) if about else None,
        "arguments": [value(given) for given in reader.arguments(subject)],
        "closure": {
            name: value(held) for name, held in reader.closure(subject, subject.first).items()
        },
        "result": value(reader.result(subject)),
        "children": list(reader.child_ids(subject.id)),
        "objects": _objects(reader, list(reader.before(subject).values.values()), subject.first),
        "changed": difference(reader.changed(subject)),
    }


def difference(subject: Difference) -> dict[str, Any]:
    """Convert the differences between two moments."""
    return {
        "changes": [change(each) for each in subject.changes],
        "same": list(subject.same),
        "unsure": list(subject.unsure),
        "not_kept": [
            {"path": path, "kept": kept, "length": length}
            for path, kept, length in subject.not_kept
        ],
        "whole": subject.is_whole,
        "folded": [change(each) for each in subject.folded],
    }


def change(subject: Change) -> dict[str, Any]:
    """Convert one change."""
    cause = subject.cause
    return {
        "path": subject.path,
        "how": subject.kind,
        "old": value(subject.old),
        "new": value(subject.new),
        "holder": None if subject.holder is None else value(subject.holder),
        "part": subject.part or None,
        "key": value(subject.key),
        "also": list(subject.also),
        "cause": None
        if cause is None
        else {
            "moment": cause.moment,
            "call": cause.call,
            "recorded": cause.is_recorded,
            "place": cause.place,
            "since": cause.since,
        },
    }


def state(reader: Trace, call: Call | None, at: int) -> dict[str, Any]:
    """Convert all variables before the event at a moment."""
    function = None if call is None else reader.function(call.function)
    variables = {} if call is None else seen_at(reader, call, at)
    others = globals_at(reader, function, at)
    return {
        "is": "state",
        "moment": at,
        "call": None if call is None else call.id,
        "variables": {name: value(each) for name, each in variables.items()},
        "globals": {name: value(each) for name, each in others.items()},
        "objects": _objects(reader, [*variables.values(), *others.values()], at),
    }


def _objects(reader: Trace, values: list[Value], at: int) -> dict[str, Any]:
    found = Walk(reader.shape, LISTING).objects(values, at)
    return {str(each.ref.id): shape(each.shape) for each in found if each.shape is not None}


def shape(subject: Shape) -> dict[str, Any]:
    """Convert the contents of an object."""
    return {
        "type": subject.type_name,
        "sure": subject.is_sure,
        "probable": subject.is_probable,
        "parts": [
            {
                "part": part.kind,
                "length": part.full_length,
                "complete": part.is_complete,
                "items": [value(item) for item in part.items[:_MOST_ITEMS]],
                "left_out": max(len(part.items) - _MOST_ITEMS, 0),
            }
            | ({"keys": [value(key) for key in part.keys[:_MOST_ITEMS]]} if part.keys else {})
            for part in subject.parts
        ],
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
        "own": subject.is_recorded or subject.is_own,
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
    """Convert the findings of `sleuth doctor`."""
    return {
        "is": "report",
        "path": str(path),
        "sound": not subject.problems,
        "problems": list(subject.problems),
        "gaps": list(subject.gaps),
        "segments": subject.segments,
        "readable_segments": subject.readable_segments,
    }


def _reached(
    trace: Trace, values: list[Value], at: int, *, depth: int = 3, limit: int = 200
) -> Iterator[tuple[Ref, Shape]]:
    """Yield the objects that can be reached in so many steps, each once, with their shapes."""
    seen: set[int] = set()
    level = values
    for _ in range(depth):
        below: list[Value] = []
        for value in level:
            if not isinstance(value, Ref) or value.id in seen or len(seen) >= limit:
                continue
            seen.add(value.id)
            shape = trace.shape(value, at)
            if shape is not None:
                yield value, shape
                for part in shape.parts:
                    below += islice((*part.keys, *part.items), limit)
        level = below
