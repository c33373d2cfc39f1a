"""Stamps: small numbers for the written parts of objects, used to find segments.

The recorder makes the same numbers in `_core`; docs/reference/trace-format.md describes them.
"""

from collections.abc import Iterable
from enum import IntEnum

from sleuth.trace.heap.parts import index_of
from sleuth.trace.values import Atom, Constant, Value

_WORD = (1 << 64) - 1
_LARGEST = 1 << 63
"""Larger integers are written in another way; they all have one stamp."""

TOO_MANY = 0
"""Replaces the stamps of a segment that has too many of them."""


class _Kind(IntEnum):
    WHOLE = 0
    SITE = 1
    INDEX = 2
    TEXT = 3


def _stamp(identity: int, kind: _Kind, key: int = 0) -> int:
    mixed = (identity * 4 + kind) * 0x9E3779B97F4A7C15 & _WORD
    mixed ^= key * 0xC2B2AE3D27D4EB4F & _WORD
    mixed ^= mixed >> 29
    return ((mixed * 0xBF58476D1CE4E5B9 & _WORD) >> 41) + 1


def _text(content: str) -> int:
    mixed = 0xCBF29CE484222325
    for byte in content.encode("utf-8", "surrogatepass"):
        mixed = (mixed ^ byte) * 0x100000001B3 & _WORD
    return mixed


def _index(key: Value) -> int:
    found = index_of(key)
    return -1 if found is None else found


def of_part(identity: int, key: Value, sites: Iterable[int]) -> frozenset[int] | None:
    """Return the stamps of all writes that can have set one part of an object.

    sites: for an attribute, the sites that set attributes of its name.  None: equal keys may have
    other stamps, so any write can have set it.
    """
    match key:
        case Atom(str() as content):
            stamp = _stamp(identity, _Kind.TEXT, _text(content))
        case Atom(float() as number) if number.is_integer() and 0 <= number < _LARGEST:
            stamp = _stamp(identity, _Kind.INDEX, int(number))
        case Atom(int()) | Constant() if 0 <= (index := _index(key)) < _LARGEST:
            stamp = _stamp(identity, _Kind.INDEX, index)
        case _:
            return None
    by_site = [_stamp(identity, _Kind.SITE, site) for site in sites]
    return frozenset((_stamp(identity, _Kind.WHOLE), stamp, *by_site))
