"""Comparison of recorded values: true, false, or not known.  No code of the program is run.

Numbers, texts, bytes and constants are compared as Python does it.  Objects are compared by code
of their class, which is not run: they are only known to be equal if they are the same object.
"""

import typing
from collections.abc import Callable
from operator import ge, gt, le, lt
from typing import TypeAlias

from sleuth.trace.values import Absent, Atom, Constant, Cut, NotKept, Ref, Value

Plain: TypeAlias = bool | int | float | complex | str | bytes | Constant
_BOOLEANS = {"True": True, "False": False}
_ORDER: dict[str, Callable[[typing.Any, typing.Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_CONTAINERS = frozenset(
    {"list", "tuple", "dict", "set", "frozenset", "bytearray", "collections.deque"}
)
"""Types whose objects equal no number, text or constant, and are true if they are not empty."""


def is_container(value: Ref) -> bool:
    """Whether an object is a plain container of the language."""
    return value.type_name.removeprefix("builtins.") in _CONTAINERS


def compared(left: Value, sign: str, right: Value) -> bool | None:
    """Compare two values; None: not known.  What is absent fulfils no comparison."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return False
    if isinstance(left, NotKept) or isinstance(right, NotKept):
        return None
    match sign:
        case "==":
            return _equal(left, right)
        case "!=":
            return contrary(_equal(left, right))
        case "is":
            return _same(left, right)
        case "is not":
            return contrary(_same(left, right))
    return _ordered(left, sign, right)


def contrary(truth: bool | None) -> bool | None:  # noqa: FBT001 - it is about this value
    """Return the opposite; what is not known stays so."""
    return None if truth is None else not truth


def is_true(value: Value) -> bool | None:
    """Whether a value counts as true; None: not known, or for an object decided by its class."""
    match value:
        case Absent() | Constant("False" | "None"):
            return False
        case Atom(content):
            return bool(content)
        case Constant() | Cut():
            return True
    return None


def _plain(value: Value) -> Plain | None:
    match value:
        case Atom(content):
            return content
        case Constant(name):
            return _BOOLEANS.get(name, value)
    return None


def _family(content: object) -> str:
    if isinstance(content, int | float | complex):
        return "number"
    return type(content).__name__


def _equal(left: Value, right: Value) -> bool | None:
    one, two = _plain(left), _plain(right)
    if one is not None and two is not None:
        return _family(one) == _family(two) and one == two
    if isinstance(left, Ref) and isinstance(right, Ref):
        return True if _same(left, right) else None
    for each, other in ((left, right), (right, left)):
        if isinstance(each, Ref):
            return False if isinstance(other, Constant) or is_container(each) else None
    if isinstance(left, Cut) and isinstance(right, Cut):
        differs = (left.kind, left.length, left.hash) != (right.kind, right.length, right.hash)
        return False if differs else None
    if isinstance(left, Cut):
        return _equals_cut(left, two)
    return _equals_cut(right, one) if isinstance(right, Cut) else None


def _equals_cut(cut: Cut, other: Plain | None) -> bool | None:
    if cut.kind == "integer":
        if not isinstance(other, int):
            return None if isinstance(other, float) else False
        alike = other.bit_length() == cut.length and (other < 0) == cut.is_negative
        return None if alike else False
    whole: tuple[str | bytes, ...] = (other,) if isinstance(other, str | bytes) else ()
    alike = any(
        type(each) is type(cut.kept) and len(each) == cut.length and _begins(each, cut.kept)
        for each in whole
    )
    return None if alike else False


def _begins(whole: str | bytes, start: str | bytes | None) -> bool:
    return start is not None and whole[: len(start)] == start


def _same(left: Value, right: Value) -> bool | None:
    match left, right:
        case Ref(), Ref():
            if left.id != right.id:
                return False
            # An odd number may have been given to another object later.
            return None if left.id & 1 else True
        case (Cut(), Cut()):
            return None
    return left == right


def _ordered(left: Value, sign: str, right: Value) -> bool | None:
    one, two = _plain(left), _plain(right)
    if one is not None and two is not None:
        is_fit = _family(one) == _family(two) and not isinstance(one, Constant | complex)
        return is_fit and not isinstance(two, complex) and _ORDER[sign](one, two)
    if isinstance(left, Ref) or isinstance(right, Ref):
        return None
    if isinstance(left, Cut) and isinstance(right, Cut):
        return None
    if isinstance(left, Cut):
        return _cut_ordered(left, sign, two)
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    return _cut_ordered(right, turned[sign], one) if isinstance(right, Cut) else None


def _cut_ordered(cut: Cut, sign: str, other: Plain | None) -> bool | None:
    if cut.kind == "integer":
        if not isinstance(other, int) or other.bit_length() >= cut.length:
            return None if isinstance(other, int | float) else False
        return (sign in ("<", "<=")) == cut.is_negative
    kept = cut.kept
    if isinstance(kept, str) and isinstance(other, str):
        return None if other.startswith(kept) else _ORDER[sign](kept, other)
    if isinstance(kept, bytes) and isinstance(other, bytes):
        return None if other.startswith(kept) else _ORDER[sign](kept, other)
    return False
