"""Converts constants of the source into JSON; see the flow table in the trace format."""

import math
from typing import TypeAlias

Told: TypeAlias = bool | int | float | str | list[object] | dict[str, object] | None

_LONGEST = 200
_EXACT = 1 << 53
"""Integers below this are exact in every reader of JSON."""


def told(value: object) -> Told:
    """Return a constant as JSON: numbers, texts, None, True and False directly, others by kind.

    Long texts and bytes are cut; of other long constants only the length is given.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) <= _LONGEST:
            return value
        return {"cut": "text", "length": len(value), "kept": value[:_LONGEST]}
    if isinstance(value, int):
        return value if -_EXACT < value < _EXACT else _long(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    return _other(value)


def _long(value: int) -> Told:
    bits = value.bit_length()
    if bits > 8 * _LONGEST:
        return {"cut": "integer", "length": bits, "kept": ""}
    return {"integer": hex(value)}


def _other(value: object) -> Told:
    if isinstance(value, bytes):
        if len(value) <= _LONGEST:
            return {"bytes": value.hex()}
        return {"cut": "bytes", "length": len(value), "kept": value[:_LONGEST].hex()}
    if isinstance(value, complex):
        return {"complex": [told(value.real), told(value.imag)]}
    if isinstance(value, (tuple, frozenset)):
        kind = "tuple" if isinstance(value, tuple) else "set"
        if len(value) > _LONGEST:
            return {"cut": kind, "length": len(value), "kept": ""}
        items = [told(each) for each in value]
        return {kind: items if kind == "tuple" else sorted(items, key=repr)}
    return {"constant": "Ellipsis"} if value is ... else {"other": type(value).__name__}
