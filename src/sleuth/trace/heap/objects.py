"""The versioned heap: the contents of an object at any moment.

A trace stores nothing twice: the contents of an object are its last full description, and every
write since.  Here these writes are replayed up to a moment.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sleuth.trace.events import EventKind
from sleuth.trace.heap.arrays import refreshed
from sleuth.trace.heap.parts import atom_key
from sleuth.trace.heap.replay import State, Write
from sleuth.trace.numbers import Definition
from sleuth.trace.store.index import Index
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import PART_KINDS, Ref, Shape, Value, from_wire

if TYPE_CHECKING:
    from sleuth._core import RecordRow

_MOST_ITEMS_KEPT = 2_000_000
"""Items in all cached states together."""
_MOST_STATES = 32
"""Cached states of one object."""
_DEEPEST = 40
"""Limit of nesting; deeper contents count as unsure."""
_ATTRIBUTES = (EventKind.SET_ATTRIBUTE, EventKind.DELETE_ATTRIBUTE)
_PLAIN_KEYS = ("tuple", "frozenset", "builtins.tuple", "builtins.frozenset")


class Heap:
    """Objects at moments."""

    def __init__(
        self,
        index: Index,
        constants: tuple[str, ...],
        name_of: Callable[[int], str | None],
        *,
        has_contents: bool,
    ) -> None:
        self._index = index
        self._constants = constants
        self.name_of = name_of
        """Returns the name of an attribute, given the site that sets it."""
        self._has_contents = has_contents
        self._kept: dict[int, list[tuple[int, State]]] = {}
        self._kept_items = 0
        self._depth = 0
        self._keys: dict[int, Hashable] = {}

    def shape(self, ref: Ref, at: int) -> Shape | None:
        """Return what an object contains before the event at a moment; None: nothing is known."""
        if not self._has_contents:
            return None
        state = self.state(ref, at)
        if not state.parts:
            return None
        parts = tuple(state.parts[kind].part(kind) for kind in PART_KINDS if kind in state.parts)
        if state.is_summary_old:
            parts = refreshed(parts)
        if any(state.digests.values()):
            parts = tuple(replace(part, digest=state.digests.get(part.kind)) for part in parts)
        return Shape(ref.type_name, parts, state.is_sure, bool(ref.id & 1))

    def rows(self, identity: int, first: int, last: int) -> Iterator[SegmentRow]:
        """Yield the segments with records about an object between two moments."""
        for row in self._index.about(identity):
            if row.first_moment <= last and row.first_moment + row.moments >= first:
                yield row

    def touched(self, identity: int, first: int, last: int) -> bool:
        """Whether there are records about an object between the states before two moments."""
        return any(
            self._index.records(row).up_to(identity, first, last)[1]
            for row in self.rows(identity, first, last)
        )

    def state(self, ref: Ref, at: int) -> State:
        """Return an object's state; it is cached, so callers must not change it."""
        kept = self._kept.get(ref.id, [])
        found = bisect_right(kept, at, key=lambda pair: pair[0]) - 1
        if found >= 0 and kept[found][0] == at:
            return kept[found][1]
        start = kept[found][0] if found >= 0 else 0
        is_whole, writes = self.since_whole(ref.id, start, at)
        state = State() if is_whole or found < 0 else kept[found][1].copy()
        for write in writes:
            state.apply(write, ref, self)
        if not state.is_told:
            state = self._first(ref, at)
        self._keep(ref.id, at, state)
        return state

    def since_whole(self, identity: int, start: int, at: int) -> tuple[bool, list[Write]]:
        """Return the writes between two states, at most back to the last full description."""
        found: list[list[Write]] = []
        for row in reversed(self._index.about(identity)):
            if row.first_moment > at:
                continue
            if row.first_moment + row.moments < start:
                break
            is_whole, rows = self._index.records(row).up_to(identity, start, at)
            found.append([self._write(fields) for fields in rows])
            if is_whole:
                return True, [write for some in reversed(found) for write in some]
        return False, [write for some in reversed(found) for write in some]

    def key_of(self, value: Value, deep: int = 0) -> Hashable:
        """Return a hashable that is equal for equal keys of a mapping; tuples are equal by items.

        deep: how many tuples are around it; beyond a limit each is equal to itself only.
        """
        if not isinstance(value, Ref) or value.type_name not in _PLAIN_KEYS:
            return atom_key(value)
        if value.id not in self._keys:
            # Tuples never change: any moment will do.  Cycles need an object that is no tuple.
            shape = self.nested(value, 1 << 62)
            part = shape.parts[0] if shape and shape.parts else None
            key: Hashable = (Ref, value.id)
            if part is not None and part.is_complete and deep < _DEEPEST:
                items = [self.key_of(item, deep + 1) for item in part.items]
                key = tuple(items) if part.kind == "sequence" else frozenset(items)
            self._keys[value.id] = key
        return self._keys[value.id]

    def nested(self, ref: Ref, at: int) -> Shape | None:
        """Return a shape that is needed for another one; None: not known, or nested too deep."""
        if self._depth >= _DEEPEST:
            return None
        self._depth += 1
        try:
            return self.shape(ref, at)
        finally:
            self._depth -= 1

    def _first(self, ref: Ref, at: int) -> State:
        """Return the first known state, though seen later: it is assumed to hold before, too."""
        state = State()
        seen = None
        for row in self._index.about(ref.id):
            if row.first_moment + row.moments < at:
                continue
            for write in self.told_in(row, ref.id, at, row.first_moment + row.moments):
                if write.kind != Definition.CONTENTS or seen not in (None, write.moment):
                    return state
                seen = write.moment
                state.apply(write, ref, self)
        return state

    def told_in(
        self,
        row: SegmentRow,
        identity: int,
        first: int,
        last: int,
        sites: frozenset[int] | None = None,
    ) -> Iterator[Write]:
        """Yield the records of one segment about an object.

        sites: of stores to attributes only those at these sites.
        """
        for fields in self._index.records(row).about(identity, first, last):
            if sites is None or fields[1] not in _ATTRIBUTES or fields[3] in sites:
                yield self._write(fields)

    def _write(self, fields: "RecordRow") -> Write:
        made = tuple([from_wire(value, self._constants) for value in fields[-1]])
        return Write._make((*fields[:-1], made))

    def _keep(self, identity: int, at: int, state: State) -> None:
        if self._kept_items > _MOST_ITEMS_KEPT:
            self._kept.clear()
            self._kept_items = 0
        kept = self._kept.setdefault(identity, [])
        if len(kept) >= _MOST_STATES:
            del kept[::2]
        kept.insert(bisect_right(kept, at, key=lambda pair: pair[0]), (at, state))
        self._kept_items += 10 + state.size
