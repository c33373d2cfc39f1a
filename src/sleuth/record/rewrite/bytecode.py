"""Takes a code object apart, inserts instructions, and puts it together again.

An edit only inserts: no instruction is removed or moved.  So one rule carries over the jumps, the
exception table and the table of positions, and an edit that inserts nothing gives an equal code
object (a test checks this for the standard library).
"""

import dis
import opcode
import sys
from dataclasses import dataclass, field
from types import CodeType

Span = tuple[int, int, int, int]
"""Line, column, end line, end column."""

Location = tuple[int | None, int | None, int | None, int | None]
"""Line, end line, column, end column, as `co_positions` gives them."""

NO_LOCATION: Location = (None, None, None, None)
EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]
JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
BACKWARD = frozenset(op for name, op in dis.opmap.items() if "JUMP_BACKWARD" in name)
# From 3.12 on the compiler writes one entry for neighbours with the same location.
MERGES_LOCATIONS = sys.version_info >= (3, 12)


def _cache_sizes() -> list[int]:
    """Return the number of inline cache entries of each opcode; 3.13 lists them by name."""
    known = opcode._inline_cache_entries  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public tells it
    if isinstance(known, dict):
        sizes = [0] * 256
        for name, size in known.items():
            sizes[dis.opmap[name]] = size
        return sizes
    return list(known)


CACHES = _cache_sizes()


@dataclass(slots=True)
class Instruction:
    """One instruction; `target` of a jump is the index of an instruction, not a distance."""

    opcode: int
    arg: int
    location: Location
    target: int = -1

    @property
    def name(self) -> str:
        """The instruction's name."""
        return dis.opname[self.opcode]

    @property
    def span(self) -> Span | None:
        """The span in the source; None: the compiler gave it none."""
        line, end_line, column, end_column = self.location
        if line is None or end_line is None or column is None or end_column is None:
            return None
        return line, column, end_line, end_column


@dataclass(slots=True)
class Handler:
    """An entry of the exception table, with indexes of instructions; `end` is exclusive."""

    start: int
    end: int
    target: int
    depth: int
    keeps_place: bool
    """Whether the interpreter pushes the place of the exception (`lasti`) for the handler."""


@dataclass(slots=True)
class Edit:
    """A code object in pieces, and the instructions that are inserted."""

    code: CodeType
    instructions: list[Instruction]
    handlers: list[Handler]
    units: list[int] = field(default_factory=list)
    """Offset of each instruction in units of two bytes; the last entry is the end of the code."""
    before: dict[int, list[Instruction]] = field(default_factory=dict)
    """New instructions before an instruction; jumps to it land on them."""
    after: dict[int, list[Instruction]] = field(default_factory=dict)
    """New instructions behind an instruction; jumps to the next one skip them."""
    appended: list[Instruction] = field(default_factory=list)
    catch_all: int = -1
    """From this instruction on, an exception that no handler covers leads to `appended`."""
    laid_out: list[tuple[Instruction, int]] = field(default_factory=list)
    """All instructions in order, with their sizes; filled in by `put_together`."""

    def insert_before(self, index: int, new: list[Instruction]) -> None:
        """Insert before an instruction, after earlier insertions there."""
        self.before.setdefault(index, []).extend(new)

    def insert_after(self, index: int, new: list[Instruction]) -> None:
        """Insert behind an instruction, after earlier insertions there."""
        self.after.setdefault(index, []).extend(new)


def take_apart(code: CodeType) -> Edit:
    """Decode instructions, jumps, positions and the exception table."""
    raw = code.co_code
    locations = list(code.co_positions())
    instructions: list[Instruction] = []
    index_of: dict[int, int] = {}
    jumps: list[tuple[int, int]] = []
    unit, total, arg, start = 0, len(raw) // 2, 0, 0
    while unit < total:
        op = raw[2 * unit]
        arg = arg << 8 | raw[2 * unit + 1]
        index_of[start] = len(instructions)
        unit += 1
        if op == EXTENDED_ARG:
            continue
        unit += CACHES[op]
        if op in JUMPS:
            jumps.append((len(instructions), unit - arg if op in BACKWARD else unit + arg))
        instructions.append(Instruction(op, arg, locations[start]))
        arg, start = 0, unit
    index_of[total] = len(instructions)
    for index, target in jumps:
        instructions[index].target = index_of[target]
    handlers = [
        Handler(index_of[first], index_of[last], index_of[target], depth, lasti)
        for first, last, target, depth, lasti in _parse_exception_table(code.co_exceptiontable)
    ]
    return Edit(code, instructions, handlers, list(index_of))


def put_together(edit: Edit, consts: tuple[object, ...], stack: int) -> CodeType:
    """Make the code object with everything inserted."""
    items, labels, selves = _laid_out(edit)
    offsets = _relaxed(items, labels)
    raw = bytearray()
    for position, item in enumerate(items):
        _emit(raw, item, _distance(item, position, offsets, labels))
    first = edit.code.co_firstlineno
    sizes = [offsets[i + 1] - offsets[i] for i in range(len(items))]
    edit.laid_out = list(zip(items, sizes, strict=True))
    return edit.code.replace(
        co_code=bytes(raw),
        co_consts=consts,
        co_linetable=_location_table(items, sizes, first),
        co_exceptiontable=_exception_table(edit, labels, selves, offsets),
        co_stacksize=stack,
    )


def _laid_out(edit: Edit) -> tuple[list[Instruction], list[int], list[int]]:
    """List all instructions in order.

    Also return for each original one the index where jumps to it land, and its own index.
    """
    items: list[Instruction] = []
    labels: list[int] = []
    selves: list[int] = []
    for index, instruction in enumerate(edit.instructions):
        labels.append(len(items))
        items.extend(edit.before.get(index, ()))
        selves.append(len(items))
        items.append(instruction)
        items.extend(edit.after.get(index, ()))
    labels.append(len(items))
    items.extend(edit.appended)
    return items, labels, selves


def _distance(item: Instruction, position: int, offsets: list[int], labels: list[int]) -> int:
    if item.target < 0:
        return item.arg
    distance = offsets[labels[item.target]] - offsets[position + 1]
    return -distance if item.opcode in BACKWARD else distance


def _extensions(arg: int) -> int:
    return (arg > 0xFF) + (arg > 0xFFFF) + (arg > 0xFFFFFF)


def _relaxed(items: list[Instruction], labels: list[int]) -> list[int]:
    """Return each instruction's offset; repeats, since a longer jump can lengthen others."""
    sizes = [
        1 + CACHES[item.opcode] + _extensions(item.arg if item.target < 0 else 0) for item in items
    ]
    jumps = [position for position, item in enumerate(items) if item.target >= 0]
    while True:
        offsets = [0]
        for size in sizes:
            offsets.append(offsets[-1] + size)
        grown = False
        for position in jumps:
            item = items[position]
            needed = (
                1 + CACHES[item.opcode] + _extensions(_distance(item, position, offsets, labels))
            )
            if needed > sizes[position]:
                sizes[position] = needed
                grown = True
        if not grown:
            return offsets


def _emit(raw: bytearray, item: Instruction, arg: int) -> None:
    for shift in (24, 16, 8):
        if arg >> shift:
            raw += bytes((EXTENDED_ARG, arg >> shift & 0xFF))
    raw += bytes((item.opcode, arg & 0xFF))
    raw += bytes(2 * CACHES[item.opcode])


# --- the table of positions -------------------------------------------------------------------


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x3F:
        out.append(0x40 | value & 0x3F)
        value >>= 6
    out.append(value)
    return bytes(out)


def _signed(value: int) -> bytes:
    return _varint(-value << 1 | 1 if value < 0 else value << 1)


def _location_table(items: list[Instruction], sizes: list[int], line: int) -> bytes:
    table = bytearray()
    position = 0
    while position < len(items):
        location = items[position].location
        size = sizes[position]
        position += 1
        while MERGES_LOCATIONS and position < len(items) and items[position].location == location:
            size += sizes[position]
            position += 1
        while size > 0:
            line = _write_location(table, location, min(size, 8), line)
            size -= 8
    return bytes(table)


def _write_location(table: bytearray, location: Location, size: int, line: int) -> int:
    start, end, column, end_column = location
    if start is None:
        table.append(0x80 | 15 << 3 | size - 1)
        return line
    delta = start - line
    if column is None or end_column is None:
        if end is None or end == start:
            table.append(0x80 | 13 << 3 | size - 1)
            table += _signed(delta)
            return start
    elif end == start:
        if delta == 0 and column < 80 and 0 <= end_column - column < 16:
            table.append(0x80 | column // 8 << 3 | size - 1)
            table.append(column % 8 << 4 | end_column - column)
            return start
        if 0 <= delta < 3 and column < 128 and end_column < 128:
            table.append(0x80 | 10 + delta << 3 | size - 1)
            table += bytes((column, end_column))
            return start
    table.append(0x80 | 14 << 3 | size - 1)
    table += _signed(delta) + _varint((end or start) - start)
    table += _varint(0 if column is None else column + 1)
    table += _varint(0 if end_column is None else end_column + 1)
    return start


# --- the exception table ----------------------------------------------------------------------


def _parse_exception_table(table: bytes) -> list[tuple[int, int, int, int, bool]]:
    entries = []
    numbers: list[int] = []
    position = 0
    while position < len(table):
        byte = table[position]
        value = byte & 0x3F
        while byte & 0x40:
            position += 1
            byte = table[position]
            value = value << 6 | byte & 0x3F
        position += 1
        numbers.append(value)
        if len(numbers) == 4:
            start, length, target, depth = numbers
            entries.append((start, start + length, target, depth >> 1, bool(depth & 1)))
            numbers = []
    return entries


def _table_number(value: int, mark: int) -> bytes:
    groups = [value & 0x3F]
    while value > 0x3F:
        value >>= 6
        groups.append(value & 0x3F)
    groups.reverse()
    out = bytearray(group | 0x40 for group in groups[:-1])
    out.append(groups[-1])
    out[0] |= mark
    return bytes(out)


def _exception_table(edit: Edit, labels: list[int], selves: list[int], offsets: list[int]) -> bytes:
    """Write the exception table; a catch-all fills the gaps between the entries."""
    rows = []
    appended = labels[len(edit.instructions)]
    covered = selves[edit.catch_all] if edit.catch_all >= 0 else appended
    for handler in edit.handlers:
        start, end = labels[handler.start], labels[handler.end]
        if start > covered:
            rows.append((covered, start, appended, 0, True))
        rows.append((start, end, labels[handler.target], handler.depth, handler.keeps_place))
        covered = max(covered, end)
    if covered < appended:
        rows.append((covered, appended, appended, 0, True))
    table = bytearray()
    for start, end, target, depth, keeps_place in rows:
        table += _table_number(offsets[start], 0x80)
        table += _table_number(offsets[end] - offsets[start], 0)
        table += _table_number(offsets[target], 0)
        table += _table_number(depth << 1 | keeps_place, 0)
    return bytes(table)
