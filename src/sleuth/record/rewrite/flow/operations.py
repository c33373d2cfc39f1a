"""The operations of a function, and the operations that each gets its values from.

An instruction that only moves values is no operation.  Instructions that the compiler copied (the
body of a `finally`) are one operation of several steps, as the source has it once.
"""

import dis
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import TypeAlias

from sleuth.record.rewrite.bytecode import Span
from sleuth.record.rewrite.flow import variables
from sleuth.record.rewrite.flow.calls import Calls
from sleuth.record.rewrite.flow.constants import told
from sleuth.record.rewrite.flow.opcodes import NOTHING, ONE, Part, Rule, again, rules_of
from sleuth.record.rewrite.flow.operands import (
    BUILD_CLASS,
    ITERATOR,
    OUTPUT_BITS,
    Move,
    Slot,
    Stack,
    Stacks,
    kept,
    makers,
    moved,
    output,
)
from sleuth.record.rewrite.flow.steps import Step

Made: TypeAlias = tuple[int, int]
"""An operation, and the number of one of its outputs."""
Input: TypeAlias = tuple[str, tuple[Made, ...]]
"""A role, and the outputs that the value can come from: the one of them that was made last."""

_LONE_SLOT = Move(0, (NOTHING,))
_PART_BEGINS = Move(2, (again(1),), is_fixed=False)
_PART_ALONE = _PART_BEGINS
_ITERATOR = Move(0, (ITERATOR,), is_fixed=False)
_WAITS = 2
"""From this argument on, a RESUME belongs to `yield from` (2) or `await` (3)."""


@dataclass(slots=True)
class Operation:
    """One operation."""

    kind: str
    name: str
    span: Span | None
    scope: str = ""
    value: object = None
    """Of a constant: its value; of a function or class: the number of its function."""
    inputs: list[Input] = field(default_factory=list)
    is_dropped: bool = False
    """Whether it is left out: the compiler added it, or no way leads to it."""


@dataclass(slots=True)
class Operations:
    """All operations of a function, and the indexes of those of each step."""

    all: list[Operation]
    of_steps: list[tuple[int, ...]]


class _Action:
    """A part of a step: its effect on the stack, and its operation (`number`; -1: none)."""

    __slots__ = ("move", "number", "part", "rule")

    def __init__(self, part: Part, rule: Rule, move: Move, number: int) -> None:
        self.part = part
        self.rule = rule
        self.move = move
        self.number = number


def operations_of(steps: Sequence[Step], functions: Mapping[int, int]) -> Operations:
    """Find the operations of steps; `functions` are the numbers of functions by id of their code.

    Uneven: they can't be determined.
    """
    return _Reader(steps, functions).read()


class _Reader:
    def __init__(self, steps: Sequence[Step], functions: Mapping[int, int]) -> None:
        self._steps = steps
        self._functions = functions
        self._parts = {id(step.frame.code) for step in steps if step.frame.around is not None}
        self._all: list[Operation] = []
        self._actions: list[Sequence[_Action]] = []
        self._jumps: dict[int, Move] = {}
        self._code: CodeType | None = None
        """The code object that was loaded last, of which the next function is made."""
        self._calls = Calls(self._all)

    def read(self) -> Operations:
        self._actions = [self._decoded(at, step) for at, step in enumerate(self._steps)]
        moves = [[action.move for action in actions] for actions in self._actions]
        stacks = Stacks(self._steps, moves, self._jumps)
        stacks.settle()
        for step, actions, before in zip(self._steps, self._actions, stacks.before, strict=True):
            stack = before
            for action in actions:
                if stack is not None:
                    self._fill(step, action, stack)
                    if action is not actions[-1]:
                        stack = moved(stack, action.move, stacks.bases[step.frame])
                elif action.number >= 0:
                    self._all[action.number].is_dropped = True  # the step can't be reached
        return _tidied(
            self._all,
            [
                [action.number for action in actions if action.number >= 0]
                for actions in self._actions
            ],
        )

    # --- Reading instructions --------------------------------------------------------------------

    def _decoded(self, at: int, step: Step) -> Sequence[_Action]:
        instruction = step.instruction
        if instruction is None:
            return ()
        return [
            self._action(at, step, part, rule)
            for part, rule in rules_of(dis.opname[instruction.opcode], instruction.arg)
        ]

    def _action(self, at: int, step: Step, part: Part, rule: Rule) -> _Action:
        special = self._special(at, step, part, rule) if part[0] in _SPECIAL else None
        if special is not None:
            return _Action(part, rule, special, -1)
        if not rule.kind:
            return _Action(part, rule, _still(rule), -1)
        number = len(self._all)
        self._all.append(self._operation(step, part, rule))
        if rule.jump is not None:
            self._jumps[at] = _move(*rule.jump, number)
        return _Action(part, rule, _move(rule.takes, rule.gives, number), number)

    def _special(self, at: int, step: Step, part: Part, rule: Rule) -> Move | None:
        """Return the effect of an instruction that is no operation in this context; else None."""
        name, arg = part
        code = step.frame.code
        if name == "LOAD_CONST" and isinstance(code.co_consts[arg], CodeType):
            self._code = code.co_consts[arg]
            return _LONE_SLOT
        if name == "LOAD_FAST" and step.frame.around is not None and arg == 0:
            return _ITERATOR
        if name == "LOAD_FAST" and variables.is_shared(code, arg):
            return _LONE_SLOT  # the cell itself, for a function that shares it
        if name == "LOAD_FAST_AND_CLEAR":
            return Move(0, (kept(arg),))
        if name == "LOAD_BUILD_CLASS":
            return Move(0, (BUILD_CLASS,))
        if name == "RETURN_VALUE" and step.frame.around is not None:
            return _PART_ALONE
        if name == "CALL" and step.has_part:
            return _PART_BEGINS
        if name == "MAKE_FUNCTION" and id(self._code) in self._parts:
            return Move(rule.takes, (NOTHING,))
        if name == "YIELD_VALUE" and self._waits(at):
            return Move(1, (NOTHING,))
        return None

    def _waits(self, at: int) -> bool:
        behind = self._steps[at + 1].instruction
        return behind is not None and behind.arg & 3 >= _WAITS

    def _operation(self, step: Step, part: Part, rule: Rule) -> Operation:
        made = Operation(rule.kind, rule.name, step.span)
        code, (name, arg) = step.frame.code, part
        if rule.kind in _OF_VARIABLES:
            made.name, made.scope = variables.name_and_scope(step.frame, name, arg)
        elif rule.kind == "constant":
            made.value = code.co_consts[arg]
        elif rule.kind == "function" and self._code is not None:
            made.name, made.value = self._code.co_name, self._functions.get(id(self._code))
        elif not rule.name and name in variables.NAME_SHIFT:
            made.name = code.co_names[arg >> variables.NAME_SHIFT[name]]
        elif rule.kind == "wait" and step.own_next is not None:
            # On 3.11 an asynchronous comprehension is code of its own, which is awaited.
            made.kind, made.name = "make", _MADE_BY[self._steps[step.next[0]].frame.code.co_name]
        return made

    # --- Where values come from ------------------------------------------------------------------

    def _fill(self, step: Step, action: _Action, stack: Stack) -> None:
        """Set the inputs of an operation from the stack before it."""
        name, arg = action.part
        if name == "SET_FUNCTION_ATTRIBUTE":
            self._calls.attribute(arg, stack[-2], stack[-1])
            return
        if name == "MAKE_FUNCTION" and action.rule.takes > 1:
            self._calls.function(arg, stack[len(stack) - action.rule.takes : -1], action.number)
            return
        if action.number < 0:
            return
        operation = self._all[action.number]
        if action.rule.roles:
            slots = stack[len(stack) - len(action.rule.roles) :]
            operation.inputs = _inputs(action.rule.roles, slots)
        if operation.kind == "call" and name != "CALL_SUPER":
            taken = stack[len(stack) - action.rule.takes :]
            self._calls.call(operation, name, taken, _keywords(step))
        elif operation.kind in _OF_VARIABLES:
            self._variable(step, action, stack, operation)
        elif name == "IMPORT_NAME":
            operation.name = "." * self._calls.number(stack[-2]) + operation.name

    def _variable(self, step: Step, action: _Action, stack: Stack, operation: Operation) -> None:
        name, arg = action.part
        if operation.scope in ("local", "cell") and name.endswith(variables.IN_FRAME):
            depth = sum(slot == kept(arg) for slot in stack)
            is_given_back = operation.kind == "store" and stack[-1] == kept(arg)
            if is_given_back:
                operation.is_dropped = True
            elif depth:
                operation.scope = variables.inner(depth)
        if operation.kind == "store" and self._is_compilers(step, operation):
            operation.is_dropped = True
            self._calls.drop(stack[-1])

    def _is_compilers(self, step: Step, store: Operation) -> bool:
        """Tell whether the compiler added a store: in a class, or at the end of `except ... as`."""
        if variables.is_of_class(step.frame.code, store.name, step.span):
            return True
        following = step.next[0] if step.next else -1
        if following >= 0 and self._steps[following].instruction is None:
            following = self._steps[following].next[0]
        behind = self._steps[following] if following >= 0 else step
        return (
            behind.instruction is not None
            and behind.span == step.span
            and behind.instruction.name.startswith("DELETE_")
            and step.instruction is not None
            and behind.instruction.arg == step.instruction.arg
        )


_OF_VARIABLES = frozenset({"read", "store", "delete"})


_SPECIAL = frozenset(
    {
        "LOAD_CONST",
        "LOAD_FAST",
        "LOAD_FAST_AND_CLEAR",
        "LOAD_BUILD_CLASS",
        "RETURN_VALUE",
        "CALL",
        "MAKE_FUNCTION",
        "YIELD_VALUE",
    }
)


def _move(takes: int, gives: tuple[int, ...], number: int) -> Move:
    if not gives:
        return _taking(takes)
    if gives == ONE:
        return Move(takes, (output(number, 0),))
    slots = tuple([each if each < 0 else output(number, each) for each in gives])
    return Move(takes, slots, min(gives) >= NOTHING)


@cache
def _taking(takes: int) -> Move:
    return Move(takes, ())


@cache
def _still(rule: Rule) -> Move:
    return Move(rule.takes, rule.gives, not rule.gives or min(rule.gives) >= NOTHING)


def _keywords(step: Step) -> tuple[str, ...]:
    return step.frame.code.co_consts[step.keywords] if step.keywords >= 0 else ()


def _inputs(roles: Sequence[str], slots: Sequence[Slot]) -> list[Input]:
    found: list[Input] = []
    for role, slot in zip(roles, slots, strict=True):
        if role:
            made = _made(slot)
            if made:
                found.append((role, made))
    return found


def _made(slot: Slot) -> tuple[Made, ...]:
    return tuple((each >> OUTPUT_BITS, each & _OUTPUT) for each in makers(slot))


_OUTPUT = (1 << OUTPUT_BITS) - 1


# --- One operation for what the source says once -------------------------------------------------


def _tidied(found: list[Operation], of_steps: Sequence[Sequence[int]]) -> Operations:
    """Leave out dropped operations and unused constants, and merge copies of an operation."""
    _fold_slices(found)
    used = {
        maker
        for each in found
        if not each.is_dropped
        for _, made in each.inputs
        for maker, _ in made
    }
    number_of = [-1] * len(found)
    """The new number of each operation; -1: left out."""
    told_ones: list[Operation] = []
    known: dict[tuple[str, str, Span | None], list[int]] = {}
    for at, each in enumerate(found):
        if each.is_dropped or (each.kind == "constant" and at not in used):
            continue
        if each.kind == "constant":
            each.value = told(each.value)
        alike = known.setdefault((each.kind, each.name, each.span), [])
        number = _same(each, alike, told_ones, number_of) if alike else -1
        if number < 0:
            number = len(told_ones)
            told_ones.append(each)
            alike.append(number)
        number_of[at] = number
    for each in told_ones:
        each.inputs = [
            (role, there) for role, made in each.inputs if (there := _renumbered(made, number_of))
        ]
    steps = [
        tuple([number_of[at] for at in numbers if number_of[at] >= 0]) if numbers else ()
        for numbers in of_steps
    ]
    return Operations(told_ones, steps)


def _same(
    operation: Operation,
    alike: Sequence[int],
    known: Sequence[Operation],
    number_of: Sequence[int],
) -> int:
    """Return the number of the operation that this one is a copy of; -1: none."""
    key = _key(operation, number_of)
    for number in alike:
        if _key(known[number], number_of) == key:
            if operation.kind in _ALONE:
                known[number].inputs = _united(known[number].inputs, operation.inputs)
            return number
    return -1


def _key(operation: Operation, number_of: Sequence[int]) -> object:
    """Return a key that is equal for copies of an operation, and differs between operations."""
    kind, inputs = operation.kind, operation.inputs
    if kind in _ALONE:
        # Copies may have different inputs: not all ways lead to all copies.
        return operation.scope, [role for role, _ in inputs]
    came_from = [(role, [(number_of[maker], out) for maker, out in made]) for role, made in inputs]
    return operation.scope, repr(operation.value), came_from


_ALONE = frozenset(
    {
        "store",
        "store attribute",
        "store item",
        "delete",
        "delete attribute",
        "delete item",
        "return",
        "raise",
        "yield",
        "call",
        "attribute",
        "item",
        "slice",
    }
)
"""Kinds of operations that are told apart by their span, whatever their inputs."""
_MADE_BY = {"<listcomp>": "list", "<setcomp>": "set", "<dictcomp>": "mapping"}
"""The kind of container that a comprehension makes, by the name of its code."""


def _united(some: Sequence[Input], others: Sequence[Input]) -> list[Input]:
    return [
        (role, made if made == more else tuple(dict.fromkeys((*made, *more))))
        for (role, made), (_, more) in zip(some, others, strict=True)
    ]


def _renumbered(made: tuple[Made, ...], number_of: Sequence[int]) -> tuple[Made, ...]:
    if len(made) == 1:
        ((maker, out),) = made
        number = number_of[maker]
        return ((number, out),) if number >= 0 else ()
    return tuple(sorted({(number_of[maker], out) for maker, out in made if number_of[maker] >= 0}))


_OF_ITEMS = {"item": "slice", "store item": "store item", "delete item": "delete item"}


def _fold_slices(found: Sequence[Operation]) -> None:
    """Merge an item access with the slice that was made for it into one operation."""
    makes = {at for at, each in enumerate(found) if each.kind == "make" and each.name == "slice"}
    if not makes:
        return
    elsewhere: set[int] = set()
    for each in found:
        folded: list[Input] = []
        for role, made in each.inputs:
            at = made[0][0]
            if role == "key" and each.kind in _OF_ITEMS and len(made) == 1 and at in makes:
                folded += found[at].inputs
                each.kind = _OF_ITEMS[each.kind]
            else:
                folded.append((role, made))
                elsewhere.update(maker for maker, _ in made if maker in makes)
        each.inputs = folded
    for at in makes - elsewhere:
        found[at].is_dropped = True
