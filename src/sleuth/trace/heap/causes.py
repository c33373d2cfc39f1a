"""The cause of a change: the last record in an interval that wrote to the changed part.

Searching backwards from the end finds most causes at once.  For an object that is written very
often, an old write is found by bisection over the segments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleuth.trace.events import CallId, EventKind, Moment
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.parts import Growing, Keyed, Sequenced, index_of
from sleuth.trace.heap.replay import Write
from sleuth.trace.numbers import Definition
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import ABSENT, Atom, Ref, Value

_MOST_WRITES = 5000
"""Writes of one object that are looked at one by one."""
_NEAR = 1000
"""Most causes are within this many moments of the end."""
_MOST_COMPARED = 32
"""Full descriptions that are compared with the state before; a further one counts as the cause."""
_LATER = 2
_Held = tuple[Growing | None, int | None]
"""A part of an object, and the hash of its items where not all are kept."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a change."""

    moment: Moment
    """When it happened, or was noticed."""
    call: CallId | None
    is_recorded: bool
    """Whether recorded code made it."""
    place: int | None
    """The place in the call where the unrecorded code was called; None: see `since`, or unknown."""
    since: Moment | None
    """It happened after this and by `moment`; None: it happened at `moment`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an object: an item, an attribute, a member."""

    kind: str
    key: Value


class Causes:
    """Finds causes between two moments."""

    def __init__(self, heap: Heap, first: int, last: int) -> None:
        self._heap = heap
        self._first = first
        self._last = last
        self._compared = 0

    def of(self, holder: Ref, wanted: Sequence[Part]) -> dict[Part, Cause]:
        """Return the causes of changes of one object, as far as they are known."""
        found: dict[Part, Cause] = {}
        perhaps: dict[Part, Cause] = {}
        rows = list(self._heap.rows(holder.id, self._first, self._last))
        seen = 0
        while rows and len(found) < len(wanted) and seen < _MOST_WRITES:
            row = rows.pop()
            for write in self._backwards(row, holder):
                seen += 1
                for part in wanted:
                    if part in found or not self._is_about(write, part, holder):
                        continue
                    if self._keeps(write, part, holder):
                        perhaps.setdefault(part, _cause(write))
                    else:
                        found[part] = _cause(write)
                if len(found) == len(wanted):
                    break
        for part in wanted:
            if part not in found and (cause := self._far_back(holder, part, rows)):
                found[part] = cause
        return perhaps | found

    def _far_back(self, holder: Ref, part: Part, rows: list[SegmentRow]) -> Cause | None:
        low, high = 0, len(rows)
        final = self.value(holder, part, self._last)
        while high - low > 1:
            middle = (low + high) // 2
            is_there = self.value(holder, part, rows[middle].first_moment) == final
            low, high = (low, middle) if is_there else (middle, high)
        for row in rows[low:high]:
            for write in self._backwards(row, holder):
                if self._is_about(write, part, holder):
                    return _cause(write)
        return None

    def value(self, holder: Ref, part: Part, at: int) -> Value:
        """Return the value of a part at a moment."""
        held = self._heap.state(holder, at).parts.get(part.kind)
        if isinstance(held, Keyed):
            return held.pairs.get(self._heap.key_of(part.key), (ABSENT, ABSENT))[1]
        index = index_of(part.key)
        if isinstance(held, Sequenced) and index is not None and index < len(held.items):
            return held.items[index]
        return ABSENT

    def _backwards(self, row: SegmentRow, holder: Ref) -> Iterator[Write]:
        end = min(self._last, row.first_moment + row.moments)
        for low, high in ((end - _NEAR, end), (self._first, end - _NEAR - 1)):
            told = self._heap.told_in(row, holder.id, max(low, self._first), max(high, 0))
            for write in reversed([*told]):
                if write.is_before(self._last) and not write.is_before(self._first):
                    yield write

    def _around(self, write: Write, part: Part, holder: Ref) -> tuple[_Held, _Held] | None:
        """Return a part before and after a full description; None: they can't be compared.

        A full description repeats all of an object, including what recorded code had set before.
        """
        self._compared += 1
        if self._compared > _MOST_COMPARED:
            return None
        states = [self._heap.state(holder, write.moment + late) for late in (0, 1)]
        before, after = [
            (state.parts.get(part.kind), state.digests.get(part.kind)) for state in states
        ]
        return before, after

    def _has_changed(self, write: Write, part: Part, holder: Ref) -> bool:
        """Tell whether a full description has other contents than the state before it."""
        around = self._around(write, part, holder)
        if around is None:
            return True
        (before, old_digest), (after, new_digest) = around
        if isinstance(before, Keyed) and isinstance(after, Keyed):
            key, nothing = self._heap.key_of(part.key), (ABSENT, ABSENT)
            return before.pairs.get(key, nothing)[1] != after.pairs.get(key, nothing)[1]
        if isinstance(before, Sequenced) and isinstance(after, Sequenced):
            is_known = after.full_length == len(after.items) or old_digest == new_digest
            return not is_known or before.items != after.items
        return True

    def _keeps(self, write: Write, part: Part, holder: Ref) -> bool:
        """Tell whether a full description has this item of a sequence unchanged."""
        if write.kind != EventKind.CHANGED or part.kind != "sequence":
            return False
        around, index = self._around(write, part, holder), index_of(part.key)
        if around is None or index is None:
            return False
        before, after = around[0][0], around[1][0]
        return (
            isinstance(before, Sequenced)
            and isinstance(after, Sequenced)
            and before.full_length == after.full_length
            and index < min(len(before.items), len(after.items))
            and before.items[index] == after.items[index]
        )

    def _is_about(self, write: Write, part: Part, holder: Ref) -> bool:
        match write.kind:
            case kind if kind in (Definition.CONTENTS, Definition.UNSURE):
                return False
            case EventKind.CHANGED:
                return write.part_kind == part.kind and self._has_changed(write, part, holder)
            case EventKind.SET_ATTRIBUTE | EventKind.DELETE_ATTRIBUTE:
                name = self._heap.name_of(write.number)
                return part.kind == "attributes" and part.key == Atom(name or "")
            case EventKind.SET_ITEM if part.kind == "mapping":
                return self._heap.key_of(write.values[1]) == self._heap.key_of(part.key)
            case EventKind.SET_ITEM if part.kind == "sequence":
                index = index_of(write.values[1])
                return index is None or index < 0 or Atom(index) == part.key
            case EventKind.PUT:
                return self._heap.key_of(write.values[0]) == self._heap.key_of(part.key)
        return part.kind != "attributes"


def _cause(write: Write) -> Cause:
    since = write.since if write.flags == _LATER and not write.is_recorded else None
    place = None if write.is_recorded else write.place
    return Cause(write.moment, write.call, write.is_recorded, place, since)
