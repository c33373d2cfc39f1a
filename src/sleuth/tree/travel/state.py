"""The state of a call at two moments: what changed is marked, what changed below differently."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from sleuth.trace.events import Call, Moment
from sleuth.trace.heap.keys import shown_key
from sleuth.trace.heap.roots import Roots
from sleuth.trace.history.locations import variables_at
from sleuth.trace.path import Step, name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Part, Ref, Value

_CODE = frozenset({"function", "module", "builtin_function_or_method", "method"})
_CLASS = "type"
_HIDDEN = ("__",)


class Changed(Enum):
    """How a value differs between two moments."""

    NO = "no"
    YES = "yes"
    BELOW = "below"
    """It is the same object, but something in it changed."""


@dataclass(frozen=True, slots=True)
class Held:
    """A variable or a part of an object, at two moments."""

    path: str
    old: Value
    """Absent: it was not there."""
    new: Value
    changed: Changed


@dataclass(frozen=True, slots=True)
class State:
    """All that a call can reach by name, at two moments."""

    first: Moment
    """The old values are those before the event at this moment."""
    last: Moment
    variables: tuple[Held, ...]
    closure: tuple[Held, ...]
    globals: tuple[Held, ...]
    classes: tuple[Held, ...]
    """Attributes of the classes among the globals."""
    is_whole: bool
    """False: there may be more changes below."""


def state_between(trace: Trace, call: Call, first: Moment, last: Moment) -> State:
    """Return the state before the events at two moments."""
    first, last = (Moment(at + 1) if at == call.first else at for at in (first, last))
    function = trace.function(call.function)
    free = frozenset(function.free) if function else frozenset()
    reached = [variables_at(trace, call, at) for at in (first, last)]
    own = [{n: v for n, v in each.items() if n not in free} for each in reached]
    shared = [{n: v for n, v in each.items() if n in free} for each in reached]
    is_module = function is None or function.kind == "module body"
    there = [
        {} if is_module or function is None else dict(trace.globals(function.module, at))
        for at in (first, last)
    ]
    named = own if is_module else there
    known = [{n: v for n, v in each.items() if not _is_code(v, n)} for each in there]
    classes = [_attributes(trace, each, at) for each, at in zip(named, (first, last), strict=True)]
    groups = [_paths(own), _paths(shared), _paths(known), classes]
    rows, is_whole = _compared(trace, groups, first, last)
    if is_module:
        rows[0] = tuple(row for row in rows[0] if not _is_code(row.new, row.path))
    return State(first, last, rows[0], rows[1], rows[2], rows[3], is_whole)


def parts_between(
    trace: Trace, path: str, ref: Ref, first: Moment, last: Moment
) -> tuple[tuple[Held, ...], bool]:
    """Return the parts of an object at two moments, and whether all changes below are known."""
    sides = [_parts(trace, path, ref, at) for at in (first, last)]
    rows, is_whole = _compared(trace, [sides], first, last)
    return rows[0], is_whole


_Sides = list[dict[str, Value]]


def _compared(
    trace: Trace, groups: list[_Sides], first: Moment, last: Moment
) -> tuple[list[tuple[Held, ...]], bool]:
    """Mark what changed; all is compared at once, as objects are shared."""
    names = [dict.fromkeys([*before, *after]) for before, after in groups]
    keys = {(group, path): f"v{group}_{n}" for group, some in enumerate(names)
            for n, path in enumerate(some)}  # fmt: skip
    sides = [
        {keys[group, path]: value for group, both in enumerate(groups)
         for path, value in both[side].items()}
        for side in (0, 1)
    ]  # fmt: skip
    difference = trace.compared(Roots(first, sides[0]), Roots(last, sides[1]))
    same = set(difference.same)
    found: list[tuple[Held, ...]] = []
    for group, some in enumerate(names):
        before, after = groups[group]
        rows = []
        for path in some:
            old, new = before.get(path, ABSENT), after.get(path, ABSENT)
            is_below = isinstance(new, Ref) and keys[group, path] not in same
            changed = Changed.YES if old != new else Changed.BELOW if is_below else Changed.NO
            rows.append(Held(path, old, new, changed))
        found.append(tuple(rows))
    return found, difference.is_whole


def _paths(sides: Iterable[Mapping[str, Value]]) -> _Sides:
    return [{name_text(name): value for name, value in side.items()} for side in sides]


def _is_code(value: Value, name: str) -> bool:
    is_code = isinstance(value, Ref) and value.type_name in (*_CODE, _CLASS)
    return is_code or name.startswith(_HIDDEN)


def _attributes(trace: Trace, variables: Mapping[str, Value], at: Moment) -> dict[str, Value]:
    """Return the attributes of the classes among some variables."""
    found: dict[str, Value] = {}
    for name, value in variables.items():
        if not (isinstance(value, Ref) and value.type_name == _CLASS):
            continue
        shape = trace.shape(value, at)
        part = shape.part("attributes") if shape else None
        for key, item in part.pairs if part else ():
            inner = str(key.content) if isinstance(key, Atom) else ""
            if inner and not _is_code(item, inner) and inner != "bases":
                found[f"{name_text(name)}{Step('attribute', inner)}"] = item
    return found


def _parts(trace: Trace, path: str, ref: Ref, at: Moment) -> dict[str, Value]:
    shape = trace.shape(ref, at)
    found: dict[str, Value] = {}
    for part in shape.parts if shape else ():
        for number, item in enumerate(part.items):
            if not isinstance(item, Absent):
                found[f"{path}{_step(trace, part, number, at)}"] = item
    return found


def _step(trace: Trace, part: Part, number: int, at: Moment) -> str:
    if part.kind == "sequence":
        return f"[{number}]"
    if part.kind == "cell":
        return ".cell_contents"
    if part.kind in ("mapping", "set"):
        key = part.keys[number] if part.keys else part.items[number]
        return str(Step("item", shown_key(key, trace.shape, at)))
    name = part.keys[number] if part.keys else ABSENT
    return str(Step("attribute", str(name.content))) if isinstance(name, Atom) else f" #{number}"
