"""The first difference between two values of two runs, the nearest to the start first."""

from collections import deque
from collections.abc import Iterator
from math import isclose
from typing import NamedTuple

from sleuth.trace.path import Step, key_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom, Part, Ref, Shape, Value, shown

_MOST_PAIRS = 2_000
_DIGITS = 1e-12
"""Floats that differ by less are equal, as for the oracle."""
_BY_KEY = ("mapping", "attributes", "summary")


class Place(NamedTuple):
    """A value in a run, at a moment."""

    trace: Trace
    value: Value
    at: int


class Difference(NamedTuple):
    """Two values under one path."""

    path: str
    here: Value
    there: Value


def first_difference(path: str, here: Place, there: Place) -> Difference | None:
    """Return the first plain value that differs; None: none was found."""
    waiting: deque[Difference] = deque([Difference(path, here.value, there.value)])
    seen: set[tuple[int, int]] = set()
    for _ in range(_MOST_PAIRS):
        if not waiting:
            return None
        found = waiting.popleft()
        one, other = found.here, found.there
        if not (isinstance(one, Ref) and isinstance(other, Ref)):
            if not _is_same(one, other):
                return found
            continue
        if (one.id, other.id) in seen:
            continue
        seen.add((one.id, other.id))
        if one.type_name != other.type_name:
            return found
        shapes = here.trace.shape(one, here.at), there.trace.shape(other, there.at)
        waiting.extend(_inside(found.path, *shapes))
    return None


def text(value: Value) -> str:
    """Return a value in a few words."""
    if isinstance(value, Ref):
        last = value.type_name.rpartition(".")[2]
        return f"{'an' if last[:1].lower() in 'aeiou' else 'a'} {last}"
    return shown(value, width=40) if value != ABSENT else "missing"


def _is_same(one: Value, other: Value) -> bool:
    match one, other:
        case Atom(float() as left), Atom(float() as right):
            return left == right or isclose(left, right, rel_tol=_DIGITS) or one == other
    return one == other


def _inside(path: str, one: Shape | None, other: Shape | None) -> Iterator[Difference]:
    for part in one.parts if one is not None and other is not None else ():
        twin = other.part(part.kind) if other is not None else None
        if twin is None or not (part.is_complete and twin.is_complete):
            continue
        if part.kind in _BY_KEY:
            yield from _by_key(path, part, twin)
        elif part.kind != "set":
            yield from _by_number(path, part, twin)


def _by_key(path: str, one: Part, other: Part) -> Iterator[Difference]:
    mine, theirs = (
        {key.content: item for key, item in part.pairs if isinstance(key, Atom)}
        for part in (one, other)
    )
    for key in dict.fromkeys((*mine, *theirs)):
        inside = key_text(key) if isinstance(key, str) else repr(key)
        step = Step("item", inside) if one.kind == "mapping" else Step("attribute", str(key))
        yield Difference(f"{path}{step}", mine.get(key, ABSENT), theirs.get(key, ABSENT))


def _by_number(path: str, one: Part, other: Part) -> Iterator[Difference]:
    for number in range(max(len(one.items), len(other.items))):
        mine, theirs = (
            part.items[number] if number < len(part.items) else ABSENT for part in (one, other)
        )
        is_item = one.kind == "sequence"
        yield Difference(f"{path}[{number}]" if is_item else path, mine, theirs)
