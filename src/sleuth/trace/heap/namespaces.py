"""The globals of a module as set by code outside the module.

A module's body names the object that holds its variables.  The globals are the recorded contents of
that object, and the recorded assignments; the later of the two counts.
"""

from sleuth.trace.events import EventKind, Moment
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.replay import Write
from sleuth.trace.numbers import Definition
from sleuth.trace.values import ABSENT, Atom, Ref, Value

Dated = dict[str, tuple[int, Value]]
"""Name -> when it was set, and to what."""


def told(heap: Heap, holder: Ref, at: int) -> tuple[Dated, Moment]:
    """Return the contents of the object that holds a module's variables, and since when."""
    found: Dated = {}
    since = Moment(-1)
    for write in heap.since_whole(holder.id, 0, at)[1]:
        match write.kind:
            case kind if kind in (Definition.CONTENTS, EventKind.CHANGED):
                # Written before the event of the same moment, so older than it.
                since = Moment(write.moment - (kind == Definition.CONTENTS))
                found = _all(write, since)
            case EventKind.SET_ITEM:
                _set(found, write, write.values[2])
            case EventKind.DELETE_ITEM:
                _set(found, write, ABSENT)
            case EventKind.PUT:
                _set(found, write, write.values[1], key=write.values[0])
    return found, since


def _all(write: Write, since: int) -> Dated:
    found: Dated = {}
    for name, value in zip(write.values[::2], write.values[1::2], strict=False):
        if isinstance(name, Atom) and isinstance(name.content, str):
            found[name.content] = since, value
    return found


def _set(found: Dated, write: Write, value: Value, *, key: Value | None = None) -> None:
    name = write.values[1] if key is None else key
    if isinstance(name, Atom) and isinstance(name.content, str):
        found[name.content] = write.moment, value
