"""Annotations hint: calls with values of another type than annotated.

An annotation may be out of date, or never meant to be exact: so a call that breaks one is only more
suspicious.  Only builtin types are checked, as they need no guess.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from sleuth.oracles.table import Settings
from sleuth.trace import columns
from sleuth.trace.events import Call
from sleuth.trace.events import Outcome as Ending
from sleuth.trace.flow.wording import COLLECTS_NAMES, COLLECTS_POSITIONS, CUT, Wording
from sleuth.trace.heap.roots import given_to
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Cut, Ref, Value
from sleuth.tree.node import ExecutionTree, Masses

NAME = "annotations"
_MORE = 3.0
_MOST_CALLS = 5_000
_MOST_OF_ONE = 200
_TYPES = ("int", "float", "complex", "str", "bytes", "bool", "None", "list", "dict", "tuple", "set")
_ALSO = {"float": ("int", "bool"), "complex": ("float", "int", "bool"), "int": ("bool",)}
_OLD = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set"}


def made(trace: Trace, settings: Settings) -> "Annotations | None":  # noqa: ARG001 - as all makers
    """Return the hint, if an annotation was broken."""
    found = Annotations(trace)
    return found if found.broken else None


class Annotations:
    """The hint."""

    name = NAME

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._annotated: dict[int, Wording | None] = {}

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node's own code is."""
        found = np.ones(len(tree.parent))
        for call in self.broken:
            node = tree.find_call(call)
            if node is not None:
                found[node] = _MORE
        return found

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Return which annotation was broken; empty: none."""
        key = tree.key(node)
        return self.broken.get(key.call, "") if tree.find_call(key.call) == node else ""

    @cached_property
    def broken(self) -> dict[int, str]:
        """Call -> what was broken; of many calls only the first are checked."""
        functions = columns.calls(self._trace).function
        found: dict[int, str] = {}
        left = _MOST_CALLS
        for routine in np.unique(functions).tolist():
            if self._wording(routine) is None:
                continue
            for number in np.flatnonzero(functions == routine)[: min(_MOST_OF_ONE, left)].tolist():
                left -= 1
                said = next(self._breaches(self._trace.call(number)), "")
                if said:
                    found[number] = said
        return found

    def _wording(self, routine: int) -> Wording | None:
        """Return the wording of a function, if it has annotations."""
        if routine not in self._annotated:
            found = self._trace.wording(routine)
            if found is not None and not any(map(allowed, (*found.annotations, found.returns))):
                found = None
            self._annotated[routine] = found
        return self._annotated[routine]

    def _breaches(self, call: Call) -> Iterator[str]:
        wording, function = self._wording(call.function), self._trace.function(call.function)
        if wording is None or function is None:
            return
        given = given_to(self._trace, call)
        for number, (name, how) in enumerate(
            zip(function.parameters, wording.parameters, strict=False)
        ):
            if name not in given or how in (COLLECTS_POSITIONS, COLLECTS_NAMES):
                continue
            annotation = wording.annotation(number)
            types = allowed(annotation)
            if wording.default(number) == "None" and types:
                types |= {"None"}
            yield from _breach(f"{name} is annotated {annotation}", types, given[name], "was given")
        if call.outcome is Ending.RETURNED and not call.is_resumable:
            value = self._trace.result(call)
            about = f"its result is annotated {wording.returns}"
            yield from _breach(about, allowed(wording.returns), value, "was")


def _breach(about: str, types: set[str], value: Value, verb: str) -> Iterator[str]:
    kind = _type_of(value)
    if types and kind and kind not in types:
        yield f"{about}, and {verb} {kind}"


def _type_of(value: Value) -> str:
    """Return the builtin type of a value; empty: it has another type, or is not known."""
    match value:
        case Constant("None"):
            return "None"
        case Constant("True" | "False"):
            return "bool"
        case Atom(content):
            return type(content).__name__
        case Cut("text"):
            return "str"
        case Cut("bytes"):
            return "bytes"
        case Cut("integer"):
            return "int"
        case Ref(name):
            return name if name in _TYPES else ""
    return ""


def allowed(annotation: str) -> set[str]:
    """Return the builtin types that an annotation allows; empty: others as well, or not known.

    For `list[int]` only the list is checked.
    """
    if annotation.endswith(CUT):
        return set()
    text = annotation.strip("'\"").removeprefix("typing.")
    if text.startswith("Optional[") and text.endswith("]"):
        text = f"{text[len('Optional[') : -1]}|None"
    found: set[str] = set()
    for part in _alternatives(text):
        name = part.partition("[")[0].removeprefix("typing.")
        name = _OLD.get(name, name)
        if name not in _TYPES:
            return set()
        found |= {name, *_ALSO.get(name, ())}
    return found


def _alternatives(text: str) -> list[str]:
    """Split an annotation at the bars outside of brackets."""
    found = [""]
    depth = 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return [part.strip() for part in found]
