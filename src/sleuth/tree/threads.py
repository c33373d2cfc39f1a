"""The parents, in the tree, of calls that ran in other threads, pools or tasks.

Their recorded parent started or submitted them.  An answer about that parent says nothing of what
they did after it had returned.  So a call that outlived its parent is put under the nearest call
above that was still running when it ended.  Likewise it is part of a turn only if it was started in
the turn and had ended when the turn did.
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
"""Moments that are read at once to find when calls were started."""


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """The calls that ran in other threads or tasks; arrays by the number of the call."""

    is_it: Flags
    since: Numbers
    """When each was started; for other calls, when they began."""
    in_thread: Flags
    """Whether it has no caller in its thread, so that no caller catches its exception."""
    is_apart: Flags
    """Whether it can't be in a group with its siblings, which ran in the caller's thread and end
    before the caller does."""

    def moved(self, is_moved: Flags) -> "Elsewhere":
        """Return the same after some were put under another parent."""
        return replace(self, is_apart=self.in_thread | is_moved)


def elsewhere_of(trace: Trace, calls: Columns) -> Elsewhere | None:
    """Return the calls that ran in other threads or tasks; None: there are none."""
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
    """Tell which coroutines ran in another task than their parents."""
    found: Flags = ((calls.flags & _RESUMABLE) > 0) & (calls.task > 0) & (calls.parent >= 0)
    made = np.flatnonzero(found)
    found[made] = calls.task[made] != calls.task[calls.parent[made]]
    return found


def _stretches(moments: Numbers) -> list[tuple[int, int]]:
    """Return intervals that contain some moments, without the long gaps between them."""
    found: list[tuple[int, int]] = []
    if len(moments):
        far = np.flatnonzero(np.diff(moments) > _AT_ONCE // 10)
        starts, stops = np.append(0, far + 1), np.append(far, len(moments) - 1)
        for first, last in zip(moments[starts].tolist(), moments[stops].tolist(), strict=True):
            found += [(at, min(at + _AT_ONCE - 1, last)) for at in range(first, last + 1, _AT_ONCE)]
    return found


def tree_parents(parent: Small, last: Numbers, elsewhere: Elsewhere) -> Small:
    """Return the parent of each node of a tree; node 0 is the run, the calls follow."""
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
    """Return the parent of a call in the tree; None: the run."""
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
    """Tell whether a call can't be in a group with its siblings."""
    above = holder_of(trace, call)
    return call.ran_elsewhere or (above.id if above else None) != call.parent


def _lasts(above: Call, call: Call) -> bool:
    return above.last is None or (call.last is not None and above.last >= call.last)


def is_part(trace: Trace, call: Call, key: Key) -> bool:
    """Tell whether a call belongs to an interval of its parent in the tree."""
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
