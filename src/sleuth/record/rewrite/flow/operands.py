"""The operand stack at each step of a function: which operations made the values on it.

The stack is followed along all ways through the steps.  Where ways meet, a value may come from
several operations; in a given run it comes from the one of them that ran last.  This is exact,
since the stack has the same height on all ways to a step.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from sleuth.record.rewrite.bytecode import JUMPS
from sleuth.record.rewrite.flow.opcodes import NOTHING
from sleuth.record.rewrite.flow.steps import Frame, Step
from sleuth.record.rewrite.stack import ENDS

Slot: TypeAlias = int | tuple[int, ...]
"""A value on the stack: the output of an operation, or several where ways meet; < 0: of none."""
Stack: TypeAlias = tuple[Slot, ...]

BUILD_CLASS = -2
"""The slot of the function that builds classes."""
_KEPT = -16
OUTPUT_BITS = 16
ITERATOR = -(1 << 30)
"""In `Move.gives`: the iterator of a comprehension, which lies directly below its own stack."""


class Uneven(Exception):
    """The stack has different heights on two ways to a step: operations can't be determined."""


class Move(NamedTuple):
    """The effect of a part of a step on the stack."""

    takes: int
    gives: tuple[int, ...]
    """Slots, codes made by `again`, or ITERATOR."""
    is_fixed: bool = True
    """Whether `gives` has only slots."""


def output(operation: int, number: int) -> int:
    """Return the slot of an operation's output."""
    return operation << OUTPUT_BITS | number


def kept(variable: int) -> int:
    """Return the slot of a variable that is saved while an inlined comprehension uses its name."""
    return _KEPT - variable


def moved(stack: Stack, move: Move, base: int) -> Stack:
    """Return the stack after a move; `base` is the height where the code object's stack begins."""
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
        """The height at which the stack of each code object begins."""
        self._arrived: dict[int, Stack] = {}
        """The stack with which each handler was reached last."""

    def settle(self) -> None:
        """Follow all ways until no stack changes any more; Uneven: heights differ."""
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
        """Apply a step's moves; return the next step if its stack changed, else -1."""
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
        """Merge a stack into the stack before a step; return whether that changed it."""
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
    """Return the outputs that a slot can hold; empty if no operation made it."""
    if isinstance(slot, tuple):
        return slot
    return (slot,) if slot >= 0 else ()
