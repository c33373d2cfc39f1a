"""A twin is the plainly compiled code, with a map to the instructions that run."""

import dis
import struct
from collections.abc import Iterator
from types import CodeType

from sleuth.record.rewrite import rewrite
from tests.record.rewrite.library import codes


def twins(packed: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Give the depth of the stack, then code, lines, handlers, constants, offsets."""
    at = 0
    while at < len(packed):
        stack, *sizes = struct.unpack_from("<6I", packed, at)
        at += 24
        parts = []
        for size in sizes:
            parts.append(packed[at : at + size])
            at += size
        yield stack, parts


def numbers(packed: bytes) -> list[int]:
    found, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
    return found


def places(packed: bytes) -> list[tuple[int, bool]]:
    """Give for each unit that runs its place in the twin, and whether it is inserted."""
    found, expected = [], 0
    values = iter(numbers(packed))
    for first, second in zip(values, values, strict=True):
        size, is_inserted = first >> 1, bool(first & 1)
        place = expected + (-(second >> 1) if second & 1 else second >> 1)
        found += [(place + (0 if is_inserted else at), is_inserted) for at in range(size)]
        expected = place + (0 if is_inserted else size)
    return found


def told(const: object) -> object:
    """Return a constant as text; equal sets may have another order."""
    if isinstance(const, frozenset):
        return sorted(map(repr, const))
    return const.co_qualname if isinstance(const, CodeType) else repr(const)


def checked(plain: CodeType, woven: CodeType, stack: int, parts: list[bytes]) -> None:
    raw, lines, handlers, constants, offsets = parts
    assert raw == plain.co_code
    assert lines == plain.co_linetable
    assert handlers == plain.co_exceptiontable
    assert stack == plain.co_stacksize
    chosen = [woven.co_consts[index] for index in numbers(constants)]
    assert [told(const) for const in chosen] == [told(const) for const in plain.co_consts]
    units = places(offsets)
    spans, running = list(plain.co_positions()), list(woven.co_positions())
    assert len(units) == len(running)
    for unit, (place, is_inserted) in enumerate(units):
        assert 0 <= place <= len(spans)
        # A marker may stand for an instruction that does nothing, of the same line.
        is_idle = place < len(spans) and plain.co_code[2 * place] == dis.opmap["NOP"]
        assert is_inserted or spans[place] == running[unit] or is_idle
        assert is_inserted or spans[place][0] == running[unit][0]


def test_inserted_instructions_are_told_as_the_one_that_follows():
    source = "def f(x):\n    y = x\n    return y\n"
    made = rewrite(source, "f.py", source)
    function = next(code for code in codes(made.code) if code.co_name == "f")
    _, parts = list(twins(made.twins))[1]
    units = places(parts[4])
    own = [place for place, is_inserted in units if not is_inserted]
    assert own == list(range(len(parts[0]) // 2))
    for at, (place, is_inserted) in enumerate(units[:-1]):
        if is_inserted and place < len(own):
            assert units[at + 1][0] == place
    assert len(units) == len(function.co_code) // 2
