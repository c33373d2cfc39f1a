"""Attribution of changes: made by the call with its callees, or by other threads meanwhile.

Changes by other threads and tasks are not the call's own.  But threads and tasks that it started
and that ended before it did count as part of it: an answer about the call is about them, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sleuth.trace.events import Call, Event, EventKind, Function, Moment
from sleuth.trace.heap.alignment import aligned
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom, Ref
from sleuth.tree.node import Key
from sleuth.tree.threads import holder_of, is_part

_NEARBY = 256
_MOST_LOOKED = 20
"""Changes of the call that are checked for an earlier change by others."""
_MOST_WRITES = 200
"""Writes to one sequence that are looked at one by one."""
_SEQUENCE = "sequence"
_Changes = list[Change]
_PAUSES = (EventKind.SUSPEND, EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
"""Events after which the call does not run."""


class Doers:
    """Tells for one call whether it or others made a change."""

    def __init__(
        self, trace: Trace, call: Call, function: Function | None, part: Key | None = None
    ) -> None:
        self._trace = trace
        self._call = call
        self._function = function
        self._first = call.first if part is None else Moment(part.first)
        self._end = end_of(trace, call) if part is None else Moment(part.last)
        self._part = part
        self._is_own: dict[int, bool] = {}
        self._is_below: dict[int, bool] = {}

    def is_other(self, change: Change, *, until: Moment | None = None) -> bool:
        """Whether others made a change, which is the last one up to a moment."""
        since = change.cause.since if change.cause else None
        if since is not None and self._first <= since and self.is_own(since):
            return False  # it was noticed later; when it was made is not known
        moment = self._moment(change, self._end if until is None else until)
        return moment is not None and not self.is_own(moment)

    def overwritten(self, own: Sequence[Change]) -> Iterator[Change]:
        """Yield the changes by others that the call then overwrote."""
        for change in own[:_MOST_LOOKED]:
            moment = self._moment(change, self._end)
            if moment is not None and self._is_disturbed(moment):
                before = self._before(change, moment)
                if before is not None and self.is_other(before, until=moment):
                    yield before

    def lost(self, others: Sequence[Change]) -> Iterator[Change]:
        """Yield the changes by the call that others then overwrote."""
        for change in others[:_MOST_LOOKED]:
            moment = self._moment(change, self._end)
            before = None if moment is None else self._before(change, moment)
            if before is not None and not self.is_other(before, until=moment):
                yield before

    def shared(self, difference: Difference) -> Iterator[tuple[int, tuple[_Changes, _Changes]]]:
        """Yield the sequences that grew or shrank while others wrote to them, too.

        An index means another item after each of these writes, so that they are looked at one by
        one: which items did the call add or remove, and which ones others?
        """
        grown = {
            change.holder.id: change.holder
            for change in difference.changes
            if change.holder is not None and change.part == _SEQUENCE
            if change.kind in ("added", "removed")
        }
        for holder in grown.values():
            written = self._trace.written(holder, self._first, self._end)
            moments = list(islice(written, _MOST_WRITES + 1))
            if len(moments) > _MOST_WRITES or all(map(self.is_own, moments)):
                continue
            own: list[Change] = []
            others: list[Change] = []
            for moment in moments:
                changes = self._items_changed(holder, moment, difference.paths[holder.id])
                (own if self.is_own(moment) else others).extend(changes)
            yield holder.id, (own, others)

    def _items_changed(self, holder: Ref, moment: Moment, path: str) -> Iterator[Change]:
        """Yield what one write changed in a sequence."""
        shapes = [self._trace.shape(holder, at) for at in (moment, moment + 1)]
        parts = [shape.part(_SEQUENCE) if shape else None for shape in shapes]
        old, new = (part.items if part else () for part in parts)
        for i, j in aligned(old, new):
            was, now = ABSENT if i is None else old[i], ABSENT if j is None else new[j]
            if was != now:
                kind = "added" if i is None else "removed" if j is None else "set"
                place = (i or 0) if j is None else j
                key = Atom(place)
                yield Change(f"{path}[{place}]", kind, was, now, holder, key, _SEQUENCE)

    def _before(self, change: Change, moment: Moment) -> Change | None:
        """Return an earlier change of the same part up to a moment, if there is one."""
        if change.holder is not None:
            return self._trace.changed_before(change, self._first, moment)
        if self._function is None or self._moment(change, moment) is None:
            return None
        name = change.path.rpartition(".")[2]
        value = self._trace.globals(self._function.module, moment).get(name, change.old)
        return None if value == change.old else replace(change, kind="set", new=value)

    def _is_disturbed(self, moment: Moment) -> bool:
        """Whether others ran shortly before a moment, and after the call began."""
        events = self._trace.events(max(moment - _NEARBY, self._first), moment)
        if not self._call.is_resumable:
            return any(event.thread != self._call.thread for event in events)
        return any(
            event.kind is EventKind.SUSPEND and event.call == self._call.id for event in events
        )

    def is_own(self, moment: Moment | int) -> bool:
        """Whether the call or one of its callees was running at a moment."""
        if moment not in self._is_own:
            self._is_own[moment] = self._look(moment)
        return self._is_own[moment]

    def has_started(self, change: Change) -> bool:
        """Whether a thread or task that the call started made a change."""
        moment = self._moment(change, self._end)
        return moment is not None and self.is_started(moment)

    def is_started(self, moment: Moment | int) -> bool:
        """Whether the call that runs at a moment is below this one in the tree."""
        if not self._trace.has_elsewhere:
            return False
        call: int | None = self._trace.event(moment).call
        way: list[int] = []
        while call is not None and call > self._call.id and call not in self._is_below:
            way.append(call)
            call = self._above(self._trace.call(call))
        is_it = call == self._call.id
        found = is_it if call is None else self._is_below.get(call, is_it)
        self._is_below |= dict.fromkeys(way, found)
        return found

    def _above(self, call: Call) -> int | None:
        """Return the parent of a call in the tree; None: it is not below this call or its part."""
        above = holder_of(self._trace, call)
        if above is None:
            return None
        if self._part is not None and above.id == self._call.id:
            return above.id if is_part(self._trace, call, self._part) else None
        return above.id

    def _look(self, moment: Moment | int) -> bool:
        if not self._call.is_resumable:
            return self._trace.event(moment).thread == self._call.thread
        own = self._own_before(moment)
        if own is None or own.kind in _PAUSES or (own.kind is EventKind.ENTER and own.flags & 1):
            return False
        return self._trace.event(moment).thread == own.thread

    def _own_before(self, moment: Moment | int) -> Event | None:
        """Return the last event of the call itself up to a moment, which is seldom far away."""
        size, low = _NEARBY, int(moment) + 1
        while low > self._call.first:
            low, high = max(int(moment) - size, self._call.first), low - 1
            events = list(self._trace.events(low, high, call=self._call.id))
            if events:
                return events[-1]
            size *= 8
        return None

    def _moment(self, change: Change, end: Moment) -> Moment | None:
        if change.holder is not None:
            return change.cause.moment if change.cause else None
        name = change.path.rpartition(".")[2]
        if self._function is None or name in self._function.free:
            return None
        return self._trace.global_set(self._function.module, name, self._first, end)


def by_whom(
    trace: Trace,
    call: Call,
    function: Function | None,
    difference: Difference,
    part: Key | None = None,
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Separate the changes of a call, or a part of it, from those that others made meanwhile."""
    doers = Doers(trace, call, function, part)
    own: list[Change] = []
    others: list[Change] = []
    shared = dict(doers.shared(difference))
    apart = [[change for part in shared.values() for change in part[side]] for side in (0, 1)]
    for change in difference.changes:
        if change.holder is None or change.holder.id not in shared:
            (others if doers.is_other(change) else own).append(change)
    return (*apart[0], *own, *doers.lost(others)), (*apart[1], *others, *doers.overwritten(own))
