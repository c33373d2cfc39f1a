"""Where calls hang that ran elsewhere: in another thread, by a pool's worker, in another task.

Their parent started or submitted them.  An answer about it says nothing of what they did after it
had returned, so one that outlived its parent hangs, in a tree, under the nearest call above that
was still running when it ended.  In the same way it is part of a turn only if it was started in it
and had ended when the turn did.
"""

from dataclasses import dataclass, replace

import numpy as np

from sleuth import _flat
from sleuth.trace import columns
from sleuth.trace.columns import Columns, Touch
from sleuth.trace.events import Call, Moment
from sleuth.trace.reader import Trace
from sleuth.tree.node import Flags, Key, Numbers, Small

_ELSEWHERE, _RESUMABLE = 0x08, 0x20
_FOREVER = np.iinfo(np.int64).max
_AT_ONCE = 2_000_000
"""So many moments are read at once to see when calls were started."""


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """What is known of the calls that ran elsewhere, by the number of the call."""

    is_it: Flags
    since: Numbers
    """When each was started or made; of other calls when they began."""
    in_thread: Flags
    """Whether nobody in its thread called it: nobody there takes its exception."""
    is_apart: Flags
    """Whether it is in no group with the calls beside it: those were made by their caller's thread,
    and end before it does."""

    def moved(self, is_moved: Flags) -> "Elsewhere":
        """Return the same when some hang under others than their parents."""
        return replace(self, is_apart=self.in_thread | is_moved)


def elsewhere_of(trace: Trace, calls: Columns) -> Elsewhere | None:
    """Return what ran elsewhere; None: nothing did."""
    in_thread = (calls.flags & _ELSEWHERE) > 0
    is_it = in_thread | _in_other_task(calls)
    if not is_it.any():
        return None
    since = calls.first.copy()
    for first, last in _stretches(calls.first[in_thread]):
        rows = columns.touches(trace, first, last, frozenset())
        started = rows.what == Touch.STARTED
        at = np.searchsorted(calls.first, rows.moment[started])
        is_known = at < len(since)
        since[at[is_known]] = rows.number[started][is_known]
    return Elsewhere(is_it, since, in_thread, in_thread)


def _in_other_task(calls: Columns) -> Flags:
    """Tell which coroutines ran in another task than the calls that made them."""
    found: Flags = ((calls.flags & _RESUMABLE) > 0) & (calls.task > 0) & (calls.parent >= 0)
    made = np.flatnonzero(found)
    found[made] = calls.task[made] != calls.task[calls.parent[made]]
    return found


def _stretches(moments: Numbers) -> list[tuple[int, int]]:
    """Return intervals that hold all of some moments, without the long gaps between them."""
    found: list[tuple[int, int]] = []
    if len(moments):
        far = np.flatnonzero(np.diff(moments) > _AT_ONCE // 10)
        starts, stops = np.append(0, far + 1), np.append(far, len(moments) - 1)
        for first, last in zip(moments[starts].tolist(), moments[stops].tolist(), strict=True):
            found += [(at, min(at + _AT_ONCE - 1, last)) for at in range(first, last + 1, _AT_ONCE)]
    return found


def hung(parent: Small, last: Numbers, elsewhere: Elsewhere) -> Small:
    """Return under whom each node of a tree hangs: node 0 is the run, the calls come behind."""
    ends = np.concatenate(([_FOREVER], np.where(last < 0, _FOREVER - 1, last)))
    above = np.empty(len(parent), np.int32)
    is_elsewhere = np.concatenate(([False], elsewhere.is_it))
    _flat.hang(np.ascontiguousarray(parent, np.int32), ends, is_elsewhere, above)
    return above


# --- The same for one call, without the tree ---------------------------------------------------


def ran_elsewhere(trace: Trace, call: Call) -> bool:
    """Tell whether a call ran in another thread or task than its parent."""
    if call.ran_elsewhere or call.parent is None:
        return call.ran_elsewhere
    return call.is_resumable and call.task > 0 and call.task != trace.call(call.parent).task


def holder_of(trace: Trace, call: Call) -> Call | None:
    """Return the call under which one hangs; None: under the run."""
    if call.parent is None:
        return None
    above = trace.call(call.parent)
    if ran_elsewhere(trace, call):
        while not _lasts(above, call):
            if above.parent is None:
                return None
            above = trace.call(above.parent)
    return above


def is_apart(trace: Trace, call: Call) -> bool:
    """Tell whether a call is in no group with those that its parent made."""
    above = holder_of(trace, call)
    return call.ran_elsewhere or (above.id if above else None) != call.parent


def _lasts(above: Call, call: Call) -> bool:
    return above.last is None or (call.last is not None and above.last >= call.last)


def is_part(trace: Trace, call: Call, key: Key) -> bool:
    """Tell whether a call that hangs under another one belongs to an interval of that."""
    if not ran_elsewhere(trace, call):
        return key.first <= call.first <= key.last
    has_ended = call.last is not None and call.last <= key.last
    return has_ended and key.first <= started_at(trace, call) <= key.last


def started_at(trace: Trace, call: Call) -> Moment:
    """Return when a call was started, submitted or made."""
    if not call.ran_elsewhere:
        return call.first
    rows = columns.touches(trace, call.first, call.first, frozenset())
    started = rows.number[rows.what == Touch.STARTED]
    return Moment(int(started[0])) if len(started) else call.first
