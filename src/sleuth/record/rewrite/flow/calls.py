"""The inputs of operations that are calls, or that the compiler makes by calls.

The latter are functions, classes and the end of a `with`.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.record.rewrite.flow.operands import BUILD_CLASS, OUTPUT_BITS, Slot, Stack, makers

if TYPE_CHECKING:
    from sleuth.record.rewrite.flow.operations import Input, Operation

_ATTRIBUTES = {1: "defaults", 2: "keyword defaults", 4: "annotations", 8: "closure"}
_IN_ORDER = list(_ATTRIBUTES.values())
_CLOSURE = 8
_RECEIVER = 1
"""Number of the second output: of `attribute` the object itself, of `enter` the exit function."""
_OUTPUT = (1 << OUTPUT_BITS) - 1
_Taken = list[tuple[str, Slot]]


class Calls:
    """Fills in the inputs of calls."""

    def __init__(self, operations: "list[Operation]") -> None:
        self._all = operations

    def function(self, flags: int, slots: Stack, number: int) -> None:
        """Set the inputs of a function that is made; `number` < 0: it is no operation."""
        given = [flag for flag in _ATTRIBUTES if flags & flag]
        for flag, slot in zip(given, slots, strict=True):
            self._attribute(flag, slot, number)

    def attribute(self, flag: int, slot: Slot, function: Slot) -> None:
        """Set an input that a function gets after it was made (3.13)."""
        number = next(self._of(function), -1)
        self._attribute(flag, slot, number)
        if number >= 0:
            self._all[number].inputs.sort(key=lambda given: _IN_ORDER.index(given[0]))

    def _attribute(self, flag: int, slot: Slot, number: int) -> None:
        if flag == _CLOSURE:
            # The function's row in the trace has the variables that it shares.
            self.drop(slot)
        elif number >= 0:
            self._put(self._all[number], [(_ATTRIBUTES[flag], slot)])

    def call(
        self, operation: "Operation", name: str, taken: Stack, keywords: Sequence[str]
    ) -> None:
        """Set the inputs of a call; or change its kind, if it makes a class or ends a `with`."""
        callee, receiver, given = taken[0], taken[1], list(taken[2:])
        if name == "CALL_KW":
            keywords = self._constant(given.pop()) or ()  # type: ignore[assignment]
        if BUILD_CLASS in (callee, receiver):
            self._class(operation, name, given, keywords)
        elif self._is_output(callee, "enter"):
            operation.kind = "leave"
            self._put(operation, [("manager", callee)])
        else:
            found = list(self._callee(callee, receiver))
            operation.name = ",".join(keywords)
            self._put(operation, [*found, *_arguments(name, given, len(keywords))])

    def _callee(self, callee: Slot, receiver: Slot) -> Iterator[tuple[str, Slot]]:
        """Yield the callee, and its receiver or first argument if one lies next to it."""
        if not makers(callee):
            yield "callee", receiver
            return
        yield "callee", callee
        is_receiver = self._is_output(receiver, "attribute")
        yield "receiver" if is_receiver else "position", receiver

    def _class(
        self, operation: "Operation", name: str, given: list[Slot], keywords: Sequence[str]
    ) -> None:
        operation.kind = "class"
        operation.name = ",".join(keywords)
        if name == "CALL_FUNCTION_EX":
            self._put(operation, list(_arguments(name, given, 0)))
            return
        body, _, *bases = given
        for number in self._of(body):
            self._all[number].is_dropped = True
            operation.value = self._all[number].value
        self._put(
            operation,
            [
                ("base" if role == "position" else role, slot)
                for role, slot in _arguments(name, bases, len(keywords))
            ],
        )

    # --- Looking at what lies on the stack -------------------------------------------------------

    def drop(self, slot: Slot) -> None:
        """Drop the operations behind a value that only the compiler needs."""
        for number in self._of(slot):
            if self._all[number].kind in ("read", "constant", "make"):
                self._all[number].is_dropped = True

    def number(self, slot: Slot) -> int:
        """Return the integer constant in a slot; 0: it holds no integer."""
        found = self._constant(slot)
        return found if isinstance(found, int) else 0

    def _constant(self, slot: Slot) -> object:
        for number in self._of(slot):
            return self._all[number].value
        return None

    def _is_output(self, slot: Slot, kind: str) -> bool:
        made = makers(slot)
        return bool(made) and all(
            each & _OUTPUT == _RECEIVER and self._all[each >> OUTPUT_BITS].kind == kind
            for each in made
        )

    def _of(self, slot: Slot) -> Iterator[int]:
        return (each >> OUTPUT_BITS for each in makers(slot))

    def _put(self, operation: "Operation", taken: _Taken) -> None:
        inputs: list[Input] = [
            (role, tuple((each >> OUTPUT_BITS, each & _OUTPUT) for each in makers(slot)))
            for role, slot in taken
            if makers(slot)
        ]
        operation.inputs += inputs


def _arguments(name: str, given: Sequence[Slot], names: int) -> Iterator[tuple[str, Slot]]:
    if name == "CALL_FUNCTION_EX":
        yield from zip(("*", "**"), given, strict=False)
        return
    for at, slot in enumerate(given):
        yield "position" if at < len(given) - names else "name", slot
