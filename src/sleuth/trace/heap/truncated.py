"""Changes in the truncated tail of a container.

Stores by recorded code are known wherever they are; a change by other code shows only in the hash
of all items.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from sleuth.trace.events import EventKind
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.parts import index_of
from sleuth.trace.heap.replay import Write
from sleuth.trace.numbers import Definition
from sleuth.trace.values import Atom, Part, Ref, Value

_MOST_WRITES = 1000


@dataclass(frozen=True, slots=True)
class TailChanges:
    """The stores into a truncated tail, and whether there was any other change."""

    stored: tuple[tuple[Value, Value], ...]
    """Index or key, and the last value stored there."""
    is_more: bool
    """Whether the object was changed in another way, too."""


def tail_changes(heap: Heap, ref: Ref, old: Part, span: tuple[int, int]) -> TailChanges:
    """Return the changes in the tail of an object between two states."""
    known = {heap.key_of(key) for key in old.keys}
    stored: dict[Hashable, tuple[Value, Value]] = {}
    is_more = False
    for count, write in enumerate(_between(heap, ref, *span)):
        if write.kind in (Definition.CONTENTS, Definition.UNSURE):
            continue
        if count > _MOST_WRITES:
            return TailChanges((), is_more=True)
        place = _place(write, old)
        if place is None:
            is_more = True
            stored.clear()  # the items may have moved
        elif isinstance(place, Atom) and old.kind == "sequence":
            index = index_of(place) or 0
            if index >= len(old.items):
                stored[index] = place, write.values[2]
        elif heap.key_of(place) not in known:
            stored[heap.key_of(place)] = place, write.values[2]
    return TailChanges(tuple(stored.values()), is_more)


def _place(write: Write, old: Part) -> Value | None:
    """Return the index or key of a store; None: it is no store of one item."""
    if write.kind != EventKind.SET_ITEM or old.kind not in ("sequence", "mapping"):
        return None
    key = write.values[1]
    if old.kind == "mapping":
        return key
    index = index_of(key)
    if index is None:
        return None
    return Atom(index + old.full_length if index < 0 else index)


def _between(heap: Heap, ref: Ref, first: int, last: int) -> Iterator[Write]:
    for row in heap.rows(ref.id, first, last):
        for write in heap.told_in(row, ref.id, first, last):
            if write.is_before(last) and not write.is_before(first):
                yield write
