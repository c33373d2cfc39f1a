"""Names and scopes of the variables that instructions read and set."""

from types import CodeType

from sleuth.record.rewrite.bytecode import Span
from sleuth.record.rewrite.flow.opcodes import IS_312, IS_313
from sleuth.record.rewrite.flow.steps import Frame
from sleuth.record.rewrite.weaver import OPTIMIZED, OWN_NAMES

NAME_SHIFT = {
    "LOAD_ATTR": 1 if IS_312 else 0,
    "LOAD_METHOD": 0,
    "LOAD_ATTR_OF_SUPER": 2,
    "STORE_ATTR": 0,
    "DELETE_ATTR": 0,
    "IMPORT_NAME": 0,
    "IMPORT_FROM": 0,
}
"""The number of flag bits below the name's number in the argument of an instruction."""
IN_FRAME = ("_FAST", "_FAST_CHECK", "_DEREF")
"""Endings of the instructions whose argument is the number of a variable in the frame."""
_COMPILERS = OWN_NAMES | {"__classdict__"}


def name_and_scope(frame: Frame, instruction: str, arg: int) -> tuple[str, str]:
    """Return the name and the scope of the variable that an instruction reads or sets."""
    code = frame.code
    if instruction == "LOAD_GLOBAL":
        return code.co_names[arg >> 1], "global"
    if instruction.endswith("_NAME"):
        return code.co_names[arg], "global" if frame.is_module else "class"
    if instruction.endswith(("_GLOBAL", "_GLOBALS")):
        return code.co_names[arg], "global"
    name = str(code._varname_from_oparg(arg))  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public tells it
    is_shared = name in code.co_cellvars or name in code.co_freevars
    if frame.around is not None:
        depth = _depth(frame, name)
        return name, inner(depth) if depth else "cell"
    return name, "cell" if is_shared else "local"


def inner(depth: int) -> str:
    """Return the scope of a comprehension's variable; `depth` counts nested ones of its name."""
    return "inner" if depth == 1 else f"inner {depth}"


def _depth(frame: Frame, name: str) -> int:
    """Count the nested comprehensions that have a variable of this name."""
    count = 0
    at: Frame | None = frame
    while at is not None and at.around is not None:
        count += name in at.code.co_varnames or name in at.code.co_cellvars
        at = at.around
    return count


def is_shared(code: CodeType, arg: int) -> bool:
    """Tell whether LOAD_FAST loads a cell, for the closure of an inner function (3.13)."""
    if not IS_313:
        return False
    if arg < len(code.co_varnames):
        return code.co_varnames[arg] in code.co_cellvars
    return True


def is_of_class(code: CodeType, name: str, span: Span | None) -> bool:
    """Tell whether the compiler, and not the source, stores a name in the body of a class."""
    if code.co_flags & OPTIMIZED or name not in _COMPILERS:
        return False
    is_settable = name in ("__module__", "__qualname__", "__annotations__")
    return not is_settable or span is None or span[:2] == span[2:]
