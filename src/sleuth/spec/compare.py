"""Comparison of a model's result with the recorded one."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

from sleuth.spec.call import Record

_NEAR = 1e-9


def same(wanted: Any, recorded: Any) -> bool:
    """Compare contents: floats approximately, objects by class and attributes."""
    waiting = [(wanted, recorded)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        left, right = waiting.pop()
        if (id(left), id(right)) in seen:
            continue
        seen.add((id(left), id(right)))
        inner = _compared(left, right)
        if inner is None:
            return False
        waiting += inner
    return True


def _compared(left: Any, right: Any) -> list[tuple[Any, Any]] | None:
    """Return the pairs that are left to compare; None: the two differ."""
    if isinstance(right, Record):
        return _objects(left, right)
    if isinstance(right, Mapping):
        if not isinstance(left, Mapping) or left.keys() != right.keys():
            return None
        return [(left[key], right[key]) for key in right]
    if isinstance(right, AbstractSet):
        return [] if isinstance(left, AbstractSet) and left == right else None
    if isinstance(right, Sequence) and not isinstance(right, str | bytes | bytearray):
        is_alike = isinstance(left, list) == isinstance(right, list)
        if not is_alike or not isinstance(left, Sequence) or len(left) != len(right):
            return None
        return list(zip(left, right, strict=True))
    return [] if _is_equal(left, right) else None


def _objects(left: Any, right: Record) -> list[tuple[Any, Any]] | None:
    """Compare attributes; the model's object may be of the real class or of any other."""
    is_named_alike = type(left).__name__ in (type(right).__name__, "SimpleNamespace")
    names = vars(left) if hasattr(left, "__dict__") else _slots(left)
    if isinstance(left, Enum):
        names = {"name": left.name, "value": left.value}
    if names is None or not is_named_alike or names.keys() != vars(right).keys():
        return None
    return [(names[name], value) for name, value in vars(right).items()]


def _slots(value: Any) -> dict[str, Any] | None:
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    found = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return found or None


def _is_equal(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float | int):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=_NEAR, abs_tol=_NEAR)
    if isinstance(right, float) and isinstance(left, int):
        return math.isclose(left, right, rel_tol=_NEAR, abs_tol=_NEAR)
    return bool(left == right)
