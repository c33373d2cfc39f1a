"""An interleaving in words and as JSON: both calls, with lines and moments."""

from collections.abc import Iterator
from typing import Any

from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.dependence.interleaving import Interleaving, Place
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.places import file_of, line_of, where
from sleuth.views.drawing.styled import Line, hanging, line

_WORDS = {"read": "it read", "other": "the other wrote", "write": "it wrote"}


def places(found: Interleaving) -> dict[str, Place]:
    """Return the three places, in the order of time, by their names in JSON."""
    return {"read": found.read, "other": found.other, "write": found.write}


def sentence(trace: Trace, found: Interleaving) -> str:
    """Return what happened, as a sentence."""
    mine, other = trace.event(found.read.moment), trace.event(found.other.moment)
    who = "task" if mine.thread == other.thread else "thread"
    then = "a decision on it" if found.is_decision else "its write"
    return (
        f"Another {who} wrote {escaped(found.path)} between this call's read of it and {then}. "
        "Nothing kept the two apart."
    )


def interleaving_lines(trace: Trace, found: Interleaving, width: int) -> Iterator[Line]:
    """Yield the sentence, and a line for each place."""
    yield from map(line, hanging(sentence(trace, found), width))
    for name, place in places(found).items():
        text = f"  {said(found, name)}: {place_text(trace, place)}"
        yield from map(line, hanging(text, width, further=4))


def said(found: Interleaving, name: str) -> str:
    """Return what happened at one of the places."""
    return "it decided" if name == "write" and found.is_decision else _WORDS[name]


def place_text(trace: Trace, place: Place) -> str:
    """Return `shop.py:7  deposit, call 5, moment 27`."""
    call = trace.call(place.call)
    function = trace.function(call.function)
    name = function_name(function, call.function)
    return f"{where(trace, function, place.line)}  {name}, call {call.id}, moment {place.moment}"


def interleaving_json(trace: Trace, found: Interleaving | None) -> dict[str, Any] | None:
    """Return an interleaving as JSON."""
    if found is None:
        return None
    told = places(found)
    return {"path": found.path} | {
        name: _place_json(trace, told[name]) for name in ("read", "write", "other")
    }


def _place_json(trace: Trace, place: Place) -> dict[str, Any]:
    function = trace.function(trace.call(place.call).function)
    return {
        "file": file_of(trace, function) if function else None,
        "line": line_of(function, place.line) if function and place.line else None,
        "function": escaped(function.qualified_name) if function else None,
        "call": place.call,
        "moment": place.moment,
    }
