"""Extreme values; a recorded program and the test that reads its trace make the same ones."""

import random
from collections import deque
from types import SimpleNamespace

Round = tuple[int, list[object]]
"""The number of parameters, and the arguments."""

COUNTS = (1, 3, 9, 40, 255, 300)
_EDGES = (0, 29, 30, 31, 62, 63, 64, 65, 8150, 8183, 8184, 8191, 8192, 8200, 100_000)
_LENGTHS = (0, 1, 47, 48, 49, 50, 255, 1023, 1024, 1025, 5_000, 65_535, 65_536, 65_537, 300_000)
_SIGNS = ("a", "\x00", "é", "\ud800", "€", "𝄞", "\x7f")


def rounds(seed: int, count: int) -> list[Round]:
    """Return the arguments of a program's calls."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        size = chance.choice(COUNTS)
        # Sometimes all are of the same extreme kind: nine integers of 8,150 bits.
        same = chance.choice((None, None, number, text, some_bytes, container))
        make = [same or chance.choice(_MAKERS) for _ in range(size)]
        made.append((size, [each(chance, large=size < 41) for each in make]))
    return made


def number(chance: random.Random, *, large: bool) -> int:
    """Return an integer near a size at which its encoding changes."""
    bits = chance.choice(_EDGES) + chance.randrange(-1, 2)
    value = chance.getrandbits(max(bits, 1)) | 1 << max(bits - 1, 0)
    return -value if chance.random() < 0.3 else value


def _length(chance: random.Random, *, large: bool) -> int:
    most = len(_LENGTHS) if large and chance.random() < 0.1 else 11
    return max(0, chance.choice(_LENGTHS[:most]) + chance.randrange(-1, 2))


def text(chance: random.Random, *, large: bool) -> str:
    """Return a text in one of the forms that the interpreter has for them."""
    length = _length(chance, large=large)
    head = f"{chance.random()}"[:length]
    return head + chance.choice(_SIGNS) * (length - len(head))


def some_bytes(chance: random.Random, *, large: bool) -> bytes:
    """Return bytes, sometimes long ones."""
    return chance.randbytes(_length(chance, large=large))


def other(chance: random.Random, *, large: bool) -> object:
    """Return a number of another kind, or a constant."""
    return chance.choice(
        (1.5, -0.0, 1e308, 5e-324, float("inf"), float("nan"), 1j, None, True, False, ...)
    )


def container(chance: random.Random, *, large: bool) -> object:
    """Return something that holds others."""
    items = [
        chance.choice(_ATOMS)(chance, large=False)
        for _ in range(chance.choice((0, 1, 20, 300 if large else 2)))
    ]
    kind = chance.randrange(6)
    if kind == 0:
        return items
    if kind == 1:
        return tuple(items)
    if kind == 2:
        return deque(items)
    if kind == 3:
        return bytearray(some_bytes(chance, large=large))
    if kind == 4:
        return {f"{index}" + text(chance, large=False): each for index, each in enumerate(items)}
    names = [f"a{index}" + "n" * chance.choice((1, 60, 3000)) for index in range(len(items))]
    return SimpleNamespace(**dict(zip(names, items, strict=True)))


_ATOMS = (number, text, some_bytes, other)
_MAKERS = (*_ATOMS, container)
