"""An expected value as JSON, and how a value differs from it."""

from typing import Any

from sleuth.trace.heap.contrast import Differing, contrast
from sleuth.trace.heap.nested import Nested
from sleuth.trace.reader import Trace
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.drawing.picture import Pictures
from sleuth.views.words.expected import Expected, actual_of

_MOST = 50
_WIDE = 400
"""The most characters of a value."""


def expected_value(trace: Trace, behaviour: Behaviour, expected: Expected | None) -> dict[str, Any]:
    """Return the field `expected` of a question or a diagnosis; nothing if none is known."""
    if expected is None:
        return {}
    actual = actual_of(trace, behaviour, expected)
    found = None
    if actual is not None and expected.data is not None:
        found = contrast(actual, expected.data)
    pictures = Pictures(trace)
    differences = None
    if found is not None:
        differences = [_differing(pictures, each) for each in found.differing[:_MOST]]
    return {
        "expected": {
            "by": expected.by,
            "path": expected.path,
            "text": expected.text,
            "differences": differences,
            "left_out": 0 if found is None else max(found.count - _MOST, 0),
            "unknown": [] if found is None else list(found.unknown),
        }
    }


def _differing(pictures: Pictures, each: Differing) -> dict[str, Any]:
    return {
        "path": each.path,
        "actual": _text(pictures, each.one),
        "expected": _text(pictures, each.other),
    }


def _text(pictures: Pictures, value: Nested | None) -> str | None:
    if value is None:
        return None
    if value.value is None:
        return value.written[:_WIDE]
    return pictures.deep(value.value, value.at, _WIDE)
