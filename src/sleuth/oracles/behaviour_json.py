"""Behaviours as plain JSON, for specifications that run in another process.

The counterpart is `spec/build.py`.  Values that can't be rebuilt are listed with the reason.
"""

from collections.abc import Iterable
from typing import Any

from sleuth.trace import conventions
from sleuth.trace.heap.recipe import (
    MEMBER_NAME,
    MEMBER_VALUE,
    Unbuildable,
    arguments,
    is_member,
    recipe,
)
from sleuth.trace.path import parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Part, Ref, Shape, Value
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour

_MAKE = {
    "list": "list",
    "tuple": "tuple",
    "dict": "dict",
    "set": "set",
    "frozenset": "frozenset",
    "bytearray": "bytearray",
    "collections.deque": "deque",
    "collections.OrderedDict": "OrderedDict",
    "collections.defaultdict": "dict",
    "collections.Counter": "Counter",
}
_CALLED = frozenset({"range", "slice", "re.Pattern"})
_CALLED_IN = ("datetime.", "decimal.", "fractions.", "uuid.", "zoneinfo.")
"""Types that `spec/build.py` calls to make values, and prefixes of modules with such types."""
_MEMBER = {MEMBER_NAME: "name", MEMBER_VALUE: "value"}
_EMPTY = Part("", (), 0)
_ENDED = (words.RETURNED, words.STOPPED)
_MOST_LINES = 500


def parcel(trace: Trace, behaviour: Behaviour) -> dict[str, Any]:
    """Return the inputs and effects of a call."""
    given = {seen.path: seen.value for seen in behaviour.given}
    raised = behaviour.outcome.how == words.RAISED
    value = behaviour.outcome.value
    return {
        "function": behaviour.name,
        "how": behaviour.outcome.how,
        "raised": value.type_name if raised and isinstance(value, Ref) else "",
        "inputs": _values(trace, given, behaviour.first),
        "after": _values(trace, given, behaviour.last),
        "used": _values(trace, {seen.path: seen.value for seen in behaviour.used}, behaviour.first),
        "outcome": _stream(trace, behaviour)
        if _is_stream(behaviour)
        else _values(trace, _outcome(behaviour), behaviour.last),
        "changes": [[change.path, change.kind] for change in behaviour.changes],
        "output": list(behaviour.printed.lines[:_MOST_LINES]),
        "beyond": _beyond(behaviour, given),
    }


def _outcome(behaviour: Behaviour) -> dict[str, Value]:
    outcome = behaviour.outcome
    if outcome.how == words.RAISED:
        return {f"argument {number}": each for number, each in enumerate(outcome.arguments)}
    return {"result": outcome.value} if outcome.how in _ENDED else {}


def _is_stream(behaviour: Behaviour) -> bool:
    return behaviour.outcome.how == words.STOPPED and behaviour.stream is not None


def _stream(trace: Trace, behaviour: Behaviour) -> dict[str, Any]:
    """Return the values of a generator as a list, each as it was when it was yielded."""
    stream = behaviour.stream
    told: dict[str, Any] = {"values": {}, "objects": {}, "unknown": {}}
    if stream is None or not stream.is_whole or len(stream.given) < stream.count:
        return told | {"unknown": {"result": "it yielded more values than are kept"}}
    items = []
    for number, seen in enumerate(stream.given):
        name = f"yielded[{number}]"
        one = _values(trace, {name: seen.value}, seen.at, mark=f"{number}.")
        if one["unknown"]:
            return told | {"unknown": {"result": one["unknown"][name]}}
        told["objects"].update(one["objects"])
        items.append(one["values"][name])
    whole = {"make": "list", "type": "list", "items": items, "keys": [], "attributes": []}
    told["objects"]["stream"] = whole
    return told | {"values": {"result": ["object", "stream"]}}


def _beyond(behaviour: Behaviour, given: Iterable[str]) -> str:
    """Return the effects outside of its arguments and its result, in words; empty: none."""
    known = {*given}
    if any(parse(change.path).start not in known for change in behaviour.changes):
        return "globals, which it changed"
    if behaviour.printed.lines or behaviour.printed.errors:
        return "what it printed"
    gaps = behaviour.gaps
    if not (gaps.is_whole and gaps.has_contents and behaviour.printed.is_whole) or gaps.unsure:
        return "the effects that were not recorded"
    return ""


def _values(trace: Trace, values: dict[str, Value], at: int, *, mark: str = "") -> dict[str, Any]:
    """Return values with all their contents; each separately, since one may not be known.

    `mark` distinguishes the objects of one moment from those of another.
    """
    told: dict[str, Any] = {"values": {}, "objects": {}, "unknown": {}}
    for path, value in values.items():
        try:
            made = recipe(trace, {path: value}, at)
            objects = {
                f"{mark}{number}": _called(trace, path, shape, mark) or _object(path, shape, mark)
                for number, shape in made.objects.items()
            }
            told["values"][path] = _value(path, value, mark)
        except Unbuildable as problem:
            told["unknown"][path] = str(problem)
        else:
            told["objects"].update(objects)
    return told


def _called(trace: Trace, path: str, shape: Shape, mark: str) -> dict[str, Any] | None:
    """Return an object that is shown as a call of its type; None: it is shown otherwise."""
    notation = conventions.of(trace.meta.get("language")).notations.get(shape.type_name)
    if notation is None:
        return None
    given = arguments(shape, notation) or []
    is_known = shape.type_name in _CALLED or shape.type_name.startswith(_CALLED_IN)
    if not is_known or any(sign.startswith("*") for sign, _ in given):
        raise Unbuildable(path, f"has a {shape.type_name}, which can't be rebuilt")
    return {
        "make": "call",
        "type": shape.type_name,
        "items": [_value(path, item, mark) for sign, item in given if not sign],
        "keys": [],
        "attributes": [
            [sign.removesuffix("="), _value(path, item, mark)] for sign, item in given if sign
        ],
    }


def _object(path: str, shape: Shape, mark: str) -> dict[str, Any]:
    attributes = (shape.part("attributes") or _EMPTY).pairs
    make = _MAKE.get(shape.type_name)
    inside = next((part for part in shape.parts if part.kind != "attributes"), _EMPTY)
    if make is None and inside.items:
        raise Unbuildable(path, f"has a {shape.type_name}, a class made from a builtin one")
    names = _MEMBER if is_member(shape) else {}
    return {
        "make": make or "record",
        "type": shape.type_name,
        "items": [_value(path, item, mark) for item in inside.items],
        "keys": [_value(path, key, mark) for key in inside.keys],
        "attributes": []
        if make
        else [
            [names.get(str(key.content), str(key.content)), _value(path, item, mark)]
            for key, item in attributes
            if isinstance(key, Atom)
        ],
    }


def _value(path: str, value: Value, mark: str) -> list[Any]:
    match value:
        case Ref(_, number):
            return ["object", f"{mark}{number}"]
        case Constant(name):
            return ["constant", name]
        case Atom(bool() as content):
            return ["constant", str(content)]
        case Atom(int() as content):
            return ["integer", hex(content)]
        case Atom(float() as content):
            return ["float", content.hex()]
        case Atom(complex() as content):
            return ["complex", content.real.hex(), content.imag.hex()]
        case Atom(str() as content):
            return ["text", content]
        case Atom(bytes() as content):
            return ["bytes", content.hex()]
    raise Unbuildable(path, "can't be written as JSON")
