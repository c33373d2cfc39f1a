"""Names of globals and free variables that code reads."""

from collections.abc import Iterable
from types import CodeType

from sleuth.record.rewrite.bytecode import Instruction

_GLOBAL_READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_FREE_READS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}


def names_read(code: CodeType, instructions: Iterable[Instruction]) -> list[tuple[str, int]]:
    """Return the names that the instructions of some code read, each once a line."""
    found: dict[tuple[str, int], None] = {}
    for instruction in instructions:
        name = _read(code, instruction) if instruction.span else ""
        if name and instruction.span:
            found[name, instruction.span[0]] = None
    return list(found)


def _read(code: CodeType, instruction: Instruction) -> str:
    if instruction.name in _GLOBAL_READS:
        return code.co_names[instruction.arg >> (instruction.name == "LOAD_GLOBAL")]
    if instruction.name in _FREE_READS:
        name = str(code._varname_from_oparg(instruction.arg))  # type: ignore[attr-defined]
        return name if name in code.co_freevars else ""
    return ""
