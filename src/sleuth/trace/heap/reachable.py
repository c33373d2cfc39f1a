"""Objects that can be reached from values at a moment: each object once, the nearest first.

This module says what is inside an object, and has the limits of all walks.  Walks that do something
else, such as comparing two moments or drawing nested text, say in their docstring why they are
separate.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from sys import maxsize
from typing import NamedTuple

from sleuth.trace.values import Atom, Ref, Shape, Value


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a walk goes before it is cut."""

    objects: int
    items: int = maxsize
    """Items of all objects together."""
    steps: int = maxsize
    """Steps from a given value to an object; the value itself takes none."""


FINGERPRINT = Limits(objects=300, items=20_000)
"""For digests of calls, which are made of very many calls."""
COMPARISON = Limits(objects=3_000, items=60_000)
"""For comparing a call with one of another run."""
DIFFERENCE = Limits(objects=2_000)
"""For the changes between two moments."""
RECIPE = Limits(objects=2_000, items=20_000)
"""For building values again, as source that a person reads."""
LISTING = Limits(objects=200, steps=2)
"""For showing the objects near some variables."""


class Found(NamedTuple):
    """An object that a walk came to."""

    ref: Ref
    shape: Shape | None
    """What it contains; None: it is not known, or it is not looked into."""
    steps: int


class Cut(NamedTuple):
    """Where a walk was cut."""

    limit: str
    """The name of the limit that was reached."""
    ref: Ref
    """The object at which it was reached."""


def contents(shape: Shape) -> Iterator[Value]:
    """Return all that is inside an object: of each part the keys, then the items."""
    return chain.from_iterable(side for part in shape.parts for side in (part.keys, part.items))


def contents_of(_ref: Ref, shape: Shape) -> Iterator[Value]:
    """Return all that is inside an object; walks that leave something out use another function."""
    return contents(shape)


def step_text(shape: Shape, index: int) -> str:
    """Return the step of a path that leads to one value of `contents`, by its index."""
    for part in shape.parts:
        if index < len(part.keys):
            return f" (key {index})"
        index -= len(part.keys)
        if index >= len(part.items):
            index -= len(part.items)
            continue
        key = part.keys[index] if part.keys else None
        if part.kind == "attributes":
            return f".{key.content!s}" if isinstance(key, Atom) else ".?"
        if part.kind == "mapping":
            return f"[{key.content!r}]" if isinstance(key, Atom) else f"[key {index}]"
        return f"[{index}]"
    raise IndexError(index)


class Walk:
    """Visits what can be reached; several walks in a row visit no object twice.

    look: returns the contents of an object at a moment; None: don't look into it.
    inside: returns which of its contents to follow.
    """

    def __init__(
        self,
        look: Callable[[Ref, int], Shape | None],
        limits: Limits,
        *,
        inside: Callable[[Ref, Shape], Iterable[Value]] = contents_of,
    ) -> None:
        self._look = look
        self._limits = limits
        self._inside = inside
        self._links: dict[int, tuple[Ref | None, int]] = {}
        """Object -> the object that it was found in, and its index there."""
        self._items = 0
        self._is_full = False
        self.cut: Cut | None = None
        """None: everything that can be reached was visited."""

    def objects(self, values: Iterable[Value], at: int) -> Iterator[Found]:
        """Yield each object that can be reached from values and was not visited before.

        The object at which the number of objects or items is reached is the last one.
        """
        return (found for _, found in self.values(values, at) if found is not None)

    def values(self, values: Iterable[Value], at: int) -> Iterator[tuple[Value, Found | None]]:
        """Yield every value on the way, and with an object that was not visited before its shape.

        An object that is in several places is yielded for each, so that links can be described.
        """
        waiting: deque[tuple[Ref | None, int, Iterable[Value]]] = deque([(None, 0, values)])
        while waiting and not self._is_full:
            holder, steps, inside = waiting.popleft()
            for index, value in enumerate(inside):
                if not isinstance(value, Ref) or value.id in self._links:
                    yield value, None
                    continue
                self._links[value.id] = holder, index
                shape = self._look(value, at)
                self._count(value, shape)
                yield value, Found(value, shape, steps)
                if self._is_full:
                    return
                if shape is None:
                    continue
                if steps < self._limits.steps:
                    waiting.append((value, steps + 1, self._inside(value, shape)))
                elif any(isinstance(each, Ref) for each in self._inside(value, shape)):
                    self.cut = self.cut or Cut("steps", value)

    def route(self, ref: Ref) -> list[tuple[Ref | None, int]]:
        """Return how a visited object was found: the holders, and the index in each.

        The first has no holder: its index is that of a value that the walk was given.
        """
        found = [self._links[ref.id]]
        while (holder := found[-1][0]) is not None:
            found.append(self._links[holder.id])
        return found[::-1]

    def _count(self, ref: Ref, shape: Shape | None) -> None:
        if shape is not None:
            self._items += sum(len(part.items) for part in shape.parts)
        for limit, count in (("objects", len(self._links)), ("items", self._items)):
            if count > getattr(self._limits, limit):
                self.cut, self._is_full = Cut(limit, ref), True
                return
