"""The inputs of calls, and of what is made by calls: functions, classes, the end of a `with`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.record.rewrite.flow.operands import BUILD_CLASS, OUTPUT_BITS, Slot, Stack, makers

if TYPE_CHECKING:
    from sleuth.record.rewrite.flow.operations import Input, Operation

_ATTRIBUTES = {1: "defaults", 2: "keyword defaults", 4: "annotations", 8: "closure"}
_IN_ORDER = list(_ATTRIBUTES.values())
_CLOSURE = 8
_RECEIVER = 1
"""The output of an attribute that is the object itself; of `enter`: what leaves it again."""
_OUTPUT = (1 << OUTPUT_BITS) - 1
_Taken = list[tuple[str, Slot]]


class Calls:
    """Fills in the inputs of calls."""

    def __init__(self, operations: "list[Operation]") -> None:
        self._all = operations

    def function(self, flags: int, slots: Stack, number: int) -> None:
        """Note what a function is made with; nothing if it is no operation."""
        given = [flag for flag in _ATTRIBUTES if flags & flag]
        for flag, slot in zip(given, slots, strict=True):
            self._attribute(flag, slot, number)

    def attribute(self, flag: int, slot: Slot, function: Slot) -> None:
        """Note something that a function is given after it was made."""
        number = next(self._of(function), -1)
        self._attribute(flag, slot, number)
        if number >= 0:
            self._all[number].inputs.sort(key=lambda given: _IN_ORDER.index(given[0]))

    def _attribute(self, flag: int, slot: Slot, number: int) -> None:
        if flag == _CLOSURE:
            # Which variables it shares is known of the function itself.
            self.drop(slot)
        elif number >= 0:
            self._put(self._all[number], [(_ATTRIBUTES[flag], slot)])

    def call(
        self, operation: "Operation", name: str, taken: Stack, keywords: Sequence[str]
    ) -> None:
        """Note what a call gets, or say that it is something else."""
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
        """Tell what is called; what lies next to it may be its first argument."""
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
        """Leave out what was only there for the compiler's own purposes."""
        for number in self._of(slot):
            if self._all[number].kind in ("read", "constant", "make"):
                self._all[number].is_dropped = True

    def number(self, slot: Slot) -> int:
        """Return the integer that is on the stack; 0: it is none."""
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
