"""Behaviours and questions as JSON.  Fields: docs/reference/asking.schema.json."""

import re
from typing import Any

from sleuth.errors import UsageError
from sleuth.trace.heap.difference import Change
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import Behaviour, LoopPart, Made, Seen, Taken
from sleuth.tree.observe.in_progress import Delivered, delivered
from sleuth.tree.observe.unseen import unseen_in
from sleuth.views.drawing.places import file_of, line_of
from sleuth.views.wire import recordings

_DEEPEST = 4
_MOST_OBJECTS = 100
_MOST_ITEMS = 50
_MOST_LINES = 500
_ID = re.compile(r"(-?\d{1,18}):(\d{1,18})-(-?\d{1,18})")


def question(trace: Trace, behaviour: Behaviour, about: Key) -> dict[str, Any]:
    """Convert the question about a node."""
    function, part = behaviour.function, behaviour.part
    head = part.site.span.line if part else None
    line = line_of(function, head) if function else head
    loop: dict[str, Any] = {} if part is None else {"loop": _loop(trace, behaviour, part)}
    if behaviour.group is not None:
        loop["calls"] = {
            "members": [call.id for call in behaviour.group.members],
            "count": behaviour.group.count,
        }
    return {
        "type": "question",
        "id": question_id(about),
        "node": about.call,
        "kind": behaviour.kind,
        "function": function.qualified_name if function else None,
        "known_as": behaviour.known.text if behaviour.known else None,
        "module": function.module.name if function else None,
        "file": file_of(trace, function) if function else None,
        "line": line,
        **loop,
    } | claims(trace, behaviour)


def _loop(trace: Trace, behaviour: Behaviour, part: LoopPart) -> dict[str, Any]:
    return {
        "name": part.name or None,
        "head": part.head,
        "first": part.first,
        "last": part.last,
        "turns": part.count,
        "whole": part.is_loop,
        "stream": part.is_stream,
        "variables": list(part.names),
        "expression": part.around or None,
        "made": _made(Deep(trace), behaviour.made),
    }


def _made(deep: "Deep", made: Made | None) -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        "items": [deep.value(each.value, each.at) for each in made.items[:_MOST_ITEMS]],
        "count": made.count,
        "whole": None if made.whole is None else deep.value(made.whole.value, made.whole.at),
    }


def question_id(about: Key) -> str:
    """Return the id of a question, which is the same in every session about the trace."""
    return f"{about.call}:{about.first}-{about.last}"


def key_of(text: str) -> Key:
    """Return the key of the question with an id; UsageError: the text is not an id."""
    found = _ID.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is not the id of a question; an id looks like 12:340-512.")
    call, first, last = map(int, found.groups())
    return Key(call, first, last)


def claims(trace: Trace, behaviour: Behaviour) -> dict[str, Any]:
    """Convert the behaviour of a node."""
    deep = Deep(trace)
    unseen = unseen_in(trace, behaviour)
    return {
        "inputs": [_seen(deep, each) for each in behaviour.given],
        "outcome": _outcome(deep, behaviour),
        "changes": [
            *(_change(deep, behaviour, each, is_own=True) for each in behaviour.changes),
            *(_change(deep, behaviour, each, is_own=False) for each in behaviour.meanwhile),
        ],
        "used": [_seen(deep, each) | {"scope": each.scope} for each in behaviour.used],
        "output": {
            "stdout": list(behaviour.printed.lines[:_MOST_LINES]),
            "stderr": list(behaviour.printed.errors[:_MOST_LINES]),
            "whole": behaviour.printed.is_whole
            and max(len(behaviour.printed.lines), len(behaviour.printed.errors)) <= _MOST_LINES,
        },
        "plain": [*unseen.plain, *unseen.below],
        "cached": list(unseen.cached),
        "folded": [_change(deep, behaviour, each, is_own=True) for each in behaviour.folded],
        **({"took": [_taken(deep, each) for each in behaviour.taken]} if behaviour.taken else {}),
    }


def _seen(deep: "Deep", seen: Seen) -> dict[str, Any]:
    return {"path": seen.path, "value": deep.value(seen.value, seen.at)}


def _taken(deep: "Deep", taken: Taken) -> dict[str, Any]:
    return {
        "path": taken.path or None,
        "call": taken.source,
        "items": [[_seen(deep, seen) for seen in item] for item in taken.items[:_MOST_LINES]],
        "count": taken.count,
        "whole": taken.is_whole,
    }


def _outcome(deep: "Deep", behaviour: Behaviour) -> dict[str, Any]:
    outcome, stream, gaps = behaviour.outcome, behaviour.stream, behaviour.gaps
    return {
        "how": outcome.how,
        "value": deep.value(outcome.value, behaviour.last),
        "arguments": [deep.value(each, behaviour.last) for each in outcome.arguments],
        "line": outcome.line,
        **({"thrown_in": True} if outcome.is_thrown else {}),
        "yielded": None if stream is None else [deep.value(e.value, e.at) for e in stream.given],
        "yielded_count": None if stream is None else stream.count,
        "sent": None if stream is None else [deep.value(e.value, e.at) for e in stream.sent],
        "same": list(behaviour.same),
        "aliases": [list(pair) for pair in behaviour.aliases],
        "unknown": {
            "not_kept": [
                {"path": path, "kept": kept, "length": length}
                for path, kept, length in gaps.not_kept
            ],
            "unsure": list(gaps.unsure),
            "hidden": list(gaps.hidden),
            "whole": gaps.is_whole and (stream is None or stream.is_whole),
            "contents": gaps.has_contents,
            "variables": list(gaps.variables),
            "closure": gaps.closure or None,
        },
    }


def _change(deep: "Deep", behaviour: Behaviour, change: Change, *, is_own: bool) -> dict[str, Any]:
    return {
        "path": change.path,
        "how": change.kind,
        "old": deep.value(change.old, behaviour.first),
        "new": deep.value(change.new, behaviour.last),
        "also": list(change.also),
        "meanwhile": not is_own,
    }


class Deep:
    """Converts values with their contents, to a limited depth, and counts what is left out.

    Unlike the walk of `trace/heap/reachable.py` it writes an object at each place that holds it.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._left = _MOST_OBJECTS

    def value(self, value: Value, at: int) -> dict[str, Any] | None:
        """Convert a value as it was before the event at a moment; None: absent."""
        return self._value(value, at, _DEEPEST, ())

    def _value(
        self, value: Value, at: int, depth: int, around: tuple[int, ...]
    ) -> dict[str, Any] | None:
        found = recordings.value(value)
        if found is None or isinstance(value, Absent) or not isinstance(value, Ref):
            return found
        if (gave := delivered(self._trace, value, at)) is not None:
            found |= {"delivered": self._delivered(gave, depth, around)}
        shape = None
        if depth and self._left and value.id not in around:
            shape = self._trace.shape(value, at)
        if shape is None:
            return found | {"parts": None}
        self._left -= 1
        inside = (*around, value.id)

        def inner(item: Value) -> dict[str, Any] | None:
            return self._value(item, at, depth - 1, inside)

        parts = [
            {
                "part": part.kind,
                "length": part.full_length,
                "complete": part.is_complete,
                "items": [inner(item) for item in part.items[:_MOST_ITEMS]],
                "keys": [inner(key) for key in part.keys[:_MOST_ITEMS]],
                "left_out": max(len(part.items) - _MOST_ITEMS, 0),
            }
            for part in shape.parts
        ]
        return found | {"sure": shape.is_sure, "probable": shape.is_probable, "parts": parts}

    def _delivered(self, gave: Delivered, depth: int, around: tuple[int, ...]) -> dict[str, Any]:
        """Convert the values that a generator or coroutine had delivered."""
        return {
            "call": gave.call.id,
            "function": gave.function.qualified_name,
            "values": [
                self._value(each.value, each.at, max(depth - 1, 0), around)
                for each in gave.values[:_MOST_ITEMS]
            ],
            "count": gave.count,
            "state": gave.state,
            "result": self._value(gave.result, gave.call.last or 0, max(depth - 1, 0), around),
        }
