"""The operand stack of a function at each of its steps: which operations made what lies there.

The stack is followed along all ways through the steps.  Where ways meet, a value may come from
several operations: the last of them that ran is the one.  That is exact, since the stack is equally
high on all ways to a step.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from sleuth.record.rewrite.bytecode import JUMPS
from sleuth.record.rewrite.flow.opcodes import NOTHING
from sleuth.record.rewrite.flow.steps import Frame, Step
from sleuth.record.rewrite.stack import ENDS

Slot: TypeAlias = int | tuple[int, ...]
"""Outputs of operations, several where ways meet; below 0: no operation has made it."""
Stack: TypeAlias = tuple[Slot, ...]

BUILD_CLASS = -2
"""What lies on the stack where a class is about to be made."""
_KEPT = -16
OUTPUT_BITS = 16
ITERATOR = -(1 << 30)
"""In what a move gives: what a comprehension goes through; it lies right below its own stack."""


class Uneven(Exception):
    """The stack is not equally high on all ways to a step: nothing can be said of values."""


class Move(NamedTuple):
    """What a part of a step does to the stack."""

    takes: int
    gives: tuple[int, ...]
    """Slots, or what `again` says, or ITERATOR."""
    is_fixed: bool = True
    """It gives slots only."""


def output(operation: int, number: int) -> int:
    """Return the slot of an operation's output."""
    return operation << OUTPUT_BITS | number


def kept(variable: int) -> int:
    """Return the slot of a variable that lies on the stack while a comprehension uses its name."""
    return _KEPT - variable


def moved(stack: Stack, move: Move, base: int) -> Stack:
    """Return the stack after a move."""
    count = len(stack) - move.takes
    if count < 0:
        raise Uneven
    if move.is_fixed:
        return stack[:count] + move.gives
    given: list[Slot] = []
    for each in move.gives:
        if each == ITERATOR:
            given.append(stack[base - 1])
        else:
            given.append(each if each >= NOTHING else stack[count - 2 - each])
    return (*stack[:count], *given)


class Stacks:
    """Finds the stack before each step."""

    def __init__(
        self,
        steps: Sequence[Step],
        moves: Sequence[Sequence[Move]],
        jumps: dict[int, Move],
    ) -> None:
        self._steps = steps
        self._moves = moves
        self._jumps = jumps
        self.before: list[Stack | None] = [None] * len(steps)
        self.bases: dict[Frame, int] = {}
        """Where in the stack that of a code object begins."""
        self._arrived: dict[int, Stack] = {}
        """What lay on the stack when a handler was last reached."""

    def settle(self) -> None:
        """Follow all ways until nothing changes any more."""
        if not self._steps:
            return
        self.before[0] = ()
        self.bases[self._steps[0].frame] = 0
        waiting = [0]
        while waiting:
            at = waiting.pop()
            while at >= 0:
                at = self._pass(at, waiting)

    def _pass(self, at: int, waiting: list[int]) -> int:
        """Go over a step; return the one behind it if there is news for it."""
        step = self._steps[at]
        stack = self.before[at]
        assert stack is not None  # noqa: S101 - it was reached
        if step.handler >= 0:
            self._raise(step, stack, waiting)
        base = self.bases[step.frame]
        after = stack
        for move in self._moves[at]:
            after = moved(after, move, base)
        instruction, following = step.instruction, step.own_next or step.next
        if step.has_part:
            self.bases[self._steps[step.next[0]].frame] = len(after)
        elif instruction is not None and instruction.opcode in JUMPS:
            target = following[0 if instruction.opcode in ENDS else 1]
            jump = self._jumps.get(at)
            if self._meet(target, after if jump is None else moved(stack, jump, base)):
                waiting.append(target)
            if instruction.opcode in ENDS:
                return -1
        return following[0] if following and self._meet(following[0], after) else -1

    def _raise(self, step: Step, stack: Stack, waiting: list[int]) -> None:
        handler = self._steps[step.handler]
        height = self.bases[handler.frame] + step.kept
        below = stack[:height]
        if self._arrived.get(step.handler) == below:
            return
        if len(stack) < height:
            raise Uneven
        self._arrived[step.handler] = below
        given = (NOTHING, NOTHING) if step.keeps_place else (NOTHING,)
        if self._meet(step.handler, below + given):
            waiting.append(step.handler)

    def _meet(self, at: int, stack: Stack) -> bool:
        """Note that a way leads to a step with this stack; tell whether that is news."""
        known = self.before[at]
        if known == stack:
            return False
        if known is None:
            self.before[at] = stack
            return True
        if len(known) != len(stack):
            raise Uneven
        together = tuple(map(_either, known, stack))
        if together == known:
            return False
        self.before[at] = together
        return True


def _either(one: Slot, other: Slot) -> Slot:
    if one == other:
        return one
    known = {*makers(one), *makers(other)}
    if not known:
        return NOTHING
    return known.pop() if len(known) == 1 else tuple(sorted(known))


def makers(slot: Slot) -> tuple[int, ...]:
    """Return the outputs of operations that a slot can hold."""
    if isinstance(slot, tuple):
        return slot
    return (slot,) if slot >= 0 else ()
