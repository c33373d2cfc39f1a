"""The steps of a function: which step can follow which, and the event that each step writes.

They are read from the instructions with probes, so that places and probes are those that run.  A
probe that writes an event is a step of its own; a probe that writes none belongs to the next step.
"""

import dis
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType

from sleuth.record.rewrite import bytecode
from sleuth.record.rewrite.bytecode import JUMPS, Edit, Instruction, Span
from sleuth.record.rewrite.probes import PART_OF_CALLER, Op
from sleuth.record.rewrite.stack import ENDS
from sleuth.record.rewrite.syntax import INLINES_COMPREHENSIONS, PREFIX

NO_STEP = -1
COROUTINE = 0x80
"""The flag of a coroutine's code."""
EVENTS = {
    # The kind of event that a probe writes; see the table in docs/reference/trace-format.md.
    Op.ENTER: 0x10,
    Op.START: 0x13,
    Op.RETURN: 0x11,
    Op.RETURN_CONST: 0x11,
    Op.SUSPEND: 0x12,
    Op.RESUME: 0x13,
    Op.UNWIND: 0x14,
    Op.CATCH: 0x19,
    Op.LOOP: 0x20,
    Op.TURN: 0x21,
    Op.ARM: 0x22,
    Op.BIND: 0x28,
    Op.BIND_SLOT: 0x28,
    Op.UNBIND: 0x29,
    Op.SET_ATTRIBUTE: 0x2A,
    Op.DELETE_ATTRIBUTE: 0x2B,
    Op.SET_ITEM: 0x2C,
    Op.DELETE_ITEM: 0x2D,
    Op.SET_SLICE: 0x2E,
}
SUSPEND = EVENTS[Op.SUSPEND]
WITH_SITE = frozenset(op for op, kind in EVENTS.items() if kind >= EVENTS[Op.CATCH])
_ALWAYS = frozenset(
    op
    for name, op in dis.opmap.items()
    if name in ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
)
_PREPARES_CALL = frozenset({"KW_NAMES", "PRECALL"})
_PASSES_ON = frozenset({"RERAISE", "CLEANUP_THROW", "END_ASYNC_FOR"})
_WAY_OUT = frozenset({"END_ASYNC_FOR", "CLEANUP_THROW"})
"""Handlers that are reached without an error: a loop ends, or an exception is thrown in."""
_DELEGATES = "SEND", "YIELD_VALUE"
_LEADS_THERE = frozenset({"GET_ANEXT", "SEND", "YIELD_VALUE", "RESUME"})


@dataclass(slots=True, eq=False)
class Frame:
    """A code object that steps belong to: a function's, or that of a comprehension in it (3.11)."""

    code: CodeType
    around: "Frame | None" = None
    """Of a comprehension: the code that calls it."""
    is_module: bool = False
    """Whether its names are those of a module."""


@dataclass(slots=True)
class Step:
    """One step: an instruction of the program, or an event."""

    place: int
    """The first of its places; it also has those up to the place of the next step."""
    instruction: Instruction | None
    """None: it only writes an event, or stands for work of the interpreter between instructions."""
    frame: Frame
    event: tuple[int, int] | None = None
    """Kind of the event, and its site + 1 (0: no site)."""
    next: list[int] = field(default_factory=list)
    handler: int = NO_STEP
    """The step that an exception leads to."""
    kept: int = 0
    """How many values of its frame stay on the stack below those that the handler gets."""
    keeps_place: bool = False
    """Whether the handler also gets the place of the exception."""
    passes_on: bool = False
    """Whether it raises a caught exception again: the event has the place of the first raise."""
    within: int = NO_STEP
    """Of a step of a comprehension with code of its own: the step that calls it."""
    keywords: int = -1
    """Index of the constant with the names of a call's keyword arguments; -1: none."""
    has_part: bool = False
    """Whether it calls a comprehension, whose steps follow."""
    own_next: list[int] | None = None
    """Of a SEND to an asynchronous comprehension: the steps that can follow in the same frame."""
    span: Span | None = None


@dataclass(slots=True)
class Woven:
    """The code of a function with its probes, as it runs."""

    code: CodeType
    base: int
    """The number that turns the offset of an instruction into a place, when added to it."""
    parts: "list[Woven]" = field(default_factory=list)
    """Comprehensions with code of their own."""
    is_module: bool = False
    """Whether its names are those of a module."""


def steps_of(woven: Woven, probes: Sequence[bytes]) -> list[Step]:
    """List the steps of a function, those of its comprehensions included, in order of place."""
    return _Graph(probes).function(woven)


class _Graph:
    def __init__(self, probes: Sequence[bytes]) -> None:
        self._probes = probes
        self.steps: list[Step] = []

    def function(self, woven: Woven) -> list[Step]:
        self._add(woven, NO_STEP)
        return self.steps

    def _add(self, woven: Woven, within: int) -> tuple[int, list[int]]:
        """Add the steps of a code object; return the first one and those that return."""
        edit = bytecode.take_apart(woven.code)
        first = len(self.steps)
        around = None if within == NO_STEP else self.steps[within].frame
        frame = Frame(woven.code, around, woven.is_module)
        step_of = self._lay_out(edit, woven, within, frame)
        leads = self._handlers(edit, step_of)
        for index, instruction in enumerate(edit.instructions):
            number = step_of[index]
            if self.steps[number].instruction is instruction:
                self._connect(edit, index, step_of, leads)
            elif (
                self.steps[number].instruction is None
                and index + 1 < len(step_of)
                and step_of[index + 1] != number
            ):
                # This is the last of the three instructions of a probe.
                self.steps[number].next = [step_of[index + 1]]
        ends = [
            number
            for index, number in enumerate(step_of)
            if edit.instructions[index].name in ("RETURN_VALUE", "RETURN_CONST")
            and self.steps[number].instruction is edit.instructions[index]
        ]
        self._splice(woven, edit, step_of)
        return first, ends

    def _lay_out(self, edit: Edit, woven: Woven, within: int, frame: Frame) -> list[int]:
        """Make the steps of a code object; return the step of each instruction."""
        step_of: list[int] = []
        keywords = -1
        waiting = 0
        """How many instructions belong to the next step: silent probes, and those before a call."""
        index, count = 0, len(edit.instructions)
        while index < count:
            probe = self._probe_at(woven.code, edit.instructions, index)
            event = None if probe is None else _event(probe)
            size = 1 if probe is None else 3
            is_silent = probe is not None and event is None
            if is_silent or edit.instructions[index].name in _PREPARES_CALL:
                if edit.instructions[index].name == "KW_NAMES":
                    keywords = edit.instructions[index].arg
                waiting += size
                index += size
                continue
            at = index - waiting
            number = len(self.steps)
            step_of += [number] * (waiting + size)
            waiting = 0
            instruction = edit.instructions[index] if probe is None else None
            step = Step(woven.base + edit.units[at], instruction, frame, event, within=within)
            step.keywords, keywords = keywords, -1
            if probe is None or probe[0] not in _BEFORE_CODE:
                # A marker may be all that is left of a statement such as `pass`.
                step.span = edit.instructions[index].span
            if instruction is not None:
                step.passes_on = instruction.name in _PASSES_ON or (
                    instruction.name == "RAISE_VARARGS" and instruction.arg == 0
                )
                step.event = self._unseen(edit, index)
            self.steps.append(step)
            index += size
        return step_of

    def _probe_at(
        self, code: CodeType, instructions: list[Instruction], index: int
    ) -> tuple[int, int, int] | None:
        """Return kind, flags and site of the probe that begins at an instruction, or None."""
        instruction = instructions[index]
        if instruction.name != "LOAD_CONST":
            return None
        text = code.co_consts[instruction.arg]
        if not (isinstance(text, str) and text.startswith(PREFIX)):
            return None
        op, flags, _, what, _ = struct.unpack("<BBHII", self._probes[int(text[len(PREFIX) :])])
        return op, flags, what

    def _unseen(self, edit: Edit, index: int) -> tuple[int, int] | None:
        """Return the event of a suspension inside `await`, where 3.11 allows no probe."""
        if INLINES_COMPREHENSIONS or edit.instructions[index].name != "YIELD_VALUE":
            return None
        return (SUSPEND, 0) if edit.instructions[index + 1].arg & 3 >= 2 else None

    def _handlers(self, edit: Edit, step_of: list[int]) -> list[int]:
        """Return for each instruction the step that an exception leads to."""
        leads = [NO_STEP] * len(edit.instructions)
        for handler in edit.handlers:
            target = step_of[handler.target]
            leads[handler.start : handler.end] = [target] * (handler.end - handler.start)
            for number in step_of[handler.start : handler.end]:
                step = self.steps[number]
                step.kept, step.keeps_place = handler.depth, handler.keeps_place
        for index, instruction in enumerate(edit.instructions):
            if instruction.name == "RESUME" and edit.instructions[index - 1].name == "YIELD_VALUE":
                self._throw_at_yield(step_of[index - 1], step_of[index])
                leads[index] = leads[index - 1]
        for index, number in enumerate(step_of):
            self.steps[number].handler = leads[index]
        return leads

    def _throw_at_yield(self, waiting: int, resuming: int) -> None:
        """Give a RESUME the handler of the `yield` before it.

        An exception thrown into a call is handled as if the `yield` had raised it, but its event
        may have the place of the RESUME.  Where the two have different handlers, the RESUME itself
        never raises.
        """
        step, at = self.steps[resuming], self.steps[waiting]
        step.kept, step.keeps_place = at.kept, at.keeps_place

    def _connect(self, edit: Edit, index: int, step_of: list[int], leads: list[int]) -> None:
        instruction = edit.instructions[index]
        step = self.steps[step_of[index]]
        if instruction.opcode not in ENDS and index + 1 < len(step_of):
            step.next.append(step_of[index + 1])
        if instruction.opcode in JUMPS:
            step.next.append(step_of[instruction.target])
        if instruction.name in _LEADS_THERE and leads[index] >= 0:
            handler = self.steps[leads[index]].instruction
            if handler is not None and handler.name in _WAY_OUT:
                step.next.append(leads[index])
        before = edit.instructions[index - 1]
        if not INLINES_COMPREHENSIONS and (before.name, instruction.name) == _DELEGATES:
            step.next.append(self._after_throw(step_of, before.target))

    def _after_throw(self, step_of: list[int], target: int) -> int:
        """Add a step for a call whose awaited object ends after an exception was thrown into it.

        3.11 handles this outside of the code: the call goes on at the target of the SEND.  An
        exception then has the place of the instruction before the target, which does not run.
        """
        at = self.steps[step_of[target - 1]]
        done = Step(at.place, None, at.frame, next=[step_of[target]], within=at.within)
        done.handler, done.kept, done.keeps_place = at.handler, at.kept, at.keeps_place
        self.steps.append(done)
        return len(self.steps) - 1

    def _splice(self, woven: Woven, edit: Edit, step_of: list[int]) -> None:
        """Add the steps of comprehensions between their call and the step after it."""
        for part in woven.parts:
            for index in list(_calls_of(part, edit)):
                if part.code.co_flags & COROUTINE:
                    self._splice_awaited(part, edit, step_of, index)
                    continue
                number = step_of[index]
                call = self.steps[number]
                after, call.has_part = call.next, True
                first, ends = self._add(part, number)
                call.next = [first]
                for end in ends:
                    self.steps[end].next = after
                self._inherit(first, call)

    def _splice_awaited(self, part: Woven, edit: Edit, step_of: list[int], call: int) -> None:
        """Add the steps of an asynchronous comprehension where it is awaited.

        It runs while its caller sends to it.  When it waits, its caller waits with it; its own
        suspensions write no events.
        """
        names = [instruction.name for instruction in edit.instructions]
        send = names.index("SEND", call)
        target = step_of[edit.instructions[send].target]
        awaiting = self.steps[step_of[send]]
        first, ends = self._add(part, step_of[send])
        awaiting.own_next, awaiting.next = awaiting.next, [first]
        for end in ends:
            self.steps[end].next = [target]
        self._inherit(first, awaiting)
        for step in self.steps[first:]:
            if step.event is not None and step.event[0] in _OF_WAITING:
                step.event = None
            if step.instruction is not None and step.instruction.name == "YIELD_VALUE":
                step.next = [self._wait_along(step_of[send], target, step.next[0])]

    def _wait_along(self, send: int, target: int, after: int) -> int:
        """Add copies of the steps by which a caller waits and then sends to its part again.

        Each `yield` of the part has its own copies, so that they lead back to that `yield` only.
        """
        own = range(send + 1, target)
        first = len(self.steps)
        numbers = {number: first + at for at, number in enumerate(own)} | {send: first + len(own)}
        for number in (*own, send):
            step = self.steps[number]
            leads = [numbers.get(each, each) for each in step.next]
            self.steps.append(replace(step, next=leads, own_next=None))
        self.steps[-1].next = [after]
        return first

    def _inherit(self, first: int, caller: Step) -> None:
        """Let exceptions that leave a part go to the handler of its caller."""
        for step in self.steps[first:]:
            if step.handler < 0:
                step.handler = caller.handler
                step.kept, step.keeps_place = caller.kept, caller.keeps_place


def _calls_of(part: Woven, edit: Edit) -> Iterator[int]:
    """Yield the calls of a comprehension: the first CALL of its span after it is made."""
    for index, instruction in enumerate(edit.instructions):
        if instruction.name == "MAKE_FUNCTION":
            made = edit.code.co_consts[edit.instructions[index - 1].arg]
            if made is part.code:
                for later in range(index, len(edit.instructions)):
                    found = edit.instructions[later]
                    if found.name == "CALL" and found.span == instruction.span:
                        yield later
                        break


def _event(probe: tuple[int, int, int]) -> tuple[int, int] | None:
    op, flags, what = probe
    if op not in EVENTS or (flags & PART_OF_CALLER and op in _OF_FRAMES):
        return None
    return EVENTS[Op(op)], what + 1 if op in WITH_SITE else 0


_OF_WAITING = frozenset({EVENTS[Op.SUSPEND], EVENTS[Op.RESUME]})
_BEFORE_CODE = frozenset({Op.ENTER, Op.START})
_OF_FRAMES = frozenset({Op.ENTER, Op.START, Op.RETURN, Op.UNWIND})
