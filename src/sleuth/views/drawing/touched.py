"""The parts of objects that matter for a question, which are shown rather than the others.

These are what the call changed, and what was read on the way to the symptom.
"""

from collections import defaultdict
from collections.abc import Sequence

from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.slices.criterion import key_of
from sleuth.trace.values import Atom, Part, Ref, Value
from sleuth.tree.dependence.on_the_way import OnTheWay, on_the_way
from sleuth.tree.observe.behaviour import Behaviour

_MOST_EVENTS = 50_000
"""A longer run is not looked through only to put what was read in front."""
_MOST = 8
"""Items of one object that stand in front."""
_SECONDS = 5.0


class Touched:
    """Tells which parts of an object stand in front."""

    def __init__(self, behaviour: Behaviour, way: OnTheWay | None) -> None:
        self._changed: dict[int, list[Value]] = defaultdict(list)
        for change in behaviour.changes:
            if change.holder is not None:
                self._changed[change.holder.id].append(change.key)
        self._way = way

    def rank(self, holder: int) -> int:
        """Return 0 for an object that was changed, 1 for one that was read, 2 for any other."""
        return 0 if holder in self._changed else 1 if self._read(holder) else 2

    def places(self, holder: int, part: Part) -> list[int]:
        """Return the numbers of the items that matter: what was changed before what was read."""
        changed, read = self._changed.get(holder, ()), self._read(holder)
        pairs = list(enumerate(zip(_keys(part), part.items, strict=True)))
        ours = [at for at, (key, item) in pairs if key in changed or self._is_changed(item)]
        theirs = [at for at, (key, _) in pairs if read and key_of(part.kind, key) in read]
        # Where there are many, none of them stands out.
        found = [side for side in (ours, theirs) if len(side) <= _MOST]
        return list(dict.fromkeys(at for side in found for at in side))

    def _is_changed(self, item: Value) -> bool:
        return isinstance(item, Ref) and item.id in self._changed

    def _read(self, holder: int) -> set[int]:
        return set() if self._way is None else {*self._way.read_of(holder)} - {0}


def touched(trace: Trace, behaviour: Behaviour) -> Touched:
    """Return what a behaviour changed, and what was read on the way if it is known."""
    return Touched(behaviour, _way(trace))


@kept(most=1)
def _way(trace: Trace) -> OnTheWay | None:
    return on_the_way(trace, _SECONDS) if trace.event_count <= _MOST_EVENTS else None


def _keys(part: Part) -> Sequence[Value]:
    """Return the keys of the items of a part as changes name them."""
    if part.keys:
        return part.keys
    return part.items if part.kind == "set" else [Atom(at) for at in range(len(part.items))]
