"""Nested data: a value with its contents at one moment, cut loose from the trace.

Two moments, two runs, or a recorded value and one that somebody typed are compared in this form
(`contrast.py`).  Unlike the walk of `reachable.py` it has an object at each place that holds it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sleuth.trace.heap.arrays import Layout, layout
from sleuth.trace.values import Atom, Constant, Part, Ref, Shape, Value

ShapeAt = Callable[[Ref, int], Shape | None]
_MOST_OBJECTS = 20_000
_DEEPEST = 30
_TYPES: Mapping[type, tuple[str, str]] = {
    list: ("list", "sequence"),
    tuple: ("tuple", "sequence"),
    dict: ("dict", "mapping"),
    set: ("set", "set"),
    frozenset: ("frozenset", "set"),
}
"""Types of plain data -> the name of the type, the kind of its part."""


@dataclass(frozen=True, slots=True)
class NestedPart:
    """One part of the contents of an object."""

    kind: str
    items: tuple["Nested", ...]
    full_length: int
    keys: tuple["Nested", ...] = ()
    is_complete: bool = True
    digest: int | None = None


@dataclass(frozen=True, slots=True)
class Nested:
    """A value with its contents."""

    value: Value | None
    """None: it is plain data that was never recorded; `written` shows it."""
    at: int = 0
    type_name: str = ""
    """The type of an object; empty: it is no object."""
    parts: tuple[NestedPart, ...] | None = ()
    """None: what the object contains is not known."""
    layout: Layout | None = None
    """The positions of the items of an array or a table."""
    is_sure: bool = True
    """False: code that was not recorded may have changed it."""
    written: str = ""

    def part(self, kind: str) -> NestedPart | None:
        """Return the part of that kind."""
        return next((each for each in self.parts or () if each.kind == kind), None)

    @property
    def identity(self) -> int | None:
        """The number of a recorded object."""
        return self.value.id if isinstance(self.value, Ref) else None


def nested(look: ShapeAt, value: Value, at: int) -> Nested:
    """Return a recorded value with its contents at a moment."""
    return _Reading(look, at).value(value, ())


class _Reading:
    """Reads the contents of objects, up to a number of them."""

    def __init__(self, look: ShapeAt, at: int) -> None:
        self._look = look
        self._at = at
        self._left = _MOST_OBJECTS

    def value(self, value: Value, around: tuple[int, ...]) -> Nested:
        if not isinstance(value, Ref):
            return Nested(value, self._at)
        name = value.type_name.removeprefix("builtins.")
        is_open = self._left > 0 and len(around) < _DEEPEST and value.id not in around
        shape = self._look(value, self._at) if is_open else None
        if shape is None:
            return Nested(value, self._at, name, None)
        self._left -= 1
        inside = (*around, value.id)
        parts = tuple(self._part(part, inside) for part in shape.parts)
        return Nested(value, self._at, name, parts, layout(shape), shape.is_sure)

    def _part(self, part: Part, around: tuple[int, ...]) -> NestedPart:
        items = tuple(self.value(item, around) for item in part.items)
        keys = tuple(self.value(key, around) for key in part.keys)
        return NestedPart(part.kind, items, part.full_length, keys, part.is_complete, part.digest)


def plain_data(data: object) -> Nested:
    """Return plain data, such as a literal that somebody typed, as if it had been recorded."""
    if data is None or isinstance(data, bool) or data is Ellipsis:
        return Nested(Constant(repr(data)))
    if isinstance(data, int | float | complex | str | bytes):
        return Nested(Atom(data))
    name, kind = _TYPES[type(data)]
    if isinstance(data, dict):
        keys, items = _all(data), _all(data.values())
        part = NestedPart(kind, items, len(items), keys)
    else:
        assert isinstance(data, list | tuple | set | frozenset)  # noqa: S101 - all that there are
        items = _all(data)
        part = NestedPart(kind, items, len(items))
    return Nested(None, 0, name, (part,), written=repr(data))


def _all(data: Iterable[object]) -> tuple[Nested, ...]:
    return tuple(map(plain_data, data))
