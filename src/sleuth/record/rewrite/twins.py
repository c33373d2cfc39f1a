"""Makes the twins of recorded code objects: the same code without probes.

Code that reads bytecode in the program (`dis`, a compiler such as numba's) is shown the twin, and
offsets of running instructions are given as offsets in the twin.  So a twin consists of the tables
of the plainly compiled code, the place of each of its constants among those of the recorded code,
and a map of the offsets.

Because of the markers that `syntax.py` puts into the tree, the compiler lays out some jumps and
exits differently.  So the two lists of instructions are aligned, and an instruction without a
counterpart is mapped to a plain instruction for the same piece of source.
"""

import dis
import struct
from collections.abc import Sequence
from difflib import SequenceMatcher
from types import CodeType

from sleuth.record.rewrite import bytecode
from sleuth.record.rewrite.bytecode import CACHES, JUMPS, Edit, Instruction, Location
from sleuth.record.rewrite.syntax import PREFIX

LOAD_CONST = dis.opmap["LOAD_CONST"]
NOP = dis.opmap["NOP"]
NO_OWN_ARGUMENT = JUMPS | frozenset(dis.hasconst)
"""Instructions whose argument depends on the layout of the code, or on its constants."""
NONE = struct.pack("<6I", 0, 0, 0, 0, 0, 0)
"""The packed form of "no twin"."""

TESTS = frozenset(op for name, op in dis.opmap.items() if "JUMP_IF" in name)
"""Conditional jumps: in another layout some of them test for the opposite."""

Key = tuple[int, int, Location]


def twin(plain: CodeType, edit: Edit, marked: CodeType) -> bytes:
    """Return the packed twin of code made by an edit, as `_core/twins/twins.c` reads it.

    NONE: the constants don't match, so there is no twin.
    """
    places = _places(plain.co_consts, marked.co_consts)
    if places is None:
        return NONE
    constants = b"".join(_number(place) for place in places)
    offsets = _map(plain, edit, marked)
    parts = plain.co_code, plain.co_linetable, plain.co_exceptiontable, constants, offsets
    sizes = (len(part) for part in parts)
    return struct.pack("<6I", plain.co_stacksize, *sizes) + b"".join(parts)


def inner(plain: CodeType | None, marked: CodeType) -> list[CodeType | None]:
    """Return the plain form of each code object among the constants; None: not known."""
    theirs = [const for const in marked.co_consts if isinstance(const, CodeType)]
    ours = [const for const in plain.co_consts if isinstance(const, CodeType)] if plain else []
    if [_code_key(code) for code in theirs] != [_code_key(code) for code in ours]:
        return [None] * len(theirs)
    return [*ours]


def _code_key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _places(plain: Sequence[object], marked: Sequence[object]) -> list[int] | None:
    """Return the index of each plain constant among the marked ones, which have the same order.

    None: a constant is missing there.
    """
    places: list[int] = []
    at = 0
    for const in plain:
        while at < len(marked) and not _is_same(const, marked[at]):
            at += 1
        if at == len(marked):
            return None
        places.append(at)
        at += 1
    return places


def _is_same(one: object, other: object) -> bool:
    """Compare constants by type and value: 1, 1.0, True and -0.0 are all different."""
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _code_key(one) == _code_key(other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, (float, complex)):
        return repr(one) == repr(other)
    return one == other


# --- the map of offsets -----------------------------------------------------------------------


def _map(plain: CodeType, edit: Edit, marked: CodeType) -> bytes:
    """Return the map of offsets as runs of units: length, whether inserted, place in plain code.

    Each place is written as its distance from the expected one: a run that is not inserted advances
    the place, an inserted one does not.  Extra EXTENDED_ARGs of the recorded code count as part of
    their instruction.
    """
    instructions = bytecode.take_apart(plain).instructions
    starts = _starts(instructions, plain)
    own = _own(edit, marked)
    found = dict(zip(map(id, own), _aligned(own, instructions), strict=True))
    _claim_idle(edit, found, instructions)
    _claim_idle_lines(edit, found, instructions, marked)
    lines = _by_line(instructions)
    runs: list[tuple[int, bool, int]] = []
    following = len(instructions)
    for item, size in reversed(edit.laid_out):
        index = found.get(id(item), -1)
        if index < 0:
            runs.append((size, True, starts[_near(item, following, instructions, lines)]))
            continue
        start, end = starts[index], starts[index + 1]
        longer = max(0, size - (end - start))
        runs.append((size - longer, False, max(start, end - size)))
        following = index
        if longer:
            runs.append((longer, False, start))
    return _packed(_merged(runs[::-1]))


def _claim_idle(edit: Edit, found: dict[int, int], plain: list[Instruction]) -> None:
    """Map a probe to a NOP of the same location that the compiler left out because of the probe."""
    idle: dict[Location, list[int]] = {}
    for index in sorted(set(range(len(plain))) - set(found.values())):
        if plain[index].opcode == NOP:
            idle.setdefault(plain[index].location, []).append(index)
    for item, _size in edit.laid_out:
        if id(item) not in found and idle.get(item.location):
            found[id(item)] = idle[item.location].pop(0)


def _claim_idle_lines(
    edit: Edit, found: dict[int, int], plain: list[Instruction], marked: CodeType
) -> None:
    """Map a marker to a NOP on its line, such as the one that `pass` compiles to.

    Their locations differ: a marker has that of the statement, the NOP that of a part of it.
    """
    idle: dict[int | None, list[int]] = {}
    for index in sorted(set(range(len(plain))) - set(found.values())):
        if plain[index].opcode == NOP:
            idle.setdefault(plain[index].location[0], []).append(index)
    for item in edit.instructions if idle else ():
        if id(item) not in found and _is_marker(item, marked) and idle.get(item.location[0]):
            found[id(item)] = idle[item.location[0]].pop(0)


def _by_line(plain: list[Instruction]) -> dict[int, list[int]]:
    lines: dict[int, list[int]] = {}
    for index, instruction in enumerate(plain):
        if instruction.location[0] is not None:
            lines.setdefault(instruction.location[0], []).append(index)
    return lines


def _near(
    item: Instruction, following: int, plain: list[Instruction], lines: dict[int, list[int]]
) -> int:
    """Return the plain index for an inserted instruction: the following one, or one of its line."""
    line = item.location[0]
    is_same = following < len(plain) and plain[following].location[0] == line
    if line is None or is_same or line not in lines:
        return following
    return _nearest(lines[line], following)


def _nearest(places: list[int], to: int) -> int:
    return min(places, key=lambda place: abs(place - to))


def _starts(instructions: list[Instruction], code: CodeType) -> list[int]:
    """Return the unit at which each instruction begins, its EXTENDED_ARGs included."""
    raw = code.co_code
    starts = [0]
    for instruction in instructions:
        at = starts[-1]
        while raw[2 * at] == bytecode.EXTENDED_ARG:
            at += 1
        starts.append(at + 1 + CACHES[instruction.opcode])
    return starts


def _merged(runs: list[tuple[int, bool, int]]) -> list[tuple[int, bool, int]]:
    merged: list[tuple[int, bool, int]] = []
    for size, is_inserted, place in runs:
        if merged:
            before, was_inserted, since = merged[-1]
            if is_inserted == was_inserted and place == since + (0 if is_inserted else before):
                merged[-1] = before + size, is_inserted, since
                continue
        merged.append((size, is_inserted, place))
    return merged


def _packed(runs: list[tuple[int, bool, int]]) -> bytes:
    out = bytearray()
    expected = 0
    for size, is_inserted, place in runs:
        off = place - expected
        out += _number(size << 1 | is_inserted)
        out += _number(-off << 1 | 1 if off < 0 else off << 1)
        expected = place + (0 if is_inserted else size)
    return bytes(out)


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(0x80 | value & 0x7F)
        value >>= 7
    out.append(value)
    return bytes(out)


# --- which instruction is which ---------------------------------------------------------------


def _own(edit: Edit, marked: CodeType) -> list[Instruction]:
    """Return the instructions of the program, without the three of each marker."""
    own: list[Instruction] = []
    skip = 0
    for instruction in edit.instructions:
        if skip:
            skip -= 1
        elif _is_marker(instruction, marked):
            skip = 2
        else:
            own.append(instruction)
    return own


def _is_marker(instruction: Instruction, marked: CodeType) -> bool:
    if instruction.opcode != LOAD_CONST:
        return False
    const = marked.co_consts[instruction.arg]
    return isinstance(const, str) and const.startswith(PREFIX)


def _aligned(own: list[Instruction], plain: list[Instruction]) -> list[int]:
    """Return for each instruction the index of its counterpart in the plain code, or -1."""
    theirs = [_key(instruction) for instruction in own]
    ours = [_key(instruction) for instruction in plain]
    if theirs == ours:
        return list(range(len(ours)))
    found = [-1] * len(theirs)
    first = 0
    while first < min(len(theirs), len(ours)) and theirs[first] == ours[first]:
        found[first] = first
        first += 1
    matcher = SequenceMatcher(None, theirs[first:], ours[first:], autojunk=False)
    for their, our, size in matcher.get_matching_blocks():
        for index in range(size):
            found[first + their + index] = first + our + index
    return _filled(found, theirs, ours)


def _filled(found: list[int], theirs: list[Key], ours: list[Key]) -> list[int]:
    """Map instructions without a counterpart to the nearest plain one of the same kind and span."""
    alike: dict[Key, list[int]] = {}
    for index, key in enumerate(ours):
        alike.setdefault(_loosely(key), []).append(index)
    previous = 0
    for index, key in enumerate(theirs):
        if found[index] < 0:
            found[index] = _nearest(alike.get(_loosely(key), [-1]), previous)
        previous = found[index] if found[index] >= 0 else previous
    return found


def _loosely(key: Key) -> Key:
    return (-1 if key[0] in TESTS else key[0], *key[1:])


def _key(instruction: Instruction) -> Key:
    arg = 0 if instruction.opcode in NO_OWN_ARGUMENT else instruction.arg
    return instruction.opcode, arg, instruction.location
