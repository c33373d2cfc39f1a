"""Sums: counts of the calls in a segment by function, kept so that calls need not be read.

A *host* of a call is the nearest call above it that began in an earlier segment.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_MOST_BITS = 63


@dataclass(frozen=True, slots=True)
class GoingOn:
    """A call that began in a segment and did not end in it."""

    call: int
    parent: int | None
    function: int


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of the calls that begin in one segment."""

    below: dict[int | None, dict[int, int]]
    """Host (None: no host) -> function -> number of calls."""
    going_on: tuple[GoingOn, ...]


def unpacked(plain: bytes, first_call: int) -> Sums:
    """Read the sums of a segment; ValueError: they are malformed."""
    numbers = _numbers(plain)
    try:
        sums = Sums(dict(_below(numbers)), tuple(_going_on(numbers, first_call)))
    except (StopIteration, RuntimeError):
        raise ValueError("packed sums are cut short") from None
    if next(numbers, None) is not None:
        raise ValueError("packed sums are too long")
    return sums


def _below(numbers: Iterator[int]) -> Iterator[tuple[int | None, dict[int, int]]]:
    host = 0
    for _ in range(next(numbers)):
        host += next(numbers)
        counts: dict[int, int] = {}
        function = 0
        for _ in range(next(numbers)):
            function += next(numbers)
            counts[function] = next(numbers)
        yield (host - 1 if host else None), counts


def _going_on(numbers: Iterator[int], call: int) -> Iterator[GoingOn]:
    for _ in range(next(numbers)):
        call += next(numbers)
        up = next(numbers)
        yield GoingOn(call, call - up if up else None, next(numbers))


def _numbers(plain: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in plain:
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > _MOST_BITS:
            raise ValueError("a number of packed sums is too large")
        if byte < 0x80:
            yield number
            number = shift = 0
