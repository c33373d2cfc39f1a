"""The effect of each instruction: values taken and put on the operand stack, and its operation.

One table serves all versions of Python.  A few instructions do two things; `parts_of` splits them,
so that each part is at most one operation.
"""

import dis
import opcode
import sys
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

IS_312 = sys.version_info >= (3, 12)
IS_313 = sys.version_info >= (3, 13)

NOTHING = -1
"""In `Rule.gives`: a value that no operation made, such as the NULL below a callee."""
Part: TypeAlias = tuple[str, int]
"""Name and argument of an instruction, or of one half of it."""


def again(slot: int) -> int:
    """Return the code for a value that was taken and is put back; slot 0 was the deepest one."""
    return -2 - slot


class Rule(NamedTuple):
    """The effect of one instruction, or of one part of it."""

    takes: int
    """How many values it takes off the stack."""
    gives: tuple[int, ...] = ()
    """The values it puts there, the top last: outputs of its operation, NOTHING, or `again`."""
    kind: str = ""
    """The kind of its operation; empty: it only moves values."""
    name: str = ""
    """The name of its operation, if it follows from the instruction alone."""
    roles: tuple[str, ...] = ()
    """Roles of the values on top of the stack, the top last; an empty role: not an input."""
    jump: tuple[int, tuple[int, ...]] | None = None
    """The `takes` and `gives` that apply instead if it jumps."""


ONE = (0,)
_CONVERSIONS = ("", "!s", "!r", "!a")
_COMPARISON_SHIFT = 5 if IS_313 else 4 if IS_312 else 0
_NAMES_OF_UNARY = {
    "UNARY_NEGATIVE": "-",
    "UNARY_POSITIVE": "+",
    "UNARY_INVERT": "~",
    "UNARY_NOT": "not",
}


def parts_of(name: str, arg: int) -> tuple[Part, ...]:
    """Split an instruction that does several things, in their order."""
    if name not in _COMPOUND:
        return ((name, arg),)
    if name == "RETURN_CONST":
        return ("LOAD_CONST", arg), ("RETURN_VALUE", 0)
    if name == "LOAD_SUPER_ATTR":
        return ("CALL_SUPER", arg), ("LOAD_ATTR_OF_SUPER", arg)
    if name == "FORMAT_VALUE":
        convert = (("CONVERT_VALUE", arg & 3),) if arg & 3 else ()
        if arg & 4:
            # The value to be formatted lies below the format.
            convert = (("CONVERT_BELOW", arg & 3),) if arg & 3 else ()
            return *convert, ("FORMAT_WITH_SPEC", 0)
        return *convert, ("FORMAT_SIMPLE", 0)
    first, second = _COMPOUND[name]
    return (first, arg >> 4), (second, arg & 15)


_COMPOUND = {
    "RETURN_CONST": ("", ""),
    "LOAD_SUPER_ATTR": ("", ""),
    "FORMAT_VALUE": ("", ""),
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}


@cache
def rules_of(name: str, arg: int) -> tuple[tuple[Part, Rule], ...]:
    """Return the parts of an instruction with their rules; LookupError: unknown instruction."""
    return tuple([(part, _rule(*part)) for part in parts_of(name, arg)])


def _rule(name: str, arg: int) -> Rule:
    fixed = _FIXED.get(name)
    return fixed if fixed is not None else _BY_ARGUMENT[name](arg)


# --- Instructions whose rule does not depend on the argument -------------------------------------

_READ = Rule(0, ONE, "read")
_BRANCH = Rule(1, (), "branch", roles=("condition",), jump=(1, ()))
_STAYS = Rule(0)
_OBJECT, _KEY = "object", "key"

_FIXED: dict[str, Rule] = {
    **dict.fromkeys(
        (
            "NOP",
            "RESUME",
            "MAKE_CELL",
            "COPY_FREE_VARS",
            "SETUP_ANNOTATIONS",
            "GET_AWAITABLE",
            "GET_YIELD_FROM_ITER",
            "ASYNC_GEN_WRAP",
            "TO_BOOL",
        ),
        _STAYS,
    ),
    **dict.fromkeys(
        ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"), Rule(0, jump=(0, ()))
    ),
    **dict.fromkeys(("POP_TOP", "POP_EXCEPT"), Rule(1)),
    **dict.fromkeys(
        ("PUSH_NULL", "RETURN_GENERATOR", "LOAD_BUILD_CLASS", "LOAD_LOCALS", "LOAD_CLOSURE"),
        Rule(0, (NOTHING,)),
    ),
    "LOAD_FAST_AND_CLEAR": Rule(0, (NOTHING,)),
    # Values and variables
    "LOAD_CONST": Rule(0, ONE, "constant"),
    "LOAD_ASSERTION_ERROR": Rule(0, ONE, "other", "AssertionError"),
    **dict.fromkeys(
        (
            "LOAD_FAST",
            "LOAD_FAST_CHECK",
            "LOAD_DEREF",
            "LOAD_CLASSDEREF",
            "LOAD_NAME",
        ),
        _READ,
    ),
    **dict.fromkeys(("LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS"), Rule(1, ONE, "read")),
    **dict.fromkeys(
        ("STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_GLOBAL"),
        Rule(1, (), "store", roles=("value",)),
    ),
    **dict.fromkeys(
        ("DELETE_FAST", "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL"), Rule(0, (), "delete")
    ),
    # Parts of objects
    "STORE_ATTR": Rule(2, (), "store attribute", roles=("value", _OBJECT)),
    "DELETE_ATTR": Rule(1, (), "delete attribute", roles=(_OBJECT,)),
    "BINARY_SUBSCR": Rule(2, ONE, "item", roles=(_OBJECT, _KEY)),
    "STORE_SUBSCR": Rule(3, (), "store item", roles=("value", _OBJECT, _KEY)),
    "DELETE_SUBSCR": Rule(2, (), "delete item", roles=(_OBJECT, _KEY)),
    "BINARY_SLICE": Rule(3, ONE, "slice", roles=(_OBJECT, "start", "stop")),
    "STORE_SLICE": Rule(4, (), "store item", roles=("value", _OBJECT, "start", "stop")),
    # Operators
    **{name: Rule(1, ONE, "compute", text, ("operand",)) for name, text in _NAMES_OF_UNARY.items()},
    "FORMAT_SIMPLE": Rule(1, ONE, "compute", "format", ("operand",)),
    "FORMAT_WITH_SPEC": Rule(2, ONE, "compute", "format", ("operand", "format")),
    "GET_LEN": Rule(0, ONE, "compute", "length", ("operand",)),
    "MATCH_MAPPING": Rule(0, ONE, "compute", "is a mapping", ("operand",)),
    "MATCH_SEQUENCE": Rule(0, ONE, "compute", "is a sequence", ("operand",)),
    "MATCH_KEYS": Rule(0, ONE, "compute", "items", ("operand", "keys")),
    "MATCH_CLASS": Rule(3, ONE, "compute", "match", ("operand", "class", "names")),
    "CHECK_EXC_MATCH": Rule(1, ONE, "compute", "except", ("operand", "class")),
    "CHECK_EG_MATCH": Rule(2, (0, 1), "compute", "except*", ("operand", "class")),
    "PREP_RERAISE_STAR": Rule(2, (NOTHING,)),
    # Containers
    "LIST_TO_TUPLE": Rule(1, ONE, "make", "tuple", ("*",)),
    # Loops, generators, branches
    "GET_ITER": Rule(1, ONE, "iterate", roles=("what",)),
    "GET_AITER": Rule(1, ONE, "iterate", roles=("what",)),
    "GET_ANEXT": Rule(0, ONE, "next", roles=("iterator",)),
    "FOR_ITER": Rule(
        0, ONE, "next", roles=("iterator",), jump=(0, (NOTHING,)) if IS_312 else (1, ())
    ),
    "END_FOR": Rule(1 if IS_313 else 2),
    "END_ASYNC_FOR": Rule(2),
    "SEND": Rule(
        1,
        (NOTHING,),
        "wait",
        roles=("value", ""),
        jump=(1, (0,)) if IS_312 else (2, (0,)),
    ),
    "END_SEND": Rule(2, (again(1),)),
    "CLEANUP_THROW": Rule(3, (NOTHING, 0), "wait", roles=("value", "", "")),
    "YIELD_VALUE": Rule(1, ONE, "yield", roles=("value",)),
    "RETURN_VALUE": Rule(1, (), "return", roles=("value",)),
    **{
        f"POP_JUMP_{way}IF_{what}": _BRANCH
        for way in ("", "FORWARD_", "BACKWARD_")
        for what in ("TRUE", "FALSE", "NONE", "NOT_NONE")
    },
    **dict.fromkeys(
        ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"), _BRANCH._replace(jump=(0, ()))
    ),
    # Exceptions and `with`
    "PUSH_EXC_INFO": Rule(1, (NOTHING, 0), "caught"),
    "RERAISE": Rule(1),
    "BEFORE_WITH": Rule(1, (1, 0), "enter", roles=("manager",)),
    "BEFORE_ASYNC_WITH": Rule(1, (1, 0), "enter", roles=("manager",)),
    "WITH_EXCEPT_START": Rule(0, ONE, "leave", roles=("manager", "", "", "exception")),
    # Imports
    "IMPORT_NAME": Rule(2, ONE, "import"),
    "IMPORT_FROM": Rule(0, ONE, "import", roles=("module",)),
    "IMPORT_STAR": Rule(1, (), "import", "*", ("module",)),
    "PRINT_EXPR": Rule(1, (), "other", roles=("operand",)),
    # Halves of instructions
    "CALL_SUPER": Rule(3, ONE, "call", roles=("callee", "position", "position")),
    "SET_FUNCTION_ATTRIBUTE": Rule(2, (again(1),)),
}

# --- Instructions whose rule depends on the argument ---------------------------------------------


def _copy(arg: int) -> Rule:
    return Rule(arg, (*map(again, range(arg)), again(0)))


def _swap(arg: int) -> Rule:
    return Rule(arg, (again(arg - 1), *map(again, range(1, arg - 1)), again(0)))


def _global(arg: int) -> Rule:
    if not arg & 1:
        return _READ
    return Rule(0, (0, NOTHING) if IS_313 else (NOTHING, 0), "read")


def _attribute(gives_receiver: int) -> Rule:
    return Rule(1, (0, 1) if gives_receiver else ONE, "attribute", roles=(_OBJECT,))


def _plain_attribute(arg: int) -> Rule:
    return _attribute(arg & 1 if IS_312 else 0)


def _binary(arg: int) -> Rule:
    name = str(opcode._nb_ops[arg][1])  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public tells it
    return Rule(2, ONE, "compute", name, ("operand", "operand"))


def _compare(arg: int) -> Rule:
    name = dis.cmp_op[arg >> _COMPARISON_SHIFT]
    return Rule(2, ONE, "compute", name, ("operand", "operand"))


def _either(no: str, yes: str) -> Callable[[int], Rule]:
    rules = tuple(Rule(2, ONE, "compute", name, ("operand", "operand")) for name in (no, yes))
    return lambda arg: rules[arg]


def _convert(arg: int) -> Rule:
    return Rule(1, ONE, "compute", _CONVERSIONS[arg], ("operand",))


def _convert_below(arg: int) -> Rule:
    return Rule(2, (0, again(1)), "compute", _CONVERSIONS[arg], ("operand", ""))


def _make(name: str) -> Callable[[int], Rule]:
    return lambda arg: Rule(arg, ONE, "make", name, ("item",) * arg)


def _make_mapping(arg: int) -> Rule:
    return Rule(2 * arg, ONE, "make", "mapping", ("key", "item") * arg)


def _make_constant_keys(arg: int) -> Rule:
    return Rule(arg + 1, ONE, "make", "mapping", (*("item",) * arg, "keys"))


def _make_slice(arg: int) -> Rule:
    return Rule(arg, ONE, "make", "slice", ("start", "stop", "step")[:arg])


def _add(arg: int) -> Rule:
    return Rule(1, (), "add", roles=("container", *("",) * (arg - 1), "what"))


def _add_pair(arg: int) -> Rule:
    return Rule(2, (), "add", roles=("container", *("",) * (arg - 1), _KEY, "what"))


def _extend(arg: int) -> Rule:
    return Rule(1, (), "extend", roles=("container", *("",) * (arg - 1), "what"))


def _unpack(arg: int) -> Rule:
    return Rule(1, tuple(range(arg - 1, -1, -1)), "unpack", roles=("whole",))


def _unpack_rest(arg: int) -> Rule:
    before, count = arg & 0xFF, (arg & 0xFF) + 1 + (arg >> 8)
    return Rule(1, tuple(range(count - 1, -1, -1)), "unpack", f"*{before}", ("whole",))


def _call(arg: int) -> Rule:
    return Rule(arg + 2, ONE, "call")


def _call_names(arg: int) -> Rule:
    return Rule(arg + 3, ONE, "call")


def _call_unpacked(arg: int) -> Rule:
    return Rule(3 + (arg & 1), ONE, "call")


def _function(arg: int) -> Rule:
    return Rule(1 + (0 if IS_313 else arg.bit_count()), ONE, "function")


def _raise(arg: int) -> Rule:
    return Rule(arg, (), "raise", roles=("value", "cause")[:arg])


def _one_intrinsic(arg: int) -> Rule:
    known = {
        2: Rule(1, (NOTHING,), "import", "*", ("module",)),
        3: _STAYS,  # replaces a StopIteration, which may not leave a generator
        4: _STAYS,  # wraps the value that an asynchronous generator yields
        5: Rule(1, ONE, "compute", "+", ("operand",)),
        6: Rule(1, ONE, "make", "tuple", ("*",)),
    }
    return known.get(arg, Rule(1, ONE, "other", roles=("operand",)))


def _two_intrinsic(arg: int) -> Rule:
    if arg == 1:
        return Rule(2, (NOTHING,))
    if arg == 4:
        return Rule(2, (again(0),))
    return Rule(2, ONE, "other", roles=("operand", "operand"))


_BY_ARGUMENT: dict[str, Callable[[int], Rule]] = {
    "COPY": _copy,
    "SWAP": _swap,
    "LOAD_GLOBAL": _global,
    "LOAD_ATTR": _plain_attribute,
    "LOAD_METHOD": lambda _: _attribute(1),
    "LOAD_ATTR_OF_SUPER": lambda arg: _attribute(arg & 1),
    "BINARY_OP": _binary,
    "COMPARE_OP": _compare,
    "IS_OP": _either("is", "is not"),
    "CONTAINS_OP": _either("in", "not in"),
    "CONVERT_VALUE": _convert,
    "CONVERT_BELOW": _convert_below,
    "BUILD_LIST": _make("list"),
    "BUILD_TUPLE": _make("tuple"),
    "BUILD_SET": _make("set"),
    "BUILD_STRING": _make("text"),
    "BUILD_MAP": _make_mapping,
    "BUILD_CONST_KEY_MAP": _make_constant_keys,
    "BUILD_SLICE": _make_slice,
    "LIST_APPEND": _add,
    "SET_ADD": _add,
    "MAP_ADD": _add_pair,
    "LIST_EXTEND": _extend,
    "SET_UPDATE": _extend,
    "DICT_UPDATE": _extend,
    "DICT_MERGE": _extend,
    "UNPACK_SEQUENCE": _unpack,
    "UNPACK_EX": _unpack_rest,
    "CALL": _call,
    "CALL_KW": _call_names,
    "CALL_FUNCTION_EX": _call_unpacked,
    "MAKE_FUNCTION": _function,
    "RAISE_VARARGS": _raise,
    "CALL_INTRINSIC_1": _one_intrinsic,
    "CALL_INTRINSIC_2": _two_intrinsic,
}
