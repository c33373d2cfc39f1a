"""Chooses the probes of one code object and inserts them.

A probe is a constant; `load, negate, pop` runs it.  It changes nothing on the stack, and knows the
depth of the values that it has to look at.  `_core/probes/probe_*.c` have the code of each kind.
"""

import dis
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from types import CodeType

from sleuth.record.rewrite import bytecode, stack
from sleuth.record.rewrite.bytecode import JUMPS, NO_LOCATION, Edit, Instruction, Location, Span
from sleuth.record.rewrite.compiling import Namespace
from sleuth.record.rewrite.syntax import (
    INLINES_COMPREHENSIONS,
    PREFIX,
    Arm,
    Loop,
    Syntax,
)

COMPREHENSION_NAMES = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
"""Code objects that count as part of the enclosing call: comprehensions on 3.11."""
GENERATOR_FLAGS = 0x20 | 0x80 | 0x200
OPTIMIZED = 0x1
NOTHING = 0xFFFF
"""The depth of a probe that looks at no value."""

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


class Op(IntEnum):
    """The kinds of probe; the numbers are shared with `_core/probes/probe.h`."""

    ENTER = 1
    START = 2
    RETURN = 3
    RETURN_CONST = 4
    SUSPEND = 5
    RESUME = 6
    UNWIND = 7
    CATCH = 8
    LOOP = 9
    TURN = 10
    ARM = 11
    BIND = 12
    BIND_SLOT = 13
    UNBIND = 14
    SET_ATTRIBUTE = 15
    DELETE_ATTRIBUTE = 16
    SET_ITEM = 17
    DELETE_ITEM = 18
    SET_SLICE = 19
    HANDLED = 20
    CALL = 21
    EXPOSE = 22


NAMED = frozenset({Op.TURN, Op.BIND, Op.BIND_SLOT, Op.SET_ATTRIBUTE})
"""Probes that record a value under the name of their site."""

# Flags of probes; what a flag means depends on the kind of probe.
DEFERRED = 1
PART_OF_CALLER = 2
WAITS = 4
IN_PLACE = 8
UNPACKS = 16
SECRET = 32
CELL = 64
GLOBAL = 128
FLAGS = {
    "DEFERRED": DEFERRED,
    "PART": PART_OF_CALLER,
    "WAITS": WAITS,
    "IN_PLACE": IN_PLACE,
    "UNPACKS": UNPACKS,
    "SECRET": SECRET,
    "CELL": CELL,
    "GLOBAL": GLOBAL,
}
"""All flags by their names in the C core."""

STORES = {
    "STORE_FAST",
    "STORE_NAME",
    "STORE_GLOBAL",
    "STORE_DEREF",
    "STORE_FAST_LOAD_FAST",
    "STORE_FAST_MAYBE_NULL",
}
GLOBAL_READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
FREE_READS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
DELETES = {"DELETE_FAST", "DELETE_NAME", "DELETE_GLOBAL", "DELETE_DEREF"}


@dataclass(slots=True)
class Site:
    """A place in the source where something is recorded; ids begin with 0 in each module."""

    id: int
    function: int
    kind: str
    name: str
    span: Span
    loop: Loop | None = None


@dataclass(slots=True)
class Table:
    """The probes and sites of one module, as its code objects are rewritten one by one."""

    syntax: Syntax
    full: bool
    is_secret: Callable[[str], bool]
    contents: bool = True
    namespace: Namespace = Namespace.MODULE
    probes: list[bytes] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    site_ids: dict[tuple[int, str, str, Span], int] = field(default_factory=dict)

    def probe(
        self, op: Op, *, flags: int = 0, depth: int = NOTHING, what: int = 0, extra: int = 0
    ) -> str:
        """Add a probe; return its placeholder, which the program's process replaces by it."""
        if op in NAMED and self.is_secret(self.sites[what].name):
            flags |= SECRET
        self.probes.append(struct.pack("<BBHII", op, flags, depth, what, extra))
        return f"{PREFIX}{len(self.probes) - 1}"

    def site(
        self, function: int, kind: str, name: str, span: Span, loop: Loop | None = None
    ) -> int:
        """Return the id of a site, new or known; copies of a `finally` body share their sites."""
        key = function, kind, name, span
        found = self.site_ids.get(key)
        if found is None:
            found = self.site_ids[key] = len(self.sites)
            self.sites.append(Site(found, function, kind, name, span, loop))
        return found


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
        self.loops_seen: dict[Span, int] = {}

    def woven(self, consts: list[object]) -> CodeType:
        """Insert all probes; `consts` are the code's constants with rewritten inner code."""
        self.consts = consts
        self._frame_probes()
        for index, instruction in enumerate(self.edit.instructions):
            if self.depths[index] >= 0:
                self._probe_for(index, instruction)
        size = max(self.code.co_stacksize + 1, 3)
        return bytecode.put_together(self.edit, tuple(self.consts), size)

    def uses(self) -> list[tuple[str, int]]:
        """Return the globals and free variables that the code reads, each with its lines."""
        found: dict[tuple[str, int], None] = {}
        for instruction in self.edit.instructions:
            name = self._read(instruction) if instruction.span else ""
            if name and instruction.span:
                found[name, instruction.span[0]] = None
        return list(found)

    def _read(self, instruction: Instruction) -> str:
        if instruction.name in GLOBAL_READS:
            return self.code.co_names[instruction.arg >> (instruction.name == "LOAD_GLOBAL")]
        if instruction.name in FREE_READS:
            name = str(self.code._varname_from_oparg(instruction.arg))  # type: ignore[attr-defined]
            return name if name in self.code.co_freevars else ""
        return ""

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
            self._before(
                resume,
                self.table.probe(
                    Op.START,
                    flags=part | self._of_module(),
                    what=self.function,
                    extra=self.place_base,
                ),
            )
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
        return str(self.code._varname_from_oparg(instruction.arg))  # type: ignore[attr-defined]

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
        name = str(self.code._varname_from_oparg(slot))  # type: ignore[attr-defined]
        site = self._site("local", name, span)
        if (
            before.name == "BINARY_OP"
            and before.arg in ADDITIONS
            and instruction.name == "STORE_FAST"
        ):
            flags = self._in_place(index)
            self._after(index, self.table.probe(Op.BIND_SLOT, flags=flags, depth=slot, what=site))
        else:
            flags = self._in_place(index)
            self._before(index, self.table.probe(Op.BIND, flags=flags, depth=top, what=site))

    def _is_annotation(self, index: int) -> bool:
        container = self.edit.instructions[index - 2]
        return (
            index >= 2
            and container.name in ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST")
            and not self.code.co_flags & OPTIMIZED
            and "__annotations__" in self.code.co_names
            and container.name == "LOAD_NAME"
            and self.code.co_names[container.arg] == "__annotations__"
        )

    # --- loops and arms

    def _loop_of(self, instruction: Instruction) -> Loop | None:
        syntax = self.table.syntax
        span = instruction.span
        if span is None:
            return None
        if span in syntax.generators_at:
            return self._comprehension_loop(span, instruction.name)
        return syntax.loop_at.get(span)

    def _comprehension_loop(self, span: Span, name: str) -> Loop | None:
        """Find a loop of a comprehension by order: all of them have the comprehension's span."""
        loops = self.table.syntax.generators_at[span]
        if span in self.table.syntax.lazy_spans and self.code.co_name != "<genexpr>":
            return None  # the iterable, which is evaluated before there is a generator
        seen = self.loops_seen.get(span, 0)
        if name == "FOR_ITER":
            self.loops_seen[span] = seen + 1
        return loops[seen % len(loops)]

    def _loop_start(self, index: int, instruction: Instruction, top: int) -> None:
        loop = self._loop_of(instruction)
        if loop is None:
            return
        site = self._site(loop.kind, loop.name, loop.span, loop)
        self._before(index, self.table.probe(Op.LOOP, depth=top, what=site))

    def _turn(self, index: int, instruction: Instruction, top: int) -> None:
        loop = self._loop_of(instruction)
        span = instruction.span or (0, 0, 0, 0)
        if loop is None and self.code.co_name == "<genexpr>":
            loop = self._first_loop_of_expression(span)
        loop = loop or Loop("for", "", span, span)
        following = self.edit.instructions[index + 1]
        name = loop.name
        if following.name in STORES:
            # The name that the item is stored under: the event of the turn stands for the store.
            slot = following.arg >> 4 if following.name == "STORE_FAST_LOAD_FAST" else following.arg
            if following.name.startswith("STORE_FAST"):
                name = str(self.code._varname_from_oparg(slot))  # type: ignore[attr-defined]
        site = self._site(loop.kind, name, loop.span, loop)
        self.edit.insert_after(
            index,
            self._triple(self.table.probe(Op.TURN, depth=top + 1, what=site), following.location),
        )

    def _first_loop_of_expression(self, span: Span) -> Loop | None:
        for loops in self.table.syntax.generators_at.values():
            end = loops[0].span
            if end[2:] == span[2:] and end[:2] <= span[:2]:
                return loops[0]
        return None

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
