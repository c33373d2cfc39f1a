"""Conditions: what an expression gave, or would have given, from the recorded values."""

import operator
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from sleuth.trace.events import Call
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.segments import Stretch
from sleuth.trace.history.locations import Inside, Location
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.origin import Origin
from sleuth.trace.origin.origins import Origins
from sleuth.trace.origin.turnings import ANYTHING
from sleuth.trace.origin.values import constant
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Constant, Ref, Value

_DEEPEST = 8
_FARTHEST = 16_000
"""Events over which a call is followed back."""
_COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_ADDS: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub}
_HIDDEN = frozenset({"callee", "receiver", "class", "exception"})
"""Roles of inputs that stand in the text of a condition and did not decide by their value."""


class Conditions(Origins):
    """Finds what decided, and the values of expressions that did not run."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, _FARTHEST)

    def condition(self, call: Call, stretch: Stretch, number: int) -> At | None:
        """Return the operation whose value decided a branch or a loop; None: not known."""
        at = At(call, stretch, number, self._runs.operations(call)[number])
        try:
            made_by, _ = self._runs.maker(at, at.operation.inputs[0])
        except (NotKnown, IndexError):
            return None
        return made_by

    def gave(self, at: At) -> Value:
        """Return the value of a condition; absent: not known."""
        try:
            return self._gave(at, 0, _DEEPEST)
        except NotKnown:
            return ABSENT

    def inputs(self, at: At) -> tuple[Origin, ...]:
        """Return the origins of the values that an operation was given."""
        return tuple(
            self.given(at, number)
            for number, each in enumerate(at.operation.inputs)
            if each.role not in _HIDDEN
        )

    def itself(self, at: At) -> Origin:
        """Return an operation that was carried out, with its value."""
        return self._leaf(at)

    def text(self, at: At) -> str:
        """Return the text of an operation, the first line of it."""
        return self._runs.text(at)

    def location(self, at: At) -> Location | None:
        """Return the variable or part of an object that an operation read; None: not known."""
        try:
            return (
                self._values.variable(at)
                if at.operation.kind == "read"
                else self._values.inside(at)
            )
        except NotKnown:
            return None

    def route(self, call: Call, until: int) -> Iterator[Stretch]:
        """Yield what a call ran up to an event and a bit behind it, the newest first."""
        return self._runs.back(call, until + 1)

    def ahead(
        self, call: Call, until: int, operation: Operation, output: int, changed: AbstractSet[str]
    ) -> Value:
        """Return the value that an operation would have had; absent: not known.

        until: the moment whose state it would have seen; changed: variables and attributes that
        may have been set on the way to it.
        """
        try:
            return self._ahead(call, until, operation, output, changed)
        except NotKnown:
            return ABSENT

    # --- Inside ----------------------------------------------------------------------------------

    def _gave(self, at: At, output: int, depth: int) -> Value:
        found = self._values.value(at, output)
        does = at.operation
        if not isinstance(found, Absent) or does.kind != "compute" or depth <= 0:
            return found
        given = [self._gave(*self._runs.maker(at, each), depth - 1) for each in does.inputs]
        return _computed(does.name, given)

    def _ahead(
        self, call: Call, until: int, does: Operation, output: int, changed: AbstractSet[str]
    ) -> Value:
        if does.kind == "constant":
            return constant(does.value)
        if does.kind not in ("read", "attribute", "compute") or does.name in changed:
            return ABSENT
        if ANYTHING in changed and does.kind != "compute" and does.scope != "local":
            return ABSENT
        if does.kind == "read":
            return self._read_then(call, until, does)
        operations = self._runs.operations(call)
        given = []
        for each in does.inputs:
            if len(each.made) != 1:
                return ABSENT
            made = each.made[0]
            given.append(self._ahead(call, until, operations[made.operation], made.output, changed))
        if does.kind == "compute":
            return _computed(does.name, given)
        if output == 1:
            return given[0] if given else ABSENT
        holder = given[0] if given else ABSENT
        if not isinstance(holder, Ref):
            return ABSENT
        return self._values.held(Inside(holder, "attributes", Atom(does.name)), until)

    def _read_then(self, call: Call, until: int, does: Operation) -> Value:
        if does.scope == "inner":
            return ABSENT
        return self._values.held(self._values.named(call, does), until)


def is_true(value: Value) -> bool | None:
    """Tell whether a value counts as true; None: not known."""
    match value:
        case Constant("True"):
            return True
        case Constant("False" | "None"):
            return False
        case Atom(content):
            return bool(content)
    return None


def _computed(name: str, given: list[Value]) -> Value:
    """Return what an operator gives for plain values; absent: not known."""
    match given:
        case [Atom(one), Atom(other)]:
            return _of_atoms(name, one, other)
        case [one, other] if name in ("is", "is not") and _are_constants(one, other):
            return _said((one == other) is (name == "is"))
        case [one] if name == "not":
            is_it = is_true(one)
            return ABSENT if is_it is None else _said(not is_it)
    return ABSENT


def _of_atoms(name: str, one: Any, other: Any) -> Value:
    are_numbers = all(isinstance(each, int | float) for each in (one, other))
    if name in _COMPARES and (are_numbers or type(one) is type(other) is str):
        return _said(_COMPARES[name](one, other))
    if name in _ADDS and type(one) is type(other) is int:
        return Atom(_ADDS[name](one, other))
    if name in ("in", "not in") and type(one) is type(other) is str:
        return _said((one in other) is (name == "in"))
    return ABSENT


def _are_constants(one: Value, other: Value) -> bool:
    """Whether identity can be told: each is a constant or an object, and one is a constant."""
    told = [isinstance(each, Constant) for each in (one, other)]
    return any(told) and not any(isinstance(each, Absent) for each in (one, other))


def _said(is_it: object) -> Constant:
    return Constant("True" if is_it else "False")
