"""Weaver: chooses the probes of one code object and inserts them.

`load, negate, pop` runs a probe.  It changes nothing on the stack, and knows the depth of the
values that it has to look at.
"""

import dis
from collections.abc import Callable
from types import CodeType

from sleuth.record.rewrite import bytecode, stack
from sleuth.record.rewrite.bytecode import JUMPS, NO_LOCATION, Edit, Instruction, Location, Span
from sleuth.record.rewrite.code_loops import CodeLoops
from sleuth.record.rewrite.compiling import Namespace
from sleuth.record.rewrite.probes import (
    CELL,
    DEFERRED,
    GLOBAL,
    IN_PLACE,
    PART_OF_CALLER,
    UNPACKS,
    WAITS,
    Op,
    Table,
)
from sleuth.record.rewrite.syntax import INLINES_COMPREHENSIONS, PREFIX, Arm, Loop

COMPREHENSION_NAMES = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
"""Code objects that count as part of the enclosing call: comprehensions on 3.11."""
GENERATOR_FLAGS = 0x20 | 0x80 | 0x200
OPTIMIZED = 0x1

LOAD_CONST = dis.opmap["LOAD_CONST"]
NEGATE = dis.opmap["UNARY_NEGATIVE"]
POP_TOP = dis.opmap["POP_TOP"]
RERAISE = dis.opmap["RERAISE"]

# Names that the compiler itself stores in the body of a class or a module.
OWN_NAMES = frozenset(
    {
        "__module__",
        "__qualname__",
        "__classcell__",
        "__classdictcell__",
        "__static_attributes__",
        "__firstlineno__",
        "__type_params__",
        "__annotations__",
    }
)
# 3.11's generator.throw() steps back from a yield to the SEND before it: no probe may be between.
SEND_TOUCHES_YIELD = not INLINES_COMPREHENSIONS
ADDITIONS = frozenset({0, 13})
FIRST_IN_PLACE = 13
ATTRIBUTE_SHIFT = 1 if INLINES_COMPREHENSIONS else 0
"""From 3.12 on the lowest bit of LOAD_ATTR's argument is a flag, the rest is the name's number."""
INTRINSIC_IMPORT_STAR = 2
CALL_BEGINS = "PRECALL" if "PRECALL" in dis.opmap else "CALL"
STORES = {
    "STORE_FAST",
    "STORE_NAME",
    "STORE_GLOBAL",
    "STORE_DEREF",
    "STORE_FAST_LOAD_FAST",
    "STORE_FAST_MAYBE_NULL",
}
DELETES = {"DELETE_FAST", "DELETE_NAME", "DELETE_GLOBAL", "DELETE_DEREF"}


class Weaver:
    """Inserts the probes of one code object."""

    def __init__(self, code: CodeType, table: Table, function: int, place_base: int) -> None:
        self.table = table
        self.function = function
        self.place_base = place_base
        self.edit: Edit = bytecode.take_apart(code)
        self.depths = stack.depths(self.edit)
        self.consts: list[object] = list(code.co_consts)
        self.code = code
        self.is_generator = bool(code.co_flags & GENERATOR_FLAGS)
        self.is_part = code.co_name in COMPREHENSION_NAMES
        self.loops = CodeLoops(code, table.syntax)

    def woven(self, consts: list[object]) -> CodeType:
        """Insert all probes; `consts` are the code's constants with rewritten inner code."""
        self.consts = consts
        self._frame_probes()
        for index, instruction in enumerate(self.edit.instructions):
            if self.depths[index] >= 0:
                self._probe_for(index, instruction)
        size = max(self.code.co_stacksize + 1, 3)
        return bytecode.put_together(self.edit, tuple(self.consts), size)

    # --- making probes

    def _triple(self, text: str, location: Location) -> list[Instruction]:
        self.consts.append(text)
        return [
            Instruction(LOAD_CONST, len(self.consts) - 1, location),
            Instruction(NEGATE, 0, location),
            Instruction(POP_TOP, 0, location),
        ]

    def _before(self, index: int, text: str) -> None:
        location = self.edit.instructions[index].location
        self.edit.insert_before(index, self._triple(text, location))

    def _after(self, index: int, text: str) -> None:
        location = self.edit.instructions[index].location
        self.edit.insert_after(index, self._triple(text, location))

    def _site(self, kind: str, name: str, span: Span | None, loop: Loop | None = None) -> int:
        return self.table.site(self.function, kind, name, span or (0, 0, 0, 0), loop)

    # --- entering and leaving

    def _frame_probes(self) -> None:
        """Insert the probes that run when the frame is entered and when an exception leaves it.

        They stand before RESUME or behind the last instruction, where no tracing function gets
        events.
        """
        names = [instruction.name for instruction in self.edit.instructions]
        resume = names.index("RESUME")
        first = names.index("RETURN_GENERATOR") if "RETURN_GENERATOR" in names[:resume] else resume
        part = PART_OF_CALLER if self.is_part else 0
        flags = part | self._of_module() | (DEFERRED if self.is_generator else 0)
        self._before(
            first,
            self.table.probe(Op.ENTER, flags=flags, what=self.function, extra=self.place_base),
        )
        if self.is_generator:
            flags &= ~DEFERRED
            start = self.table.probe(
                Op.START, flags=flags, what=self.function, extra=self.place_base
            )
            self._before(resume, start)
        unwind = self.table.probe(Op.UNWIND, flags=part, depth=1, extra=self.place_base)
        self.edit.appended = [
            *self._triple(unwind, NO_LOCATION),
            Instruction(RERAISE, 1, NO_LOCATION),
        ]
        self.edit.catch_all = resume

    def _of_module(self) -> int:
        """Return the flags of a module's body: GLOBAL, and CELL if its namespace is not certain."""
        if not self._is_module:
            return 0
        return GLOBAL | (CELL if self.table.namespace is Namespace.LOADED else 0)

    @property
    def _is_module(self) -> bool:
        is_body = self.code.co_name == "<module>"
        return is_body and self.table.namespace is not Namespace.OWN

    # --- one instruction

    def _probe_for(self, index: int, instruction: Instruction) -> None:
        name = instruction.name
        top = self.depths[index] - 1
        if name == "RETURN_VALUE":
            flags = PART_OF_CALLER if self.is_part else 0
            self._before(index, self.table.probe(Op.RETURN, flags=flags, depth=top))
        elif name == "RETURN_CONST":
            self._before(index, self.table.probe(Op.RETURN_CONST, extra=instruction.arg))
        elif name == "YIELD_VALUE":
            self._suspend(index, top)
        elif self.table.full:
            self._full_probe_for(index, instruction, name, top)

    def _suspend(self, index: int, top: int) -> None:
        resume = self.edit.instructions[index + 1]
        waits = resume.arg & 3 >= 2
        if not (waits and SEND_TOUCHES_YIELD):
            self._before(
                index, self.table.probe(Op.SUSPEND, flags=WAITS if waits else 0, depth=top)
            )
        self._after(
            index + 1,
            self.table.probe(
                Op.RESUME,
                flags=WAITS if waits else 0,
                depth=top,
                what=self.function,
                extra=self.place_base,
            ),
        )

    def _full_probe_for(self, index: int, instruction: Instruction, name: str, top: int) -> None:
        self._operand_arm(index, instruction)
        place = PLACES.get(name)
        if place is not None and (self.table.contents or name not in FOR_CONTENTS):
            place(self, index, instruction, top)

    def _set_attribute(self, index: int, instruction: Instruction, top: int) -> None:
        site = self._site("attribute", self.code.co_names[instruction.arg], instruction.span)
        probe = self.table.probe(
            Op.SET_ATTRIBUTE,
            flags=self._in_place(index),
            depth=top,
            what=site,
            extra=instruction.arg,
        )
        self._before(index, probe)

    def _delete_attribute(self, index: int, instruction: Instruction, top: int) -> None:
        site = self._site("attribute", self.code.co_names[instruction.arg], instruction.span)
        self._before(
            index,
            self.table.probe(Op.DELETE_ATTRIBUTE, depth=top, what=site, extra=instruction.arg),
        )

    def _set_item(self, index: int, instruction: Instruction, top: int) -> None:
        if not self._is_annotation(index):
            self._item(Op.SET_ITEM, index, instruction, top)

    def _delete_item(self, index: int, instruction: Instruction, top: int) -> None:
        self._item(Op.DELETE_ITEM, index, instruction, top)

    def _set_slice(self, index: int, instruction: Instruction, top: int) -> None:
        self._item(Op.SET_SLICE, index, instruction, top)

    def _item(self, op: Op, index: int, instruction: Instruction, top: int) -> None:
        site = self._site("item", "", instruction.span)
        flags = self._in_place(index)
        self._before(index, self.table.probe(op, flags=flags, depth=top, what=site))

    def _in_place(self, index: int) -> int:
        """Return IN_PLACE if the stored value comes from an operation such as `+=`."""
        while index and self.edit.instructions[index - 1].name in ("SWAP", "COPY"):
            index -= 1
        before = self.edit.instructions[index - 1]
        return IN_PLACE if before.name == "BINARY_OP" and before.arg >= FIRST_IN_PLACE else 0

    def _call(self, index: int, instruction: Instruction, top: int) -> None:
        """Insert a probe that looks at the callee and the arguments right before the call.

        It stands before KW_NAMES, which has to be directly before the call.
        """
        count = instruction.arg
        base = top - count - 1
        if instruction.name == "CALL_KW":
            base -= 1
        while index and self.edit.instructions[index - 1].name == "KW_NAMES":
            index -= 1
        if base >= 0:
            self._before(index, self.table.probe(Op.CALL, depth=base, extra=count))

    def _unpacking_call(self, index: int, instruction: Instruction, top: int) -> None:
        base = top - (instruction.arg & 1) - 2
        self._before(index, self.table.probe(Op.CALL, flags=UNPACKS, depth=base))

    def _load_attribute(self, index: int, instruction: Instruction, _top: int) -> None:
        """Insert a probe where the program gets an object's `__dict__`."""
        shift = instruction.name == "LOAD_ATTR" and ATTRIBUTE_SHIFT
        if self.code.co_names[instruction.arg >> shift] == "__dict__":
            self._before(index, self.table.probe(Op.EXPOSE))

    def _import_star(self, index: int, instruction: Instruction, _top: int) -> None:
        if instruction.name == "IMPORT_STAR" or instruction.arg == INTRINSIC_IMPORT_STAR:
            self._before(index, self.table.probe(Op.EXPOSE, flags=GLOBAL))

    def _is_of_others(self, index: int, name: str) -> bool:
        """Tell whether a global of an unknown module is set.

        No event can name the module; an EXPOSE probe makes the core compare the globals instead.
        """
        is_global = name.endswith("_GLOBAL")
        is_outer = is_global or (name.endswith("_NAME") and self.code.co_name == "<module>")
        if self.table.namespace is not Namespace.OWN or not is_outer:
            return False
        if self.table.contents:
            self._before(index, self.table.probe(Op.EXPOSE, flags=CELL))
        return is_global

    def _unbind(self, index: int, instruction: Instruction, _top: int) -> None:
        name = instruction.name
        if self._is_of_others(index, name):
            return
        site = self._site(self._kind(name), self._variable(instruction, name), instruction.span)
        flags, slot = 0, 0
        if name == "DELETE_DEREF" and self.table.contents:
            flags, slot = CELL, instruction.arg
        elif self._kind(name) == "global" and self.table.contents:
            flags, slot = GLOBAL, instruction.arg
        self._before(index, self.table.probe(Op.UNBIND, flags=flags, what=site, extra=slot))

    def _handled(self, index: int, _instruction: Instruction, _top: int) -> None:
        if self.edit.instructions[index + 1].opcode != RERAISE:
            self._before(index, self.table.probe(Op.HANDLED))

    # --- variables

    def _variable(self, instruction: Instruction, name: str) -> str:
        if name.endswith(("_NAME", "_GLOBAL")):
            return self.code.co_names[instruction.arg]
        return self._local(instruction.arg)

    def _local(self, slot: int) -> str:
        return str(self.code._varname_from_oparg(slot))  # type: ignore[attr-defined]

    def _kind(self, name: str) -> str:
        if name.endswith("_GLOBAL"):
            return "global"
        if name.endswith("_NAME"):
            return "global" if self._is_module else "class"
        return "local"

    def _two_stores(self, index: int, instruction: Instruction, top: int) -> None:
        self._bind(index, instruction, instruction.arg >> 4, top)
        self._bind(index, instruction, instruction.arg & 15, top - 1)

    def _store(self, index: int, instruction: Instruction, top: int) -> None:
        name = instruction.name
        following = self.edit.instructions[index + 1]
        is_at_once = following.span == instruction.span and following.arg == instruction.arg
        if following.name in DELETES and is_at_once:
            return  # the end of `except ... as e`: the delete is recorded
        if name == "STORE_FAST_LOAD_FAST":
            self._bind(index, instruction, instruction.arg >> 4, top)
            return
        if self._is_of_others(index, name):
            return
        variable = self._variable(instruction, name)
        if name.startswith("STORE_FAST"):
            self._bind(index, instruction, instruction.arg, top)
        elif not (variable in OWN_NAMES and not self.code.co_flags & OPTIMIZED):
            kind = self._kind(name)
            if name == "STORE_DEREF" and variable in self.code.co_freevars:
                kind = "nonlocal"
            site = self._site(kind, variable, instruction.span)
            flags, slot = self._in_place(index), 0
            if name == "STORE_DEREF" and self.table.contents:
                flags, slot = flags | CELL, instruction.arg
            elif kind == "global" and self.table.contents:
                flags, slot = flags | GLOBAL, instruction.arg
            probe = self.table.probe(Op.BIND, flags=flags, depth=top, what=site, extra=slot)
            self._before(index, probe)

    def _bind(self, index: int, instruction: Instruction, slot: int, top: int) -> None:
        """Record the store of a local variable.

        CPython does `text += more` in place only if the store directly follows the addition.  So
        there the probe stands behind the store and looks at the variable.
        """
        span = instruction.span
        if span in self.table.syntax.comprehension_spans:
            return  # restores a variable after an inlined comprehension has used its name
        before = self.edit.instructions[index - 1]
        if before.name == "FOR_ITER":
            return  # the event of the turn has the value
        site, flags = self._site("local", self._local(slot), span), self._in_place(index)
        is_sum = before.name == "BINARY_OP" and before.arg in ADDITIONS
        if is_sum and instruction.name == "STORE_FAST":
            self._after(index, self.table.probe(Op.BIND_SLOT, flags=flags, depth=slot, what=site))
        else:
            self._before(index, self.table.probe(Op.BIND, flags=flags, depth=top, what=site))

    def _is_annotation(self, index: int) -> bool:
        container = self.edit.instructions[index - 2]
        is_named = index >= 2 and container.name == "LOAD_NAME"
        return is_named and self.code.co_names[container.arg] == "__annotations__"

    # --- loops and arms

    def _loop_start(self, index: int, instruction: Instruction, top: int) -> None:
        loop = self.loops.of(instruction)
        if loop is None:
            return
        site = self._site(loop.kind, loop.name, loop.span, loop)
        self._before(index, self.table.probe(Op.LOOP, depth=top, what=site))

    def _turn(self, index: int, instruction: Instruction, top: int) -> None:
        loop = self.loops.of(instruction)
        span = instruction.span or (0, 0, 0, 0)
        if loop is None and self.code.co_name == "<genexpr>":
            loop = self.loops.first_of_expression(span)
        loop = loop or Loop("for", "", span, span)
        following = self.edit.instructions[index + 1]
        name = loop.name
        if following.name in STORES:
            # The name that the item is stored under: the event of the turn stands for the store.
            slot = following.arg >> 4 if following.name == "STORE_FAST_LOAD_FAST" else following.arg
            if following.name.startswith("STORE_FAST"):
                name = self._local(slot)
        site = self._site(loop.kind, name, loop.span, loop)
        self.edit.insert_after(
            index,
            self._triple(self.table.probe(Op.TURN, depth=top + 1, what=site), following.location),
        )

    def _operand_arm(self, index: int, instruction: Instruction) -> None:
        """Insert the probes of arms where an operand's code begins, and of asynchronous turns."""
        span = instruction.span
        if span is None:
            return
        loop = self.table.syntax.targets.get(span)
        previous = self.edit.instructions[index - 1].span if index else None
        if loop is not None and previous != span:
            site = self._site(loop.kind, loop.name, loop.span, loop)
            self._before(index, self.table.probe(Op.TURN, depth=self.depths[index] - 1, what=site))
        for operand, arm in self.table.syntax.operands.get(span[0], ()):
            if _inside(span, operand) and self._begins(index, operand):
                site = self._site(arm.kind, "", arm.span)
                self._before(index, self.table.probe(Op.ARM, what=site))

    def _begins(self, index: int, operand: Span) -> bool:
        """Tell whether an operand's code begins with this instruction.

        It never begins with a jump: 3.13 gives the jumps of a comprehension's `if` the span of the
        code that follows them.
        """
        if self.edit.instructions[index].opcode in JUMPS:
            return False
        for at in range(index - 1, -1, -1):
            earlier = self.edit.instructions[at]
            if earlier.span is None or not _inside(earlier.span, operand):
                return True
            if earlier.opcode not in JUMPS:
                return False
        return True

    def _marker(self, index: int, instruction: Instruction, _top: int) -> None:
        text = self.consts[instruction.arg]
        if not (isinstance(text, str) and text.startswith(PREFIX + "m")):
            return
        number = int(text[len(PREFIX) + 1 :])
        meaning = self.table.syntax.markers[number]
        if isinstance(meaning, Arm):
            site = self._site(meaning.kind, "", meaning.span)
            op = Op.ARM
        else:
            site = self._site(meaning.kind, meaning.name, meaning.span, meaning)
            op = Op.LOOP if number in self.table.syntax.starts else Op.TURN
        self.consts[instruction.arg] = self.table.probe(op, what=site)
        self._move_marker(index)

    def _move_marker(self, index: int) -> None:
        """Give a marker the location of the next instruction, so that no line is traced twice."""
        if index + 3 >= len(self.edit.instructions):
            return
        marker, following = self.edit.instructions[index], self.edit.instructions[index + 3]
        if marker.span and following.span and _inside(following.span, marker.span):
            for instruction in self.edit.instructions[index : index + 3]:
                instruction.location = following.location

    def _catch(self, index: int, _instruction: Instruction, top: int) -> None:
        kind, span = "finally", None
        for following in self.edit.instructions[index + 1 : index + 6]:
            if following.span:
                span = following.span
                if following.name == "WITH_EXCEPT_START":
                    kind = "with"
                elif any(_inside(span, handler) for handler in self.table.syntax.handler_types):
                    kind = "except"
                break
        site = self._site(kind, "", span)
        self._after(
            index, self.table.probe(Op.CATCH, depth=top + 1, what=site, extra=self.place_base)
        )


PLACES: dict[str, Callable[[Weaver, int, Instruction, int], None]] = {
    **dict.fromkeys(STORES, Weaver._store),
    **dict.fromkeys(DELETES, Weaver._unbind),
    "STORE_FAST_STORE_FAST": Weaver._two_stores,
    "STORE_ATTR": Weaver._set_attribute,
    "DELETE_ATTR": Weaver._delete_attribute,
    "STORE_SUBSCR": Weaver._set_item,
    "DELETE_SUBSCR": Weaver._delete_item,
    "STORE_SLICE": Weaver._set_slice,
    "GET_ITER": Weaver._loop_start,
    "FOR_ITER": Weaver._turn,
    "PUSH_EXC_INFO": Weaver._catch,
    "POP_EXCEPT": Weaver._handled,
    "LOAD_CONST": Weaver._marker,
    CALL_BEGINS: Weaver._call,
    "CALL_FUNCTION_EX": Weaver._unpacking_call,
    "LOAD_ATTR": Weaver._load_attribute,
    "LOAD_METHOD": Weaver._load_attribute,
    "CALL_KW": Weaver._call,
    "IMPORT_STAR": Weaver._import_star,
    "CALL_INTRINSIC_1": Weaver._import_star,
}
"""The methods that insert the probes of a full recording, by instruction."""
FOR_CONTENTS = frozenset(
    {
        CALL_BEGINS,
        "CALL_KW",
        "CALL_FUNCTION_EX",
        "LOAD_ATTR",
        "LOAD_METHOD",
        "IMPORT_STAR",
        "CALL_INTRINSIC_1",
    }
)
"""Instructions of `PLACES` that get probes only if the contents of objects are recorded."""


def _inside(inner: Span, outer: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
