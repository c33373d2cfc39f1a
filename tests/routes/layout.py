"""The steps to which the instructions of a module belong, by their offsets in plain code.

A tracer in the program sees offsets of plain code, without probes.  Steps have places in the code
that really runs.  The recorder's own map of offsets (`rewrite/twins.py`) connects the two.
"""

import dis
import hashlib
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any
from unittest.mock import patch

from sleuth.record.rewrite import rewrite
from sleuth.record.rewrite.flow import table
from sleuth.record.rewrite.flow.steps import Step, Woven, steps_of
from sleuth.trace.flow.table import Flow

Unit = tuple[str, int]
"""The digest of a piece of plain code, and an offset in it."""
NOWHERE = -1
_RESUME = dis.opmap["RESUME"]
_END_FOR = dis.opmap.get("END_FOR", -1)


@dataclass
class Layout:
    """The steps of one function; those that share an instruction count as one *group*."""

    places: list[int]
    group_of_step: list[int]
    """-1: no instruction that a tracer sees belongs to it."""
    group_of_unit: dict[Unit, int]

    def told(self, steps: Sequence[int]) -> list[int]:
        """Return the groups of steps, one after the other."""
        return _changing(self.group_of_step[step] for step in steps)

    def seen(self, units: Sequence[Unit]) -> list[int]:
        """Return the groups of instructions, one after the other."""
        return _changing(self.group_of_unit.get(unit, NOWHERE) for unit in units)


def _changing(groups: Iterator[int]) -> list[int]:
    found: list[int] = []
    for group in groups:
        if group != NOWHERE and (not found or found[-1] != group):
            found.append(group)
    return found


@dataclass
class Twin:
    """What the program sees of a code object."""

    digest: str
    units: list[int]
    """For each unit of the code that runs: the plain one; -1: none, or no tracer sees it."""


@dataclass
class Layouts:
    """The layouts of the functions of a module, by their numbers."""

    functions: list[Layout]
    positions: dict[str, list[Any]] = field(default_factory=dict)
    """Digest of plain code -> the positions of its instructions in the source."""


def layouts(source: Path) -> Layouts:
    """Rewrite a module as the recorder does."""
    made: list[tuple[Woven, list[Step]]] = []
    real = steps_of

    def noting(woven: Woven, probes: Sequence[bytes]) -> list[Step]:
        made.append((woven, real(woven, probes)))
        return made[-1][1]

    content = source.read_bytes()
    with patch.object(table, "steps_of", noting):
        whole = rewrite(content, str(source), content.decode("utf-8", "replace"))
    codes = list(_all_code(whole.code))
    twins = dict(zip(map(id, codes), _twins(whole.twins, codes), strict=True))
    plain = compile(content, str(source), "exec", dont_inherit=True)
    return Layouts(
        [_layout(woven, steps, twins) for woven, steps in made],
        {digest_of(code): list(code.co_positions()) for code in _all_code(plain)},
    )


def is_of(layout: Layout, told: Flow) -> bool:
    """Tell whether a flow of a trace has the same steps as a layout."""
    return [step.place for step in told.steps] == layout.places


def digest_of(code: CodeType) -> str:
    """Return a digest of code, made as the tracer makes it."""
    return _digest(code, code.co_code, code.co_linetable)


def _digest(code: CodeType, *content: bytes) -> str:
    about = f"{code.co_name} {code.co_firstlineno} ".encode()
    return hashlib.blake2b(about + b"".join(content)).hexdigest()


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _all_code(const)


def _parts(woven: Woven) -> Iterator[Woven]:
    yield woven
    for part in woven.parts:
        yield from _parts(part)


# --- twins ----------------------------------------------------------------------------------------


def _twins(packed: bytes, codes: list[CodeType]) -> Iterator[Twin | None]:
    at = 0
    for running in codes:
        _, *sizes = struct.unpack_from("<6I", packed, at)
        at += 24
        parts = []
        for size in sizes:
            parts.append(packed[at : at + size])
            at += size
        code, lines, _, _, offsets = parts
        if not code:
            yield None
            continue
        digest = _digest(running, code, lines)
        is_seen = _seen(code)
        yield Twin(
            digest,
            [unit if unit >= 0 and is_seen[unit] else NOWHERE for unit in _units(offsets)],
        )


def _seen(code: bytes) -> list[bool]:
    """Tell for each unit whether a tracer sees it; it sees none up to the first RESUME."""
    ops = code[::2]
    first = ops.index(_RESUME)
    return [unit > first and not _is_unseen(ops, unit) for unit in range(len(ops))]


def _is_unseen(ops: bytes, unit: int) -> bool:
    """Tell whether the interpreter skips an instruction, or has no event for it.

    There is no event for RESUME.  Since 3.12 a loop ends right after END_FOR, in 3.13 after the
    POP_TOP that follows it.
    """
    is_popped = sys.version_info >= (3, 13) and ops[unit - 1] == _END_FOR
    return ops[unit] in (_RESUME, _END_FOR) or is_popped


def _units(packed: bytes) -> Iterator[int]:
    numbers = iter(_numbers(packed))
    expected = 0
    for head, off in zip(numbers, numbers, strict=True):
        size, is_inserted = head >> 1, head & 1
        place = expected + (-(off >> 1) if off & 1 else off >> 1)
        yield from [NOWHERE] * size if is_inserted else range(place, place + size)
        expected = place + (0 if is_inserted else size)


def _numbers(packed: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


# --- steps ----------------------------------------------------------------------------------------


def _layout(woven: Woven, steps: list[Step], twins: dict[int, Twin | None]) -> Layout:
    places = [step.place for step in steps]
    units = _by_place(sorted(set(places)), sorted(_parts(woven), key=lambda part: part.base), twins)
    group_of_unit: dict[Unit, int] = {}
    group_of_place: dict[int, int] = {}
    for place, found in units.items():
        known = {group_of_unit[unit] for unit in found if unit in group_of_unit}
        group = min(known, default=len(group_of_unit) + len(group_of_place))
        for other in known - {group}:
            _rename(group_of_unit, other, group)
            _rename(group_of_place, other, group)
        group_of_unit.update(dict.fromkeys(found, group))
        if found:
            group_of_place[place] = group
    group_of_step = [
        group_of_place.get(step.place, NOWHERE) if _is_code(step) else NOWHERE for step in steps
    ]
    return Layout(places, group_of_step, group_of_unit)


def _rename(groups: dict[Any, int], old: int, new: int) -> None:
    groups.update({key: new for key, group in groups.items() if group == old})


def _is_code(step: Step) -> bool:
    """Tell whether a step comes from an instruction or a probe, and not from the interpreter."""
    return step.instruction is not None or step.event is not None


def _by_place(
    places: list[int], parts: list[Woven], twins: dict[int, Twin | None]
) -> dict[int, list[Unit]]:
    """Return the plain instructions from each place up to the next."""
    found: dict[int, list[Unit]] = {place: [] for place in places}
    for part in parts:
        twin = twins[id(part.code)]
        assert twin is not None, "recorded code has a twin"
        here = None
        for unit, plain in enumerate(twin.units):
            here = part.base + unit if part.base + unit in found else here
            if here is not None and plain != NOWHERE:
                found[here].append((twin.digest, plain))
    return found
