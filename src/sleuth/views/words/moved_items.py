"""Changes of a list of objects in which most objects only moved: which ones left it, which came.

A heap or a queue puts its items into other places; a change for each place would hide the one
object that was taken out.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from sleuth.trace.heap.difference import Change
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Part, Ref, Value
from sleuth.tree.observe.behaviour import Behaviour

_FEWEST = 3
"""The least number of changes of a list that are told by its objects."""
MOVED = "set"
"""The kind of part of such a change: it has no place, like a member of a set."""


def by_objects(trace: Trace, behaviour: Behaviour, changes: Sequence[Change]) -> list[Change]:
    """Return changes; those of a list whose objects moved as what was removed and added."""
    found: list[Change] = []
    for (holder, part), group in groupby(changes, key=lambda each: (each.holder, each.part)):
        several = list(group)
        told = None
        if holder is not None and part == "sequence" and len(several) >= _FEWEST:
            told = _objects(trace, behaviour, holder, several)
        found += several if told is None else told
    return found


def _objects(
    trace: Trace, behaviour: Behaviour, holder: Ref, changes: Sequence[Change]
) -> list[Change] | None:
    """Return what left a list and what came into it; None: the places say more."""
    parts = [_items(trace, holder, at) for at in (behaviour.first, behaviour.last)]
    if parts[0] is None or parts[1] is None:
        return None
    old, new = parts[0].items, parts[1].items
    if not all(isinstance(item, Ref) for item in (*old, *new)):
        return None
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    count = gone.total() + come.total()
    if not count or count >= len(changes) or not _has_moved(old, new):
        return None
    path = changes[0].path[: changes[0].path.rindex("[")]
    return [
        *(Change(path, "removed", item, ABSENT, holder, item, MOVED) for item in _in(old, gone)),
        *(Change(path, "added", ABSENT, item, holder, item, MOVED) for item in _in(new, come)),
    ]


def _items(trace: Trace, holder: Ref, at: int) -> Part | None:
    shape = trace.shape(holder, at)
    part = shape.part("sequence") if shape is not None else None
    return part if part is not None and part.is_complete else None


def _has_moved(old: Sequence[Value], new: Sequence[Value]) -> bool:
    """Whether items that stayed are in another order."""
    both = {*old} & {*new}
    return [item for item in old if item in both] != [item for item in new if item in both]


def _in(items: Sequence[Value], wanted: Counter[Value]) -> Iterator[Value]:
    """Yield the wanted items in their order."""
    left = Counter(wanted)
    for item in items:
        if left[item] > 0:
            left[item] -= 1
            yield item
