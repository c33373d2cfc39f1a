"""Spots: all places in which the effects of two calls of two runs differ."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sleuth.oracles.compare.call_record import RETURN, Side
from sleuth.oracles.compare.structural import Counts
from sleuth.oracles.compare.version_texts import is_version
from sleuth.trace.events import Call
from sleuth.trace.heap.roots import end_of, given_to
from sleuth.trace.path import Step, key_text
from sleuth.trace.values import ABSENT, Atom, Part, Ref, Value
from sleuth.tree.observe.calls import outcome_of

_MOST_PAIRS = 5_000


class Spot(NamedTuple):
    """A place with different values in two runs."""

    path: str
    holder: Ref | None
    """The object of this run that it is a part of; None: it is the result."""
    kind: str
    key: Value | None
    """The key of the part; None: not known which part it is."""


class NotAll(Exception):
    """Not all places could be compared."""


class _Pair(NamedTuple):
    spot: Spot
    here: Value
    there: Value


class Spots:
    """Finds the spots of pairs of calls."""

    def __init__(self, here: Side, there: Side) -> None:
        self._here = here
        self._there = there

    def of(self, call: Call, other: Call, counts: Counts) -> list[Spot]:
        """Return the spots in arguments, enclosing variables and results; NotAll: not known."""
        ends = end_of(self._here.trace, call), end_of(self._there.trace, other)
        waiting = deque(self._roots(call, other))
        seen: set[tuple[int, int]] = set()
        found: list[Spot] = []
        for _ in range(_MOST_PAIRS):
            if not waiting:
                return found
            pair = waiting.popleft()
            mine = self._object(self._here, pair.here)
            theirs = self._object(self._there, pair.there)
            if mine is None or theirs is None:
                if self._here.likeness.glance(pair.here) != self._there.likeness.glance(pair.there):
                    found.append(pair.spot)
            elif (mine.id, theirs.id) not in seen:
                seen.add((mine.id, theirs.id))
                if self._type(self._here, mine) != self._type(self._there, theirs):
                    found.append(pair.spot)
                else:
                    waiting.extend(self._inside(pair.spot.path, mine, theirs, ends, counts))
        raise NotAll

    def _roots(self, call: Call, other: Call) -> Iterator[_Pair]:
        here, there = self._here.trace, self._there.trace
        result = Spot(RETURN, None, "", None)
        yield _Pair(result, outcome_of(here, call).value, outcome_of(there, other).value)
        given, twins = given_to(here, call), given_to(there, other)
        for name in given.keys() & twins.keys():
            yield _Pair(Spot(name, None, "", None), given[name], twins[name])
        cells = here.cells(call)
        mine = here.closure(call, end_of(here, call))
        theirs = there.closure(other, end_of(there, other))
        for name in mine.keys() & theirs.keys():
            cell = cells.get(name)
            holder = cell if isinstance(cell, Ref) else None
            yield _Pair(Spot(name, holder, "cell", ABSENT), mine[name], theirs[name])

    @staticmethod
    def _object(side: Side, value: Value) -> Ref | None:
        """Return an object with contents; None: it is a plain value or code."""
        is_described = isinstance(side.likeness.glance(value), tuple)
        return value if isinstance(value, Ref) and not is_described else None

    @staticmethod
    def _type(side: Side, ref: Ref) -> str:
        return side.likeness.values.type_name(ref)

    def _inside(
        self, path: str, one: Ref, other: Ref, ends: tuple[int, int], counts: Counts
    ) -> Iterator[_Pair]:
        mine, theirs = self._here.trace.shape(one, ends[0]), self._there.trace.shape(other, ends[1])
        if mine is None or theirs is None:
            return
        for part in mine.parts:
            twin = theirs.part(part.kind)
            if twin is None or not (part.is_complete and twin.is_complete):
                raise NotAll
            if part.kind == "attributes":
                yield from self._attributes(path, one, part, twin, counts)
            elif part.kind == "mapping":
                yield from _by_key(path, one, part, twin)
            elif part.kind == "sequence":
                yield from _by_number(path, one, part, twin)
            elif not self._is_same(part, twin):
                whole = Spot(path, one, part.kind, None)
                yield _Pair(whole, Atom("here"), Atom("there"))
        if {part.kind for part in theirs.parts} - {part.kind for part in mine.parts}:
            raise NotAll

    def _attributes(
        self, path: str, owner: Ref, one: Part, other: Part, counts: Counts
    ) -> Iterator[_Pair]:
        kind = self._type(self._here, owner)
        mine, theirs = _named(one), _named(other)
        for name in dict.fromkeys((*mine, *theirs)):
            here, there = mine.get(name, ABSENT), theirs.get(name, ABSENT)
            is_chance = (kind, name) in self._here.likeness.chance.attributes
            is_left_out = counts is not None and name not in counts
            if is_chance or is_left_out or is_version(name, here):
                continue
            spot = Spot(f"{path}{Step('attribute', name)}", owner, "attributes", Atom(name))
            yield _Pair(spot, here, there)

    def _is_same(self, one: Part, other: Part) -> bool:
        """Tell whether parts without known keys have the same plain values; False: not known."""
        if any(isinstance(each, Ref) for each in (*one.items, *other.items)):
            return False
        mine, theirs = self._here.likeness.glance, self._there.likeness.glance
        return Counter(map(mine, one.items)) == Counter(map(theirs, other.items))


def _named(part: Part) -> Mapping[str, Value]:
    return {str(key.content): item for key, item in part.pairs if isinstance(key, Atom)}


def _by_key(path: str, owner: Ref, one: Part, other: Part) -> Iterator[_Pair]:
    if not all(isinstance(key, Atom) for key in (*one.keys, *other.keys)):
        whole = Spot(path, owner, "mapping", None)
        yield _Pair(whole, Atom("here"), Atom("there"))
        return
    mine, theirs = (
        {key: item for key, item in part.pairs if isinstance(key, Atom)} for part in (one, other)
    )
    for key in dict.fromkeys((*mine, *theirs)):
        text = key_text(key.content) if isinstance(key.content, str) else repr(key.content)
        spot = Spot(f"{path}{Step('item', text)}", owner, "mapping", key)
        yield _Pair(spot, mine.get(key, ABSENT), theirs.get(key, ABSENT))


def _by_number(path: str, owner: Ref, one: Part, other: Part) -> Iterator[_Pair]:
    for number in range(max(len(one.items), len(other.items))):
        mine, theirs = (
            part.items[number] if number < len(part.items) else ABSENT for part in (one, other)
        )
        yield _Pair(Spot(f"{path}[{number}]", owner, "sequence", Atom(number)), mine, theirs)
