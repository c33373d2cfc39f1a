"""Harmless differences: those that nothing read on the way to the symptom."""

from functools import cached_property

from sleuth.oracles.compare.call_record import (
    ELSEWHERE,
    NOT_COMPARED,
    RETURN,
    STDOUT,
    YIELDED,
    Side,
)
from sleuth.oracles.compare.side_effects import OBJECT
from sleuth.oracles.compare.spots import NotAll, Spot, Spots
from sleuth.oracles.compare.structural import Counts
from sleuth.trace.events import Call
from sleuth.trace.values import Ref
from sleuth.tree.dependence.on_the_way import OnTheWay, on_the_way

SECONDS = 5.0
"""How long the slice of the symptom may take."""
_WITH_READS = frozenset({"attributes", "mapping", "sequence", "set", "cell"})
"""Kinds of parts whose reads are known; the text of an object of a class of one's own is not."""
_BESIDES = frozenset({ELSEWHERE, NOT_COMPARED})
_OTHER = frozenset({YIELDED, STDOUT})
"""Names of differences that are never harmless."""


class Harmless:
    """Tells which differences between a call and one of another run can't have had an effect."""

    def __init__(self, here: Side, there: Side) -> None:
        self._here = here
        self._there = there
        self._spots = Spots(here, there)

    @cached_property
    def _way(self) -> OnTheWay | None:
        return on_the_way(self._here.trace, SECONDS)

    @property
    def is_known(self) -> bool:
        """Whether it is known what was read on the way to the symptom."""
        return self._way is not None

    def unread(self, call: Call, other: Call, parts: set[str], counts: Counts) -> list[str]:
        """Return the paths that differ, if none of them was read later; else nothing."""
        way = self._way
        if way is None or parts & _OTHER:
            return []
        if self._here.done(call, counts).how != self._there.done(other, counts).how:
            return []  # how it ended decides what runs next
        try:
            spots = self._spots.of(call, other, counts)
        except NotAll:
            return []
        if any(self._is_read(way, spot, call) for spot in spots):
            return []
        found = [spot.path for spot in spots]
        if parts & _BESIDES:
            elsewhere = self._elsewhere(way, call, other)
            if not elsewhere:
                return []
            found += elsewhere
        return found

    @staticmethod
    def _is_read(way: OnTheWay, spot: Spot, call: Call) -> bool:
        if spot.holder is None:
            return spot.path != RETURN or way.is_result_used(call)
        if spot.kind not in _WITH_READS:
            return True
        return way.is_read(spot.holder.id, spot.kind, spot.key, call)

    def _elsewhere(self, way: OnTheWay, call: Call, other: Call) -> list[str]:
        """Return the names of the places written elsewhere, if none of them was read later."""
        mine, theirs = self._here.written(call), self._there.written(other)
        if not (mine.is_whole and theirs.is_whole):
            return []
        places = [(_place(name), value) for name, value in mine.after.items()]
        names = {name for name, _ in places}
        lacking = [name for name in map(_place, theirs.after) if name not in names]
        if OBJECT in lacking:
            return []
        for name, value in places:
            if isinstance(value, Ref) and way.is_read(value.id, "", None, call):
                return []
            if name != OBJECT and self._is_global_read(way, name, call):
                return []
        if any(self._is_global_read(way, name, call) for name in lacking):
            return []
        return [name if name != OBJECT else "another object" for name in (*names, *lacking)]

    def _is_global_read(self, way: OnTheWay, name: str, call: Call) -> bool:
        module, _, variable = name.rpartition(".")
        numbers = [each.id for each in self._here.trace.modules() if each.name == module]
        if not numbers:
            return True  # an attribute of code
        return any(way.is_global_read(each, variable, call) for each in numbers)


def _place(name: str) -> str:
    """Return the name of a place without the number that tells it apart."""
    return name.partition(" ")[2]
