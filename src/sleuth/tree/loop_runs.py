"""The executions of loops in a call: when each began, its turns, and when it ended.

A trace says when a loop begins and when each turn does, not when the last turn ends.  That follows
from what comes behind: the first event that stands outside of the loop; of events that stand
nowhere (output, a generator that waits) as many belong to the last turn as did to a turn like it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sleuth.trace import columns
from sleuth.trace.columns import Own
from sleuth.trace.events import Call, EventKind, Function, Site, Span
from sleuth.trace.reader import Trace
from sleuth.tree.loop_text import Extent, extent_of
from sleuth.tree.node import Flags, Numbers

_NONE = -1
_UNKNOWN = 2
"""Of something that stands nowhere it is not known whether it is in the loop."""
_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
_PLACED = (
    EventKind.RAISE,
    EventKind.CHANGED,
    EventKind.SPLICED,
    EventKind.PUT,
)
_LOOK_BACK = 64
"""So many turns are looked at to learn how a turn ends."""
_FAR = 1_000
"""Behind its last known event a turn is followed for so many events of its call."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopRun:
    """One execution of a loop."""

    site: int
    first: int
    """The moment at which it began."""
    last: int
    """The last moment of its last turn."""
    turns: Numbers
    """The moments at which its turns began."""
    has_start: bool
    """Whether its beginning is an event: that of a generator expression is made outside."""

    def turn_end(self, turn: int) -> int:
        """Return the last moment of a turn."""
        return int(self.turns[turn + 1]) - 1 if turn + 1 < len(self.turns) else self.last


@lru_cache(maxsize=8)
def loops_of(trace: Trace, call: int) -> "Loops":
    """Return the loops of a call that has ended; those looked at last are kept."""
    return Loops(trace, trace.call(call))


class Loops:
    """Finds the executions of loops in one call."""

    def __init__(self, trace: Trace, call: Call) -> None:
        self._trace = trace
        self._call = call
        self._function = trace.function(call.function)
        last = trace.event_count - 1 if call.last is None else call.last
        self.own = columns.own(trace, call.id, call.first, last)
        self._sites: dict[int, Site | None] = {}
        is_turn = (self.own.kind == EventKind.LOOP) | (self.own.kind == EventKind.TURN)
        self._loops = frozenset(_different(self.own.number[is_turn]))
        self._has_site = (self.own.kind >= EventKind.CATCH) & (
            self.own.kind <= EventKind.DELETE_SLICE
        )

    def turns_at(self, moment: int) -> tuple[int, Numbers] | None:
        """Return the loop that begins, or a turn of which does, at a moment, and all its turns."""
        at = int(np.searchsorted(self.own.moment, moment))
        if at == len(self.own) or self.own.moment[at] != moment:
            return None
        if self.own.kind[at] not in (EventKind.LOOP, EventKind.TURN):
            return None
        site = int(self.own.number[at])
        is_own = self.own.number == site
        starts = self.own.moment[is_own & (self.own.kind == EventKind.LOOP)]
        turns = self.own.moment[is_own & (self.own.kind == EventKind.TURN)]
        place = int(np.searchsorted(starts, moment, "right"))
        low = np.searchsorted(turns, starts[place - 1]) if place else 0
        high = np.searchsorted(turns, starts[place]) if place < len(starts) else len(turns)
        return site, turns[low:high]

    def runs(self, first: int, last: int, around: int | None) -> list[LoopRun]:
        """Return the outermost executions from first to last, in order.

        `around`: the loop of which that is a turn; None: it is the whole call.
        """
        function = self._function
        low, high = np.searchsorted(self.own.moment, [first, last + 1])
        here = slice(int(low), int(high))
        own = Own(self.own.moment[here], self.own.number[here], self.own.kind[here])
        top = self._tops(own, self._has_site[here], around)
        is_loop = (own.kind == EventKind.LOOP) | (own.kind == EventKind.TURN)
        found = [
            run
            for site in _different(top[is_loop & (top == own.number)])
            for run in self._runs_of(own, top, site)
        ]
        if function is None or not found:
            return []
        found.sort(key=lambda run: run.first)
        kept: list[LoopRun] = []
        for run in found:
            # What is computed anew before each turn, as a condition is, belongs to the turns.
            if not kept or run.first > kept[-1].last:
                kept.append(run)
        starts = [run.first for run in kept[1:]]
        return [
            self._ended(function, run, min(last, until - 1))
            for run, until in zip(kept, [*starts, last + 1], strict=True)
        ]

    # --- Inside ----------------------------------------------------------------------------------

    def _tops(self, own: Own, has_site: Flags, around: int | None) -> Numbers:
        """Return for each event the outermost loop that it is in, inside of the one around."""
        top = np.full(len(own), _NONE, np.int64)
        outer = set() if around is None else {around, *self._chain(around)}
        numbers = own.number[has_site]
        tops = np.full(_size(numbers), _NONE, np.int64)
        for site in _different(numbers):
            tops[site] = self._top(site, outer)
        top[has_site] = tops[numbers]
        return top

    def _top(self, site: int, outer: set[int]) -> int:
        for loop in (*self._chain(site), site):
            if loop not in outer:
                return loop if loop != site or site in self._loops else _NONE
        return _NONE

    def _chain(self, site: int) -> tuple[int, ...]:
        """Return the loops around a site, the outermost first."""
        found: list[int] = []
        known = self._site(site)
        while known is not None and known.loop is not None and known.loop not in found:
            found.append(known.loop)
            known = self._site(known.loop)
        return tuple(reversed(found))

    def _site(self, site: int) -> Site | None:
        if site not in self._sites:
            self._sites[site] = self._trace.site(site)
        return self._sites[site]

    def _runs_of(self, own: Own, top: Numbers, site: int) -> list[LoopRun]:
        """Return the executions of one loop; each ends with the last event known to be in it."""
        is_own = own.number == site
        starts = own.moment[is_own & (own.kind == EventKind.LOOP)]
        turns = own.moment[is_own & (own.kind == EventKind.TURN)]
        inside = own.moment[top == site]
        bounds = [*starts.tolist(), int(own.moment[-1]) + 1]
        found = []
        early = turns[: np.searchsorted(turns, bounds[0])]
        if len(early):
            end = int(inside[np.searchsorted(inside, bounds[0]) - 1])
            found.append(LoopRun(site, int(early[0]), end, early, has_start=False))
        for start, stop in pairwise(bounds):
            low, high = np.searchsorted(turns, [start, stop])
            end = int(inside[np.searchsorted(inside, stop) - 1])
            found.append(LoopRun(site, start, end, turns[low:high], has_start=True))
        return found

    def _ended(self, function: Function, run: LoopRun, until: int) -> LoopRun:
        """Follow the last turn to its end, at most to a moment."""
        if not len(run.turns):
            return run
        site = self._site(run.site)
        if site is None:
            return run
        extent = extent_of(self._trace, function, site)
        last = self._tail(function, extent, run, until)
        return LoopRun(run.site, run.first, last, run.turns, run.has_start)

    def _tail(self, function: Function, extent: Extent, run: LoopRun, until: int) -> int:
        """Return the last moment of the last turn."""
        at = int(np.searchsorted(self.own.moment, run.last))
        bound = self._next_foreign(at, until)
        usual = self._usual_tail(run, at)
        last = run.last
        for _, end, is_inside in sorted(self._behind(function, extent, at, bound)):
            if not is_inside or (is_inside == _UNKNOWN and usual == 0):
                break
            if is_inside == _UNKNOWN and usual is not None:
                usual -= 1
            last = max(last, end)
        return min(last, bound)

    def _behind(
        self, function: Function, extent: Extent, at: int, bound: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield what comes behind an event: beginning, end, whether that is in the loop."""
        last = int(self.own.moment[at])
        for start, end, span in self._calls_behind(last, bound):
            yield start, end, int(extent.contains(span))
        for index in range(at + 1, min(at + 1 + _FAR, len(self.own))):
            moment = int(self.own.moment[index])
            if moment > bound:
                break
            is_inside = _UNKNOWN
            if self.own.kind[index] in _PLACED:
                place = self._trace.event(moment).place
                is_inside = int(extent.contains(function.span_at(place)))
            yield moment, moment, is_inside

    def _next_foreign(self, at: int, until: int) -> int:
        """Return the last moment before the next event that has a site, or that ends the call."""
        behind = self._has_site[at + 1 :] | np.isin(self.own.kind[at + 1 :], _ENDS)
        found = np.flatnonzero(behind)
        return min(until, int(self.own.moment[at + 1 + found[0]]) - 1) if len(found) else until

    def _calls_behind(self, last: int, bound: int) -> list[tuple[int, int, Span | None]]:
        """Return beginning, end and place of the calls made behind a moment."""
        found: list[tuple[int, int, Span | None]] = []
        moment = last + 1
        for _ in range(_FAR):
            if moment > bound:
                break
            event = self._trace.event(moment)
            moment += 1
            if event.kind is not EventKind.ENTER or event.call is None:
                continue
            made = self._trace.call(event.call)
            if made.parent == self._call.id:
                is_open = made.is_resumable or made.last is None
                end = made.first if is_open or made.last is None else made.last
                place = self._function.span_at(made.place) if self._function else None
                found.append((int(made.first), min(int(end), bound), place))
                moment = int(end) + 1
        return found

    def _usual_tail(self, run: LoopRun, at: int) -> int | None:
        """Return how many events that stand nowhere end a turn like the last; None: not known."""
        most = None
        for turn in range(max(len(run.turns) - 1 - _LOOK_BACK, 0), len(run.turns) - 1):
            low, high = np.searchsorted(self.own.moment, run.turns[[turn, turn + 1]])
            sited = np.flatnonzero(self._has_site[low:high])
            if self.own.number[low + sited[-1]] == self.own.number[at]:
                most = max(most or 0, int(high - low - 1 - sited[-1]))
        return most


def _size(numbers: Numbers) -> int:
    return int(numbers.max()) + 1 if len(numbers) else 0


def _different(numbers: Numbers) -> list[int]:
    """Return which numbers there are: of sites, which are small, without sorting."""
    is_there = np.zeros(_size(numbers), bool)
    is_there[numbers] = True
    return np.flatnonzero(is_there).tolist()
